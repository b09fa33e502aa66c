import { expect, test } from "vitest";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteInstallationPace } from "../../../src/adapters/sqlite/installation-pace.ts";
import { sqliteJobShelf } from "../../../src/adapters/sqlite/job-shelf.ts";
import { sqliteLedger } from "../../../src/adapters/sqlite/ledger.ts";
import { sqliteQueue } from "../../../src/adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { sqliteOrphanWrites, sqliteWriteBook } from "../../../src/adapters/sqlite/write-book.ts";
import type { Lease } from "../../../src/ports.ts";
import { review } from "../contracts/ledger.ts";
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

test("a review that is written by whoever lost the job is not kept", () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  const queue = sqliteQueue(db);
  const job = reviewJob(1, "a");
  queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 1 }, job);
  const lost = queue.lease(1) as Lease;
  queue.leave(2);
  const held = queue.lease(3) as Lease;
  expect(() => sqliteLedger(db, lost).save(job, review("h1"), 4)).toThrow("another process has taken the job");
  expect(sqliteLedger(db).unsent(job)).toBeNull();
  sqliteLedger(db, held).save(job, review("h1"), 5);
  expect(() => sqliteLedger(db, lost).settle(job, review("h1"), 6, "posted")).toThrow("another process");
  expect(sqliteLedger(db).wasPosted(job, "h1", "base")).toBe(false);
});

test.each([3_600_000, -3_600_000])("a clock that jumps by %d ms starts no job twice and lets none starve", (step) => {
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
  for (const job of [running, waiting]) one.accept({ id: job.delivery, event: "pull_request", receivedAt: wall }, job);
  const first = one.lease(wall) as Lease;
  one.end(one.lease(wall) as Lease, wall, { state: "retry", at: wall + 10_000, reason: "502" });
  for (const queue of [one, other]) queue.beat(wall);
  wall += step;
  expect([one, other].map((queue) => queue.beat(wall))).toEqual([0, 0]);
  expect(other.lease(wall)).toBeNull();
  expect(one.holds(first)).toBe(true);
  expect((one.nextAt() ?? 0) - wall).toBe(10_000);
  tick(10_000);
  expect(other.lease(wall)).toMatchObject({ job: waiting, attempt: 2 });
});

test("a parked job runs again when the operator says so, unless a later one took its place", () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  const queue = sqliteQueue(db);
  const jobs = sqliteJobShelf(db, () => 100);
  const job = reviewJob(1, "a");
  queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 1 }, job);
  const lease = queue.lease(1) as Lease;
  expect(jobs.retry(lease.id)).toEqual({ kind: "refused", reason: "it is running" });
  queue.end(lease, 2, { state: "dead", reason: "RangeError: Invalid array length" });
  expect(jobs.list(["dead"], 10)).toMatchObject([{ id: lease.id, outcome: "RangeError: Invalid array length" }]);
  expect(jobs.retry(lease.id)).toEqual({ kind: "changed" });
  const again = queue.lease(100) as Lease;
  expect(again).toMatchObject({ job, attempt: 1 });
  queue.end(again, 101, { state: "dead", reason: "again" });
  const later = reviewJob(1, "b");
  queue.accept({ id: later.delivery, event: "pull_request", receivedAt: 102 }, later);
  expect(jobs.retry(lease.id)).toMatchObject({ kind: "refused" });
  expect(jobs.drop(lease.id, "dropped")).toEqual({ kind: "changed" });
  expect(jobs.find(lease.id)).toMatchObject({ state: "cancelled", outcome: "dropped; before: again" });
});
