import { beforeEach, describe, expect, test } from "vitest";
import type { JobAdmin } from "../../../src/ports/jobs.ts";
import type { Lease } from "../../../src/ports.ts";
import type { TimedQueue as Queue, TimedEnd } from "../../builders/timed-queue.ts";
import { reviewJob } from "./queue.ts";

export interface OpenJobs {
  readonly queue: Queue;
  readonly admin: JobAdmin;
}

/** What every JobAdmin promises. Clocks stand at 1,000 wherever nothing else is said. */
export function jobAdminContract(name: string, open: () => Promise<OpenJobs>): void {
  describe(`${name} keeps the promises of job administration`, () => {
    let queue: Queue;
    let admin: JobAdmin;
    beforeEach(async () => {
      ({ queue, admin } = await open());
    });

    async function add(number: number, head = "a"): Promise<number> {
      const job = reviewJob(number, head);
      await queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 1_000, meaning: null }, job);
      const [newest] = await admin.list(["waiting"], 1);
      return newest?.id ?? 0;
    }
    const lease = async (now = 1_000) => (await queue.lease(now)) as Lease;
    const ends = async (end: TimedEnd) => {
      const held = await lease();
      await queue.end(held, 1_000, end);
      return held.id;
    };

    test("jobs are listed by their states, newest first, as many as one asks for", async () => {
      const parked = await add(1).then(() => ends({ state: "parked", reason: "TypeError: a bug" }));
      await add(2);
      const held = await lease();
      const waiting = [await add(3), await add(4)];
      expect((await admin.list(["waiting", "running", "parked"], 10)).map(({ id }) => id)).toEqual(
        [parked, held.id, ...waiting].toReversed(),
      );
      expect(await admin.list(["waiting"], 1)).toMatchObject([
        {
          id: waiting[1],
          lane: "review",
          state: "waiting",
          job: { number: 4 },
          attempt: 0,
          deaths: 0,
          dueInMs: 0,
          ageMs: 0,
        },
      ]);
      expect(await admin.find(parked)).toMatchObject({
        state: "parked",
        attempt: 1,
        dueInMs: null,
        outcome: "TypeError: a bug",
      });
      expect(await admin.find(parked + 1_000)).toBeNull();
    });

    test("a job that was given up is tried again at once and as if for the first time", async () => {
      await add(1);
      const id = await ends({ state: "parked", reason: "a bug" });
      expect(await admin.retry(id)).toEqual({ kind: "changed" });
      expect(await admin.find(id)).toMatchObject({ state: "waiting", attempt: 0, dueInMs: 0 });
      // Whoever moved it may know nothing of who delivers: the next beat sees to it.
      await queue.beat(1_000);
      expect(await lease()).toMatchObject({ id, attempt: 1 });
    });

    test("a job that waits for its next try need not wait", async () => {
      await add(1);
      const id = await ends({ state: "retry", at: 500_000, reason: "502" });
      expect(await admin.find(id)).toMatchObject({ dueInMs: 499_000, outcome: "502" });
      expect(await queue.lease(1_000)).toBeNull();
      await admin.retry(id);
      await queue.beat(1_000);
      expect(await lease()).toMatchObject({ id });
    });

    test("what runs is neither tried again nor dropped, and a job yields to a later one of its key", async () => {
      const id = await add(1);
      const held = await lease();
      expect(await admin.retry(id)).toEqual({ kind: "refused", reason: "it is running" });
      expect(await admin.drop(id, "no")).toMatchObject({ kind: "refused" });
      await queue.end(held, 1_000, { state: "parked", reason: "a bug" });
      await add(1, "b");
      expect(await admin.retry(id)).toEqual({
        kind: "refused",
        reason: "a later job of the same pull request or repository waits or runs",
      });
      expect(await admin.retry(9_999)).toEqual({ kind: "refused", reason: "there is no such job" });
      expect(await admin.drop(9_999, "no")).toEqual({ kind: "refused", reason: "there is no such job" });
    });

    test("a dropped job never runs and has a reason; the next one runs", async () => {
      const id = await add(1);
      expect(await admin.drop(id, "dropped by hand")).toEqual({ kind: "changed" });
      expect(await queue.lease(1_000)).toBeNull();
      expect(await admin.find(id)).toMatchObject({ state: "cancelled", outcome: "dropped by hand" });
      expect(await admin.drop(id, "again")).toEqual({ kind: "refused", reason: "it is over: cancelled" });
      await add(2);
      const parked = await ends({ state: "parked", reason: "a bug" });
      await admin.drop(parked, "dropped by hand");
      expect(await admin.find(parked)).toMatchObject({ outcome: "dropped by hand; before: a bug" });
      const later = await add(1, "b");
      expect(await lease()).toMatchObject({ id: later });
    });
  });
}
