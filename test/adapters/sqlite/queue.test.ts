import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteLedger } from "../../../src/adapters/sqlite/ledger.ts";
import { sqliteQueue } from "../../../src/adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import type { Review } from "../../../src/domain/review.ts";
import type { Lease } from "../../../src/ports.ts";
import { queueContract, reviewJob } from "../contracts/queue.ts";

let shared = openDatabase(":memory:", QUEUE_MIGRATIONS);
queueContract(
  "the SQLite queue",
  () => sqliteQueue(openDatabase(":memory:", QUEUE_MIGRATIONS)),
  (fresh = true) => {
    if (fresh) shared = openDatabase(":memory:", QUEUE_MIGRATIONS);
    return [sqliteQueue(shared), sqliteQueue(shared)];
  },
);

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-queue-"));
  folders.push(folder);
  return join(folder, "queue.db");
}

test("a job outlives the process that accepted it, and every open syncs commits to disk", async () => {
  const path = file();
  const first = openDatabase(path, QUEUE_MIGRATIONS);
  const job = reviewJob(1, "a");
  await sqliteQueue(first).accept({ id: job.delivery, event: "pull_request", receivedAt: 1 }, job);
  first.close();
  const again = openDatabase(path, QUEUE_MIGRATIONS);
  expect(again.pragma("synchronous", { simple: true })).toBe(2);
  expect((await sqliteQueue(again).lease(2))?.job).toEqual(job);
  again.close();
});

test("a database of a newer Kodiai is refused and left as it is", async () => {
  const path = file();
  openDatabase(path, [...QUEUE_MIGRATIONS, "CREATE TABLE later (x)"]).close();
  expect(() => openDatabase(path, QUEUE_MIGRATIONS)).toThrow(/newer than the \d+ that this Kodiai knows/);
});

test("a lock held by another process is worth another try", async () => {
  const path = file();
  const mine = openDatabase(path, QUEUE_MIGRATIONS);
  const theirs = openDatabase(path, QUEUE_MIGRATIONS);
  theirs.exec("BEGIN IMMEDIATE");
  mine.pragma("busy_timeout = 1");
  await expect(sqliteQueue(mine).beat(1)).rejects.toThrow(expect.objectContaining({ name: "Transient" }));
  theirs.exec("ROLLBACK");
  mine.close();
  theirs.close();
});

test("on a full disk a job keeps its place, and its end is written down once there is room", async () => {
  const db = openDatabase(file(), QUEUE_MIGRATIONS);
  const [queue, job] = [sqliteQueue(db), reviewJob(1, "a")];
  await queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 1 }, job);
  const lease = (await queue.lease(2)) as Lease;
  db.pragma(`max_page_count = ${db.pragma("page_count", { simple: true })}`);
  const end = { state: "done", outcome: "posted ".repeat(20_000) } as const;
  await expect(queue.end(lease, 3, end)).rejects.toThrow(expect.objectContaining({ name: "Transient" }));
  const save = () =>
    sqliteLedger(db, lease).save(
      job,
      { headSha: "a", baseSha: "b", text: "much ".repeat(20_000) } as unknown as Review,
      3,
    );
  await expect(save()).rejects.toThrow(expect.objectContaining({ name: "Transient" }));
  expect(await queue.holds(lease)).toBe(true);
  db.pragma("max_page_count = 100000");
  expect(await queue.end(lease, 4, end)).toBe(true);
  db.close();
});

test("jobs and deliveries of an earlier Kodiai are still there after an upgrade", async () => {
  const path = file();
  const before = openDatabase(path, QUEUE_MIGRATIONS.slice(0, 1));
  const job = reviewJob(1, "a");
  before.prepare("INSERT INTO deliveries VALUES (?, 'pull_request', 1, 'review', 'opened')").run(job.delivery);
  before
    .prepare("INSERT INTO jobs (key, job, state, run_at, created_at) VALUES (?, ?, 'waiting', 1, 1)")
    .run(job.key, JSON.stringify(job));
  before.close();
  const after = openDatabase(path, QUEUE_MIGRATIONS);
  const queue = sqliteQueue(after);
  expect(await queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 2 }, job)).toBe(false);
  expect(await queue.upkeep.lease(3)).toBeNull();
  expect((await queue.lease(3))?.job).toEqual(job);
  after.close();
});
