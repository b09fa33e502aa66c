// A job ends because GitHub does not know its place: the repository moved to where another installation reaches it, or the App was
// taken away. The delivery that tells so may come late, or never; whoever runs into it looks for himself, before his end is written
// down: who dies meanwhile has the job taken up by another, who looks as well.
import type { Logger } from "pino";
import { OutOfReach, Transient } from "../domain/errors.ts";
import { type ForgetJob, type Repo, type ReviewJob, upkeepKey } from "../domain/job.ts";
import type { RepositoryHost } from "../ports/memory.ts";
import type { AnyJob, Queue } from "../ports.ts";

export interface GonePorts {
  /** Of the job's repository, by whichever installation reaches it now. */
  readonly host: Pick<RepositoryHost, "lookUp">;
  readonly installationOf: (repo: Repo) => Promise<number | null>;
  readonly queue: Pick<Queue, "add">;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Until the job that found it gone has ended: while others work on a repository it is not forgotten yet. */
const UNTIL_ENDED_MS = 1_000;

/** `moved`: it is reviewed where it is now. `forgotten`: all that is known of it goes. `stands`: something else was gone. */
export type Gone = "moved" | "forgotten" | "stands";

/**
 * Puts into the queue what follows: the same review for the installation that reaches the repository now, or a job that forgets the
 * repository. That one asks GitHub again before it does.
 *
 * @throws Transient when GitHub or the queue cannot answer now
 */
export async function afterGone(job: AnyJob, { host, installationOf, queue, now }: GonePorts): Promise<Gone> {
  const found = await host.lookUp();
  if (found.kind === "reachable") {
    const installationId = await installationOf(found.repo);
    if (job.kind !== "review" || installationId === null || installationId === job.installationId) return "stands";
    const at = now();
    // It has waited for further pushes before, perhaps by a clock that somebody set since.
    const moved: ReviewJob = { ...job, repo: found.repo, installationId, notBefore: at };
    await queue.add(moved, at);
    return "moved";
  }
  if (!found.isMissing) return "stands";
  const { repo, installationId, delivery } = job;
  const at = now();
  const forget: ForgetJob = {
    kind: "forget",
    trigger: "gone",
    key: upkeepKey(repo, "forget"),
    repo,
    installationId,
    delivery,
    notBefore: at + UNTIL_ENDED_MS,
  };
  await queue.add(forget, at);
  return "forgotten";
}

/** Whom to ask about a job's repository. */
export type Whereabouts = (job: Pick<AnyJob, "installationId" | "repo">) => Pick<GonePorts, "host" | "installationOf">;

/**
 * @returns what runs a job; where that ends as gone it looks what became of the repository, and wakes the workers where something follows.
 *   It rejects as the job does, but with Transient where nobody can be asked now: then the job is tried again, and looked after again
 */
export function goneWatch(
  lookFor: Whereabouts,
  queue: Pick<Queue, "add">,
  log: Logger,
  wake: () => void,
): <T>(job: AnyJob, work: () => Promise<T>) => Promise<T> {
  const look = async (job: AnyJob) => {
    try {
      const what = await afterGone(job, { ...lookFor(job), queue, now: Date.now });
      if (what === "stands") return;
      log.info({ job: job.key, what }, "its repository is not where it was");
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
      if (error instanceof OutOfReach && error.why === "gone") await look(job);
      throw error;
    }
  };
}
