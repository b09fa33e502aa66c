import { beforeEach, describe, expect, test } from "vitest";
import type { JobShelf } from "../../../src/ports/jobs.ts";
import type { JobEnd, Lease, Queue } from "../../../src/ports.ts";
import { reviewJob } from "./queue.ts";

export interface OpenShelf {
  readonly queue: Queue;
  readonly shelf: JobShelf;
}

/** What every JobShelf promises. Clocks stand at 1,000 wherever nothing else is said. */
export function jobShelfContract(name: string, open: () => Promise<OpenShelf>): void {
  describe(`${name} keeps the promises of a job shelf`, () => {
    let queue: Queue;
    let shelf: JobShelf;
    beforeEach(async () => {
      ({ queue, shelf } = await open());
    });

    async function add(number: number, head = "a"): Promise<number> {
      const job = reviewJob(number, head);
      await queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 1_000 }, job);
      const [newest] = await shelf.list(["waiting"], 1);
      return newest?.id ?? 0;
    }
    const lease = async (now = 1_000) => (await queue.lease(now)) as Lease;
    const ends = async (end: JobEnd) => {
      const held = await lease();
      await queue.end(held, 1_000, end);
      return held.id;
    };

    test("jobs are listed by their states, newest first, as many as one asks for", async () => {
      const dead = await add(1).then(() => ends({ state: "dead", reason: "TypeError: a bug" }));
      await add(2);
      const held = await lease();
      const waiting = [await add(3), await add(4)];
      expect((await shelf.list(["waiting", "running", "dead"], 10)).map(({ id }) => id)).toEqual(
        [dead, held.id, ...waiting].toReversed(),
      );
      expect(await shelf.list(["waiting"], 1)).toMatchObject([
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
      expect(await shelf.find(dead)).toMatchObject({
        state: "dead",
        attempt: 1,
        dueInMs: null,
        outcome: "TypeError: a bug",
      });
      expect(await shelf.find(dead + 1_000)).toBeNull();
    });

    test("a job that was given up is tried again at once and as if for the first time", async () => {
      await add(1);
      const id = await ends({ state: "dead", reason: "a bug" });
      expect(await shelf.retry(id)).toEqual({ kind: "changed" });
      expect(await shelf.find(id)).toMatchObject({ state: "waiting", attempt: 0, dueInMs: 0 });
      // Whoever moved it may know nothing of who delivers: the next beat sees to it.
      await queue.beat(1_000);
      expect(await lease()).toMatchObject({ id, attempt: 1 });
    });

    test("a job that waits for its next try need not wait", async () => {
      await add(1);
      const id = await ends({ state: "retry", at: 500_000, reason: "502" });
      expect(await shelf.find(id)).toMatchObject({ dueInMs: 499_000, outcome: "502" });
      expect(await queue.lease(1_000)).toBeNull();
      await shelf.retry(id);
      await queue.beat(1_000);
      expect(await lease()).toMatchObject({ id });
    });

    test("what runs is neither tried again nor dropped, and a job yields to a later one of its key", async () => {
      const id = await add(1);
      const held = await lease();
      expect(await shelf.retry(id)).toEqual({ kind: "refused", reason: "it is running" });
      expect(await shelf.drop(id, "no")).toMatchObject({ kind: "refused" });
      await queue.end(held, 1_000, { state: "dead", reason: "a bug" });
      await add(1, "b");
      expect(await shelf.retry(id)).toEqual({
        kind: "refused",
        reason: "a later job of the same pull request or repository waits or runs",
      });
      expect(await shelf.retry(9_999)).toEqual({ kind: "refused", reason: "there is no such job" });
      expect(await shelf.drop(9_999, "no")).toEqual({ kind: "refused", reason: "there is no such job" });
    });

    test("what was dropped never runs, and tells why; what comes after it does", async () => {
      const id = await add(1);
      expect(await shelf.drop(id, "dropped by hand")).toEqual({ kind: "changed" });
      expect(await queue.lease(1_000)).toBeNull();
      expect(await shelf.find(id)).toMatchObject({ state: "cancelled", outcome: "dropped by hand" });
      expect(await shelf.drop(id, "again")).toEqual({ kind: "refused", reason: "it is over: cancelled" });
      await add(2);
      const dead = await ends({ state: "dead", reason: "a bug" });
      await shelf.drop(dead, "dropped by hand");
      expect(await shelf.find(dead)).toMatchObject({ outcome: "dropped by hand; before: a bug" });
      const later = await add(1, "b");
      expect(await lease()).toMatchObject({ id: later });
    });
  });
}
