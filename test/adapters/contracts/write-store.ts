import { beforeEach, describe, expect, test } from "vitest";
import type { InstallationPace, OrphanWrites, Wanted, WriteStore, WriteTurn } from "../../../src/ports/writes.ts";
import type { Lease } from "../../../src/ports.ts";
import type { TimedQueue as Queue } from "../../builders/timed-queue.ts";
import { reviewJob } from "./queue.ts";

/** A store of writes with a queue beside it, and a clock that the test moves. */
export interface OpenedStore {
  readonly queue: Queue;
  readonly book: (lease: Lease) => WriteStore;
  readonly orphans: OrphanWrites;
  readonly pace: InstallationPace;
  readonly pass: (ms: number) => void | Promise<void>;
}

const POST = { id: 5, url: "https://github.com/acme/shop/pull/1#pullrequestreview-5" };

/** What every store promises about writes to GitHub. */
export function writeStoreContract(name: string, open: () => OpenedStore | Promise<OpenedStore>): void {
  describe(`${name} keeps the promises of a book of writes`, () => {
    let store: OpenedStore;
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
    beforeEach(async () => {
      store = await open();
      await store.queue.accept({ id: `d-${Math.random()}`, event: "pull_request", receivedAt: 1, meaning: null }, job);
      lease = (await store.queue.lease(1)) as Lease;
    });

    test("what is sent stays sent until its outcome is known, and is then never sent again", async () => {
      const book = store.book(lease);
      expect(await book.state(wanted)).toEqual({ state: "new" });
      await book.send(wanted, "m1");
      await store.pass(400);
      expect(await store.book(lease).state(wanted)).toEqual({ state: "sent", marker: "m1", agoMs: 400 });
      await book.posted(wanted, POST);
      expect(await store.book(lease).state(wanted)).toEqual({ state: "posted", post: POST });
      // Another head, kind, place or subject is another matter.
      const others = [{ headSha: "b".repeat(40) }, { kind: "file" }, { number: 2 }, { subject: "s2" }] as const;
      for (const other of others) expect(await book.state({ ...wanted, ...other })).toEqual({ state: "new" });
      // A name is not.
      const renamed = { ...wanted, repo: { ...job.repo, name: "store" } };
      expect((await book.state(renamed)).state).toBe("posted");
    });

    test("what GitHub refused may be sent again", async () => {
      const book = store.book(lease);
      await book.send(wanted, "m1");
      await book.refused(wanted);
      expect(await book.state(wanted)).toEqual({ state: "new" });
    });

    test("a process that lost its job sends nothing; what it sent before is still known", async () => {
      const book = store.book(lease);
      await book.send(wanted, "m1");
      await store.queue.leave(2);
      const next = (await store.queue.lease(3)) as Lease;
      await expect(book.send({ ...wanted, subject: "s2" }, "m2")).rejects.toThrow("another process has taken the job");
      await expect(book.refused(wanted)).rejects.toThrow("another process has taken the job");
      await expect(book.hold()).rejects.toThrow("another process has taken the job");
      await expect(store.book(next).hold()).resolves.toBeUndefined();
      await book.posted(wanted, POST);
      expect(await store.book(next).state(wanted)).toEqual({ state: "posted", post: POST });
    });

    test("a write is an orphan once its job has ended, and no more when its outcome is known", async () => {
      const book = store.book(lease);
      await book.send(wanted, "m1");
      expect(await store.orphans.orphans(10)).toEqual([]);
      await store.queue.end(lease, 4, { state: "parked", reason: "bug" });
      const [orphan] = await store.orphans.orphans(10);
      expect(orphan).toMatchObject({ wanted, marker: "m1" });
      if (orphan !== undefined) await store.orphans.settle(orphan, POST);
      expect(await store.orphans.orphans(10)).toEqual([]);
      expect(await book.state(wanted)).toEqual({ state: "posted", post: POST });
    });

    test("one writes to an installation at a time, a second after the end of the last; others are not held up [R8]", async () => {
      const { pace } = store;
      const turn = (await pace.takeTurn(7, 31_000)) as WriteTurn;
      expect(await pace.takeTurn(7, 31_000)).toBeNull();
      expect(await pace.takeTurn(8, 31_000)).not.toBeNull();
      // However long a write takes.
      await store.pass(30_000);
      expect(await pace.takeTurn(7, 31_000)).toBeNull();
      await pace.endTurn(turn, 1_000);
      await store.pass(999);
      expect(await pace.takeTurn(7, 31_000)).toBeNull();
      await store.pass(1);
      expect(await pace.takeTurn(7, 31_000)).not.toBeNull();
    });

    test("the turn of a process that never returns expires, and is not given back twice", async () => {
      const { pace } = store;
      const lost = (await pace.takeTurn(7, 31_000)) as WriteTurn;
      await store.pass(31_000);
      const next = (await pace.takeTurn(7, 31_000)) as WriteTurn;
      await pace.endTurn(lost, 1_000);
      await store.pass(2_000);
      expect(await pace.takeTurn(7, 31_000)).toBeNull();
      await pace.endTurn(next, 1_000);
      await pace.endTurn(next, 60_000);
      await store.pass(1_000);
      expect(await pace.takeTurn(7, 31_000)).not.toBeNull();
    });

    test("a turn is kept while no other process has it, also beyond its time", async () => {
      const { pace } = store;
      const turn = (await pace.takeTurn(7, 31_000)) as WriteTurn;
      await store.pass(30_000);
      expect(await pace.keepTurn(turn, 31_000)).toBe(true);
      await store.pass(30_000);
      expect(await pace.takeTurn(7, 31_000)).toBeNull();
      await store.pass(10_000);
      expect(await pace.keepTurn(turn, 31_000)).toBe(true);
      await store.pass(31_000);
      const next = (await pace.takeTurn(7, 31_000)) as WriteTurn;
      expect(await pace.keepTurn(turn, 31_000)).toBe(false);
      expect(await pace.keepTurn(next, 31_000)).toBe(true);
      await pace.endTurn(next, 1_000);
      expect(await pace.keepTurn(next, 31_000)).toBe(false);
    });

    test("an installation that is closed stays so for as long as GitHub said, and its jobs wait [R8]", async () => {
      const { pace, queue } = store;
      await queue.end(lease, 4, { state: "done", outcome: "posted" });
      await pace.close(7, 60_000);
      await pace.close(7, 1_000);
      expect(await pace.closedFor(7)).toBe(60_000);
      expect(await pace.closedFor(8)).toBe(0);
      const other = { ...reviewJob(9, "c", 43), installationId: 8 };
      for (const one of [reviewJob(2, "b"), other])
        await queue.accept({ id: one.delivery, event: "pull_request", receivedAt: 5, meaning: null }, one);
      expect(await queue.lease(10)).toMatchObject({ job: { number: 9 } });
      expect(await queue.lease(10)).toBeNull();
      await store.pass(60_000);
      expect(await pace.closedFor(7)).toBe(0);
      expect(await queue.lease(70_000)).toMatchObject({ job: { number: 2 } });
    });
  });
}
