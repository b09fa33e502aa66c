// A job that follows a repository, to its end; what is too much for one run goes on as a job of its own.
import { type FollowJob, type LabelJob, upkeepKey } from "../domain/job.ts";
import {
  type Followed,
  type FollowPorts,
  followedLine,
  followRepository,
} from "../flows/repository/follow-repository.ts";
import type { Queue } from "../ports.ts";

/** How long an import waits where GitHub does not say when there are more requests. */
const UNTOLD_WAIT_MS = 10 * 60_000;

/** Returns one line on how it ended; others get their turn before it goes on. Throws as followRepository does. */
export async function runFollow(job: FollowJob, queue: Pick<Queue, "accept">, ports: FollowPorts): Promise<string> {
  const done = await followRepository(job, ports);
  const now = ports.now();
  const next = nextOf(job, done, now);
  if (next !== null) {
    // One delivery may be about many repositories.
    const received = { id: `${job.delivery}>${job.key}>${next.place}`, event: "continued", receivedAt: now };
    await queue.accept(received, { kind: "upkeep", delivery: job.delivery, jobs: [next.job] });
  }
  await followDefaults(job, queue, ports);
  return followedLine(done);
}

/** Where an owner keeps defaults for all repositories. */
const DEFAULTS_REPOSITORY = ".github";

/** A push to the owner's defaults may change what any of its repositories gives: each is asked again. */
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
  const received = { id: `${job.delivery}>${job.key}>defaults`, event: "continued", receivedAt: now() };
  await queue.accept(received, { kind: "upkeep", delivery: job.delivery, jobs });
}

interface Next {
  readonly job: FollowJob;
  /** Apart from all others of the delivery. */
  readonly place: string;
}

function nextOf(job: FollowJob, done: Followed, now: number): Next | null {
  if (job.kind === "index" || job.kind === "describe") {
    if ((done.kind !== "indexed" && done.kind !== "described") || done.next === null) return null;
    return { job: { ...job, trigger: "continued", after: done.next }, place: done.next };
  }
  const later = laterOf(job, done, now);
  return later === null ? null : { job: later, place: String(later.notBefore) };
}

/** What goes on when somebody else allows it. */
function laterOf(job: FollowJob, done: Followed, now: number): (FollowJob & { readonly notBefore: number }) | null {
  if (job.kind === "forget" && done.kind === "unconfirmed")
    return { ...job, asked: (job.asked ?? 0) + 1, notBefore: now + done.inMs };
  if (job.kind !== "history" || done.kind !== "history" || done.stopped === null) return null;
  const { by, until } = done.stopped;
  const notBefore = by === "bound" ? now : Math.max(now, until ?? now + UNTOLD_WAIT_MS);
  return { ...job, trigger: "continued", notBefore };
}
