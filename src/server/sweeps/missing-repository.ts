// A job ends because GitHub no longer knows its repository: it moved to another installation, or
// the App was uninstalled. Its webhook may be late or lost, so the job checks itself, before its
// end is recorded; after a crash the next attempt does.
import type { Logger } from "pino";
import { OutOfReach, Transient } from "../../domain/errors.ts";
import { type Repo, type ReviewJob, upkeepKey } from "../../domain/job.ts";
import type { RepositoryHost } from "../../ports/memory.ts";
import type { AnyJob, Queue } from "../../ports.ts";
import type { locateRepository } from "../../wire/github.ts";

interface MissingRepositoryPorts {
  /** Looks up the job's repository, through any installation that reaches it now. */
  readonly host: Pick<RepositoryHost, "lookUp">;
  readonly installationOf: (repo: Repo) => Promise<number | null>;
  readonly queue: Pick<Queue, "add">;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Time for the job to end: no repository is removed while jobs work on it. */
const UNTIL_ENDED_MS = 1_000;

/**
 * Enqueues the follow-up: the same review for the installation that reaches the repository now, or
 * a job that asks GitHub again and removes its data.
 *
 * @returns `moved`: its review runs at the new place; `reachable`: something else was missing
 * @throws Transient when GitHub or the queue cannot answer now
 */
export async function handleMissingRepository(
  job: AnyJob,
  { host, installationOf, queue, now }: MissingRepositoryPorts,
): Promise<"moved" | "forgotten" | "reachable"> {
  const found = await host.lookUp();
  if (found.kind === "reachable") {
    const installationId = await installationOf(found.repo);
    if (job.kind !== "review" || installationId === null || installationId === job.installationId) return "reachable";
    const at = now();
    // It has already waited for further pushes, perhaps on a clock that was set since.
    const moved: ReviewJob = { ...job, repo: found.repo, installationId, notBefore: at };
    await queue.add(moved, at);
    return "moved";
  }
  if (!found.isMissing) return "reachable";
  const { repo, installationId, delivery } = job;
  const at = now();
  const forget = { kind: "forget", trigger: "missing", key: upkeepKey(repo, "forget") } as const;
  await queue.add({ ...forget, repo, installationId, delivery, asked: 0, notBefore: at + UNTIL_ENDED_MS }, at);
  return "forgotten";
}

/**
 * Wraps a job: when it ends because something is missing, looks its repository up, and wakes the
 * workers after it enqueued a job.
 *
 * @returns it rejects like the job, or with Transient when GitHub cannot answer: then both are
 *   retried
 */
export function withMissingRepositoryCheck(
  locate: ReturnType<typeof locateRepository>,
  queue: Pick<Queue, "add">,
  log: Logger,
  wake: () => void,
): <T>(job: AnyJob, work: () => Promise<T>) => Promise<T> {
  const resolve = async (job: AnyJob) => {
    try {
      const what = await handleMissingRepository(job, { ...locate(job), queue, now: Date.now });
      if (what === "reachable") return;
      log.info({ job: job.key, what }, "the repository moved or was removed");
      wake();
    } catch (error) {
      if (error instanceof Transient) throw error;
      log.warn({ job: job.key, err: error }, "cannot resolve the repository; the missed-event sweep will check later");
    }
  };
  return async (job, work) => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OutOfReach && error.why === "missing") await resolve(job);
      throw error;
    }
  };
}
