// Runs a maintenance job of a repository, and enqueues a continuation when one run is not enough.
import { type FollowJob, type LabelJob, type UpkeepJob, upkeepKey } from "../domain/job.ts";
import {
  type Followed,
  type FollowPorts,
  followedLine,
  followRepository,
} from "../flows/repository/follow-repository.ts";
import type { Queue } from "../ports.ts";

/** How long an import waits when GitHub does not say when its rate limit resets. */
const DEFAULT_WAIT_MS = 10 * 60_000;

/** Returns one line on how it ended; other jobs run before the rest. Throws as followRepository. */
export async function runFollow(job: FollowJob, queue: Pick<Queue, "accept">, ports: FollowPorts): Promise<string> {
  const done = await followRepository(job, ports);
  const now = ports.now();
  const next = nextOf(job, done, now);
  const add = async (place: string, jobs: readonly UpkeepJob[]): Promise<void> => {
    const { delivery, key } = job;
    // One delivery may concern many repositories.
    const received = { id: `${delivery}>${key}>${place}`, event: "continued", receivedAt: now, meaning: null };
    if (jobs.length > 0) await queue.accept(received, { kind: "upkeep", delivery, jobs });
  };
  if (next !== null) await add(next.place, [next.job]);
  await add("defaults", await labelsByDefaults(job, ports));
  return followedLine(done);
}

const DEFAULTS_REPOSITORY = ".github";

/** A push to the owner's defaults may change what its repositories share: each is read again. */
async function labelsByDefaults(job: FollowJob, { labels }: FollowPorts): Promise<readonly LabelJob[]> {
  if (job.kind !== "index" || job.repo.name !== DEFAULTS_REPOSITORY) return [];
  const { delivery, installationId } = job;
  const isOther = ({ host, id, ownerId }: LabelJob["repo"]) =>
    host === job.repo.host && ownerId === job.repo.ownerId && id !== job.repo.id;
  return (await labels.all()).filter(isOther).map((repo) => {
    return { kind: "label", trigger: "defaults", repo, key: upkeepKey(repo, "label"), delivery, installationId };
  });
}

/**
 * The job that continues it, and what tells it from the delivery's other jobs; null when one run
 * was enough. An interrupted import and an unconfirmed removal continue later.
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
