// Runs a maintenance job of a repository, and enqueues a continuation when one run is not enough.
import { type FollowJob, type LabelJob, upkeepKey } from "../domain/job.ts";
import {
  type Followed,
  type FollowPorts,
  followedLine,
  followRepository,
} from "../flows/repository/follow-repository.ts";
import type { Queue } from "../ports.ts";

/** How long an import waits when GitHub does not say when its rate limit resets. */
const DEFAULT_WAIT_MS = 10 * 60_000;

/** Returns one line on how it ended; other jobs run before the continuation. Throws as followRepository does. */
export async function runFollow(job: FollowJob, queue: Pick<Queue, "accept">, ports: FollowPorts): Promise<string> {
  const done = await followRepository(job, ports);
  const now = ports.now();
  const next = nextOf(job, done, now);
  if (next !== null) {
    // One delivery may concern many repositories.
    const id = `${job.delivery}>${job.key}>${next.place}`;
    const received = { id, event: "continued", receivedAt: now, meaning: null };
    await queue.accept(received, { kind: "upkeep", delivery: job.delivery, jobs: [next.job] });
  }
  await followDefaults(job, queue, ports);
  return followedLine(done);
}

const DEFAULTS_REPOSITORY = ".github";

/** A push to the owner's defaults may change the sharing settings of any of its repositories: each is read again. */
async function followDefaults(
  job: FollowJob,
  queue: Pick<Queue, "accept">,
  { labels, now }: FollowPorts,
): Promise<void> {
  if (job.kind !== "index" || job.repo.name !== DEFAULTS_REPOSITORY) return;
  const isOther = ({ host, id, ownerId }: LabelJob["repo"]) =>
    host === job.repo.host && ownerId === job.repo.ownerId && id !== job.repo.id;
  const jobs = (await labels.all()).filter(isOther).map((repo): LabelJob => {
    const { delivery, installationId } = job;
    return { kind: "label", trigger: "defaults", repo, key: upkeepKey(repo, "label"), delivery, installationId };
  });
  if (jobs.length === 0) return;
  const received = { id: `${job.delivery}>${job.key}>defaults`, event: "continued", receivedAt: now(), meaning: null };
  await queue.accept(received, { kind: "upkeep", delivery: job.delivery, jobs });
}

/**
 * The job that continues it, and what distinguishes that from the delivery's other jobs; null when one run was enough. An import
 * that was interrupted, and a removal that GitHub did not confirm, continue later.
 */
function nextOf(
  job: FollowJob,
  done: Followed,
  now: number,
): { readonly job: FollowJob; readonly place: string } | null {
  if (job.kind === "index" || job.kind === "describe") {
    if ((done.kind !== "indexed" && done.kind !== "described") || done.next === null) return null;
    return { job: { ...job, trigger: "continued", after: done.next }, place: done.next };
  }
  if (job.kind === "forget" && done.kind === "unconfirmed") {
    const notBefore = now + done.inMs;
    return { job: { ...job, asked: job.asked + 1, notBefore }, place: String(notBefore) };
  }
  if (job.kind !== "history" || done.kind !== "history" || done.stopped === null) return null;
  const { by, until } = done.stopped;
  const notBefore = by === "bound" ? now : Math.max(now, until ?? now + DEFAULT_WAIT_MS);
  return { job: { ...job, trigger: "continued", notBefore }, place: String(notBefore) };
}
