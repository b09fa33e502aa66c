import { beforeEach, describe, expect, test } from "vitest";
import type { InstallationPace, OrphanWrites, Wanted, WriteBook } from "../../../src/ports/writes.ts";
import type { Lease, Queue } from "../../../src/ports.ts";
import { reviewJob } from "./queue.ts";

/** A store of writes with a queue beside it, and a clock that the test moves. */
export interface WriteStore {
  readonly queue: Queue;
  readonly book: (lease: Lease) => WriteBook;
  readonly orphans: OrphanWrites;
  readonly pace: InstallationPace;
  readonly pass: (ms: number) => void;
}

const POST = { id: 5, url: "https://github.com/acme/shop/pull/1#pullrequestreview-5" };

/** What every store promises about writes to GitHub. */
export function writeBookContract(name: string, open: () => WriteStore): void {
  describe(`${name} keeps the promises of a book of writes`, () => {
    let store: WriteStore;
    let lease: Lease;
    const job = reviewJob(1, "a");
    const wanted: Wanted = {
      kind: "review",
      repo: job.repo,
      installationId: 7,
      number: 1,
      headSha: job.headSha,
      subject: "s1",
    };
    beforeEach(() => {
      store = open();
      store.queue.accept({ id: `d-${Math.random()}`, event: "pull_request", receivedAt: 1 }, job);
      lease = store.queue.lease(1) as Lease;
    });

    test("what is sent stays sent until its outcome is known, and is then never sent again", () => {
      const book = store.book(lease);
      expect(book.standing(wanted)).toEqual({ state: "new" });
      book.send(wanted, "m1");
      store.pass(400);
      expect(store.book(lease).standing(wanted)).toEqual({ state: "sent", marker: "m1", agoMs: 400 });
      book.posted(wanted, POST);
      expect(store.book(lease).standing(wanted)).toEqual({ state: "posted", post: POST });
      // Another head, kind, place or subject is another matter.
      const others = [{ headSha: "b".repeat(40) }, { kind: "file" }, { number: 2 }, { subject: "s2" }] as const;
      for (const other of others) expect(book.standing({ ...wanted, ...other })).toEqual({ state: "new" });
      // A name is not.
      const renamed = { ...wanted, repo: { ...job.repo, name: "store" } };
      expect(book.standing(renamed).state).toBe("posted");
    });

    test("what GitHub refused may be sent again", () => {
      const book = store.book(lease);
      book.send(wanted, "m1");
      book.refused(wanted);
      expect(book.standing(wanted)).toEqual({ state: "new" });
    });

    test("whoever lost the job sends nothing; what it had sent before is known all the same", () => {
      const book = store.book(lease);
      book.send(wanted, "m1");
      store.queue.leave(2);
      const next = store.queue.lease(3) as Lease;
      expect(() => book.send({ ...wanted, subject: "s2" }, "m2")).toThrow("another process has taken the job");
      expect(() => book.refused(wanted)).toThrow("another process has taken the job");
      expect(() => book.hold()).toThrow("another process has taken the job");
      expect(() => store.book(next).hold()).not.toThrow();
      book.posted(wanted, POST);
      expect(store.book(next).standing(wanted)).toEqual({ state: "posted", post: POST });
    });

    test("a write is an orphan once its job has ended, and no more when its outcome is known", () => {
      const book = store.book(lease);
      book.send(wanted, "m1");
      expect(store.orphans.orphans(10)).toEqual([]);
      store.queue.end(lease, 4, { state: "dead", reason: "bug" });
      const [orphan] = store.orphans.orphans(10);
      expect(orphan).toMatchObject({ wanted, marker: "m1" });
      if (orphan !== undefined) store.orphans.settle(orphan, POST);
      expect(store.orphans.orphans(10)).toEqual([]);
      expect(book.standing(wanted)).toEqual({ state: "posted", post: POST });
    });

    test("writes of an installation are spaced out, those of another are not held up", () => {
      const { pace } = store;
      expect([1, 2, 3].map(() => pace.writeIn(7, 1_000))).toEqual([0, 1_000, 2_000]);
      expect(pace.writeIn(8, 1_000)).toBe(0);
      store.pass(5_000);
      expect(pace.writeIn(7, 1_000)).toBe(0);
    });

    test("an installation that is closed stays so for as long as GitHub said, and its jobs wait", () => {
      const { pace, queue } = store;
      queue.end(lease, 4, { state: "done", outcome: "posted" });
      pace.close(7, 60_000);
      pace.close(7, 1_000);
      expect(pace.closedFor(7)).toBe(60_000);
      expect(pace.closedFor(8)).toBe(0);
      const other = { ...reviewJob(9, "c", 43), installationId: 8 };
      for (const one of [reviewJob(2, "b"), other])
        queue.accept({ id: one.delivery, event: "pull_request", receivedAt: 5 }, one);
      expect(queue.lease(10)).toMatchObject({ job: { number: 9 } });
      expect(queue.lease(10)).toBeNull();
      store.pass(60_000);
      expect(pace.closedFor(7)).toBe(0);
      expect(queue.lease(70_000)).toMatchObject({ job: { number: 2 } });
    });
  });
}
