import { expect, test } from "vitest";
import { Transient } from "../src/domain/errors.ts";
import type { ReviewJob } from "../src/domain/job.ts";
import type { JobEnd } from "../src/ports.ts";
import { migrate } from "../src/store/migrate.ts";
import { storedQueue } from "../src/store/queue/queue.ts";
import { QUEUE_PART } from "../src/store/queue/schema.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { ATTEMPTS, startWorker } from "../src/worker.ts";
import { reviewJob } from "./adapters/contracts/queue.ts";

/**
 * A worker over a real queue and a clock that the test moves; `work` is what the world does to a
 * job.
 */
async function world(
  work: (job: ReviewJob, attempt: number, now: number) => Promise<string>,
  jobs: ReviewJob[],
  parallel = 1,
  chance = 0,
) {
  let now = 1_000;
  const db = openSqlite(":memory:", { now: () => now });
  await migrate(db, [QUEUE_PART], "the queue");
  const queue = storedQueue(db);
  for (const job of jobs)
    await queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 1, meaning: null }, job);
  const ends: JobEnd[] = [];
  let ended: (() => void) | undefined;
  const worker = startWorker(
    {
      queue,
      onLost: () => undefined,
      limits: () => null,
      run: ({ job, attempt }) => work(job as ReviewJob, attempt, now),
      onEnd: (_lease, end) => {
        ends.push(end);
        if (end.state === "retry") now += end.inMs;
        ended?.();
      },
      now: () => now,
      random: () => chance,
    },
    parallel,
  );
  const after = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => ends.length >= count && resolve();
      ended = look;
      look();
    });
  return { worker, queue, ends, after };
}

test("a job that fails for now is tried again, later each time, and succeeds", async () => {
  const { worker, ends, after } = await world(
    async (_job, attempt) => {
      if (attempt < 3) throw new Transient("GitHub answered 502");
      return "posted";
    },
    [reviewJob(1, "a")],
  );
  await after(3);
  expect(ends.map((end) => end.state)).toEqual(["retry", "retry", "done"]);
  expect(ends[0]).toMatchObject({ inMs: 2_500, reason: "Transient: GitHub answered 502" });
  expect(ends[1]).toMatchObject({ inMs: 5_000 });
  await worker.stop(1_000);
});

test("a wait that chance made uneven is recorded like any other", async () => {
  const work = async (_job: ReviewJob, attempt: number) => {
    if (attempt < 3) throw new Transient("GitHub answered 502");
    return "posted";
  };
  const { worker, ends, after } = await world(work, [reviewJob(1, "a")], 1, 1 / 3);
  await after(3);
  expect(ends.map((end) => end.state)).toEqual(["retry", "retry", "done"]);
  expect(ends[0]).toMatchObject({ inMs: 3_334, reason: "Transient: GitHub answered 502" });
  await worker.stop(1_000);
});

test("no request is sent before the time that a rate limit names [R8]", async () => {
  const { worker, ends, after } = await world(async () => {
    throw new Transient("GitHub answered 403", 99_000);
  }, [reviewJob(1, "a")]);
  await after(1);
  expect(ends[0]).toMatchObject({ state: "retry", inMs: 98_000 });
  await worker.stop(1_000);
});

test("a time that is named is waited for, however often the job was tried before", async () => {
  const { worker, ends, after } = await world(
    async (_job, attempt, now) => {
      if (attempt < 10) throw new Transient("GitHub answered 502");
      throw new Transient("it is not known yet whether a review has arrived", now + 2_000);
    },
    [reviewJob(1, "a")],
  );
  await after(10);
  const wait = (end: JobEnd | undefined) => (end?.state === "retry" ? end.inMs : Number.NaN);
  expect(wait(ends[9])).toBeGreaterThanOrEqual(2_000);
  expect(wait(ends[9])).toBeLessThanOrEqual(60_000);
  expect(wait(ends[8])).toBeGreaterThan(300_000);
  await worker.stop(1_000);
});

test("a job that never succeeds is parked with its cause, and the worker goes on [R27]", async () => {
  const { worker, queue, ends, after } = await world(
    async (job) => {
      if (job.number === 1) throw new Transient("GitHub answered 503");
      return "posted";
    },
    [reviewJob(1, "a"), reviewJob(2, "b")],
  );
  await after(ATTEMPTS + 1);
  expect(ends.find((end) => end.state === "parked")).toMatchObject({
    reason: expect.stringContaining(`gave up after ${ATTEMPTS} attempts`),
  });
  expect(ends.find((end) => end.state === "done")).toMatchObject({ outcome: "posted" });
  expect((await queue.counts()).parked).toBe(1);
  await worker.stop(1_000);
});

test("a bug parks its job at once", async () => {
  const { worker, ends, after } = await world(async () => {
    throw new RangeError("Invalid array length");
  }, [reviewJob(1, "a")]);
  await after(1);
  expect(ends).toEqual([{ state: "parked", reason: "RangeError: Invalid array length" }]);
  await worker.stop(1_000);
});

test("stopping lets the running job end and starts no other [R21]", async () => {
  let release: (() => void) | undefined;
  const started: number[] = [];
  const { worker, queue, ends } = await world(
    async (job) => {
      started.push(job.number);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return "posted";
    },
    [reviewJob(1, "a"), reviewJob(2, "b")],
  );
  while (release === undefined) await new Promise((resolve) => setImmediate(resolve));
  const stopped = worker.stop(30_000);
  (release as () => void)();
  await stopped;
  expect(started).toEqual([1]);
  expect(ends).toHaveLength(1);
  expect(await queue.counts()).toEqual({ waiting: 1, running: 0, parked: 0 });
});

test("what is taken at the moment of the stop is given back, and is not begun", async () => {
  const started: number[] = [];
  const { worker, queue, ends } = await world(
    async (job) => {
      started.push(job.number);
      return "posted";
    },
    [reviewJob(1, "a")],
  );
  await worker.stop(30_000);
  expect(started).toEqual([]);
  expect(ends).toEqual([]);
  expect(await queue.counts()).toEqual({ waiting: 1, running: 0, parked: 0 });
});

test("several pull requests are reviewed side by side, up to the limit", async () => {
  let most = 0;
  let running = 0;
  const { worker, after } = await world(
    async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
      return "posted";
    },
    [1, 2, 3, 4, 5].map((number) => reviewJob(number, "a")),
    2,
  );
  await after(5);
  expect(most).toBe(2);
  await worker.stop(1_000);
});
