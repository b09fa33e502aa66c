// The queue in its file: what is on disk, and what a lock or a full disk does to it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Lease } from "../../../src/ports.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openQueueFile } from "../../../src/store/queue/clock.ts";
import { storedInbox } from "../../../src/store/queue/deliveries.ts";
import { fenced } from "../../../src/store/queue/lease-fence.ts";
import { storedQueue } from "../../../src/store/queue/queue.ts";
import { QUEUE_PART } from "../../../src/store/queue/schema.ts";
import { openSqlite, type SqliteDatabase } from "../../../src/store/sqlite.ts";
import { arrival } from "../../adapters/contracts/inbox.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-queue-"));
  folders.push(folder);
  return join(folder, "queue.db");
}

function rows(db: SqliteDatabase): Promise<readonly unknown[]> {
  return db.all("SELECT id FROM deliveries ORDER BY id");
}

const TRANSIENT = expect.objectContaining({ name: "Transient" });

test("a job outlives the process that accepted it, and every open syncs commits to disk [R1]", async () => {
  const path = file();
  const first = await openQueueFile(path);
  const job = reviewJob(1, "a");
  await storedQueue(first).accept({ id: job.delivery, event: "pull_request", receivedAt: 1, meaning: null }, job);
  await first.close();
  // A reopened write-ahead log does not sync by itself.
  for (let opens = 0; opens < 3; opens += 1) {
    const again = await openQueueFile(path);
    expect(again.connection.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(again.connection.pragma("synchronous", { simple: true })).toBe(2);
    if (opens === 2) expect((await storedQueue(again).lease())?.job).toEqual(job);
    await again.close();
  }
});

test("a database of a newer Kodiai is refused and left as it is [R24]", async () => {
  const path = file();
  const newer = openSqlite(path, { now: Date.now });
  await migrate(
    newer,
    [{ ...QUEUE_PART, steps: [...QUEUE_PART.steps, () => "CREATE TABLE later (x INTEGER);\n"] }],
    path,
  );
  await newer.close();
  await expect(openQueueFile(path)).rejects.toThrow(/newer than the \d+ that this Kodiai knows/);
});

test("jobs and deliveries are still there after an upgrade of the schema [R24]", async () => {
  const path = file();
  const before = await openQueueFile(path);
  const job = reviewJob(1, "a");
  const delivery = { id: job.delivery, event: "pull_request", receivedAt: 1, meaning: null };
  await storedQueue(before).accept(delivery, job);
  await before.close();
  const after = openSqlite(path, { now: Date.now });
  const next = () => "ALTER TABLE jobs ADD COLUMN colour TEXT;\n";
  await migrate(after, [{ ...QUEUE_PART, steps: [...QUEUE_PART.steps, next] }], path);
  const queue = storedQueue(after);
  expect(await queue.accept(delivery, job)).toBe(false);
  expect((await queue.lease())?.job).toEqual(job);
  await after.close();
});

test("a lock that another process holds is worth another try, and nothing waits for it on the event loop", async () => {
  const path = file();
  const mine = await openQueueFile(path);
  const theirs = await openQueueFile(path);
  theirs.connection.exec("BEGIN IMMEDIATE");
  const inbox = storedInbox(mine);
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 10);
  for (const ask of [() => inbox.take([arrival()]), () => inbox.probe(1), () => storedQueue(mine).heartbeat()])
    await expect(ask()).rejects.toThrow(TRANSIENT);
  clearInterval(counting);
  expect(turns).toBeGreaterThan(3);
  theirs.connection.exec("ROLLBACK");
  expect(await inbox.take([arrival()])).toEqual([true]);
  await mine.close();
  await theirs.close();
});

test("on a full disk a job keeps its place, and its end is recorded once there is free space", async () => {
  const db = await openQueueFile(file());
  const [queue, job] = [storedQueue(db), reviewJob(1, "a")];
  await queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 1, meaning: null }, job);
  const lease = (await queue.lease()) as Lease;
  db.connection.pragma(`max_page_count = ${db.connection.pragma("page_count", { simple: true })}`);
  const end = { state: "done", outcome: "posted ".repeat(20_000) } as const;
  await expect(queue.end(lease, end)).rejects.toThrow(TRANSIENT);
  const write = () =>
    fenced(db, lease, (tx) =>
      tx.run("INSERT INTO history (repo, progress) VALUES ('r', $1)", ["much ".repeat(20_000)]),
    );
  await expect(write()).rejects.toThrow(TRANSIENT);
  expect(await queue.leaseState(lease)).toBe("held");
  db.connection.pragma("max_page_count = 100000");
  expect(await queue.end(lease, end)).toBe(true);
  await db.close();
});

test("a store that is full or read-only says so, keeps what it has, and takes again when it can [R14]", async () => {
  const db = await openQueueFile(file());
  const inbox = storedInbox(db);
  const pages = Number(db.connection.pragma("page_count", { simple: true }));
  db.connection.pragma(`max_page_count = ${pages + 1}`);
  const many = Array.from({ length: 2_000 }, (_, index) => arrival({}, index + 1));
  await expect(inbox.take(many)).rejects.toThrow(
    expect.objectContaining({ name: "Transient", message: "the disk is full" }),
  );
  expect(await rows(db)).toEqual([]);
  db.connection.pragma("query_only = ON");
  await expect(inbox.probe(1)).rejects.toThrow(
    expect.objectContaining({ name: "Transient", message: "the disk is read-only" }),
  );
  db.connection.pragma("query_only = OFF");
  db.connection.pragma("max_page_count = 100000");
  await inbox.probe(1);
  expect(await inbox.take(many)).toEqual(many.map(() => true));
  expect(db.connection.pragma("integrity_check", { simple: true })).toBe("ok");
  await db.close();
});
