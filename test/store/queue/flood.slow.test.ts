// One account with thousands of reviews that wait, seen from twenty others: how much longer theirs
// take. Time is counted, not waited for.
import { expect, test } from "vitest";
import type { ReviewJob } from "../../../src/domain/job.ts";
import type { Lease } from "../../../src/ports.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";
import { sqliteHarness } from "../store-harness.ts";

const NIGHTLY = process.env.NIGHTLY === "1";
const NOISE = NIGHTLY ? 5_000 : 400;
if (!NIGHTLY) console.warn("skipped: 4,600 of the flood's 5,000 reviews; NIGHTLY=1 has all");
/** As a server has without a word. */
const HANDS = 2;
const REVIEW_MS = 30_000;
const NOISY = 1;
const [ACCOUNTS, EACH] = [20, 5];

interface Arrival {
  readonly job: ReviewJob;
  readonly at: number;
}

/** A review in the only repository of an account. */
function reviewOf(number: number, head: string, account: number): ReviewJob {
  const job = reviewJob(number, head, account);
  return { ...job, repo: { ...job.repo, ownerId: account } };
}

/** What the others ask for, one review every so many milliseconds, each account in turn. */
function others(everyMs: number): readonly Arrival[] {
  return Array.from({ length: ACCOUNTS * EACH }, (_, at) => ({
    job: reviewOf(1 + Math.floor(at / ACCOUNTS), "b", 2 + (at % ACCOUNTS)),
    at: 1_000 + at * everyMs,
  }));
}

function flood(): readonly Arrival[] {
  return Array.from({ length: NOISE }, (_, at) => ({ job: reviewOf(at + 1, "a", NOISY), at: 1 }));
}

/** The 95th percentile of milliseconds from arrival to end, of all but the noisy account. */
async function ninetyFifth(arrivals: readonly Arrival[]): Promise<number> {
  const harness = await sqliteHarness();
  const queue = harness.queue();
  const waiting = [...arrivals].sort((a, b) => a.at - b.at);
  const came = new Map(arrivals.map(({ job, at }) => [job.key, at]));
  const running: { readonly lease: Lease; readonly until: number }[] = [];
  const took: number[] = [];
  const wanted = arrivals.filter(({ job }) => job.repo.id !== NOISY).length;
  for (let now = 1; took.length < wanted; ) {
    for (const one of running.filter(({ until }) => until <= now)) {
      running.splice(running.indexOf(one), 1);
      await queue.end(one.lease, now, { state: "done", outcome: "posted" });
      const { key, repo } = one.lease.job;
      if (repo.id !== NOISY) took.push(now - (came.get(key) ?? 0));
    }
    while ((waiting[0]?.at ?? Number.POSITIVE_INFINITY) <= now) {
      const { job, at } = waiting.shift() as Arrival;
      await queue.accept({ id: job.delivery, event: "pull_request", receivedAt: at, meaning: null }, job);
    }
    for (let lease = null as Lease | null; running.length < HANDS; ) {
      lease = await queue.lease(now);
      if (lease === null) break;
      running.push({ lease, until: now + REVIEW_MS });
    }
    now = Math.min(...running.map(({ until }) => until), waiting[0]?.at ?? Number.POSITIVE_INFINITY);
  }
  await harness.close();
  return took.sort((a, b) => a - b)[Math.ceil(took.length * 0.95) - 1] ?? 0;
}

test.each([
  ["all at once", 0],
  ["at two thirds of what can be reviewed", (1.5 * REVIEW_MS) / HANDS],
  ["one at a time, with hands free", REVIEW_MS],
])("beside a flood the others' reviews take at most twice as long when they come %s [R28]", async (name, everyMs) => {
  const quiet = await ninetyFifth(others(everyMs));
  const loud = await ninetyFifth([...flood(), ...others(everyMs)]);
  console.warn(`${name}: 95 % within ${quiet / 1_000} s, beside ${NOISE} of one account ${loud / 1_000} s`);
  expect(loud).toBeLessThanOrEqual(2 * quiet);
});
