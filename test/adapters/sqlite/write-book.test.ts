import { expect, test } from "vitest";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteInstallationPace } from "../../../src/adapters/sqlite/installation-pace.ts";
import { sqliteJobShelf } from "../../../src/adapters/sqlite/job-shelf.ts";
import { sqliteQueue } from "../../../src/adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { sqliteOrphanWrites, sqliteWriteBook } from "../../../src/adapters/sqlite/write-book.ts";
import type { Lease } from "../../../src/ports.ts";
import { reviewJob } from "../contracts/queue.ts";
import { writeBookContract } from "../contracts/write-book.ts";

writeBookContract("the SQLite store", () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  let at = 0;
  const now = () => at;
  return {
    queue: sqliteQueue(db),
    book: (lease) => sqliteWriteBook(db, { held: lease, key: lease.job.key, now }),
    orphans: sqliteOrphanWrites(db, now),
    pace: sqliteInstallationPace(db, now),
    pass(ms) {
      at += ms;
    },
  };
});

test.each([3_600_000, -3_600_000])(
  "a clock that jumps by %d ms starts no job twice and lets none starve",
  async (step) => {
    const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
    // The wall clock is the caller's; the steady one goes on.
    let wall = 1_000_000_000;
    let steady = wall;
    const tick = (ms: number) => {
      wall += ms;
      steady += ms;
    };
    const [one, other] = [0, 1].map(() => sqliteQueue(db, { skew: () => steady - wall }));
    if (one === undefined || other === undefined) throw new Error("two queues");
    const [running, waiting] = [reviewJob(1, "a"), reviewJob(2, "b")];
    for (const job of [running, waiting])
      await one.accept({ id: job.delivery, event: "pull_request", receivedAt: wall }, job);
    const first = (await one.lease(wall)) as Lease;
    await one.end((await one.lease(wall)) as Lease, wall, { state: "retry", at: wall + 10_000, reason: "502" });
    for (const queue of [one, other]) await queue.beat(wall);
    wall += step;
    expect(await Promise.all([one, other].map((queue) => queue.beat(wall)))).toEqual([0, 0]);
    expect(await other.lease(wall)).toBeNull();
    expect(await one.holds(first)).toBe(true);
    expect(((await one.nextAt()) ?? 0) - wall).toBe(10_000);
    tick(10_000);
    expect(await other.lease(wall)).toMatchObject({ job: waiting, attempt: 2 });
  },
);

test("a parked job runs again when the operator says so, unless a later one took its place", async () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  const queue = sqliteQueue(db);
  const jobs = sqliteJobShelf(db, () => 100);
  const job = reviewJob(1, "a");
  await queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 1 }, job);
  const lease = (await queue.lease(1)) as Lease;
  expect(await jobs.retry(lease.id)).toEqual({ kind: "refused", reason: "it is running" });
  await queue.end(lease, 2, { state: "dead", reason: "RangeError: Invalid array length" });
  expect(await jobs.list(["dead"], 10)).toMatchObject([{ id: lease.id, outcome: "RangeError: Invalid array length" }]);
  expect(await jobs.retry(lease.id)).toEqual({ kind: "changed" });
  const again = (await queue.lease(100)) as Lease;
  expect(again).toMatchObject({ job, attempt: 1 });
  await queue.end(again, 101, { state: "dead", reason: "again" });
  const later = reviewJob(1, "b");
  await queue.accept({ id: later.delivery, event: "pull_request", receivedAt: 102 }, later);
  expect(await jobs.retry(lease.id)).toMatchObject({ kind: "refused" });
  expect(await jobs.drop(lease.id, "dropped")).toEqual({ kind: "changed" });
  expect(await jobs.find(lease.id)).toMatchObject({ state: "cancelled", outcome: "dropped; before: again" });
});

test("of two processes whose clocks are a little apart, one has the turn", async () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  const [ahead, behind] = [5, 0].map((by) => sqliteInstallationPace(db, () => 1_000_000 + by));
  expect(await ahead?.takeTurn(7, 31_000)).not.toBeNull();
  expect(await behind?.takeTurn(7, 31_000)).toBeNull();
  // Set back by more than any turn lasts: nobody waits for what an hour ahead was written.
  const later = sqliteInstallationPace(db, () => 1_000_000 - 3_600_000);
  expect(await later.takeTurn(7, 31_000)).not.toBeNull();
  db.close();
});
