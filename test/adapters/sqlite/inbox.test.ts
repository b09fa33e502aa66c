import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Database, openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { expire } from "../../../src/adapters/sqlite/expire.ts";
import { sqliteInbox } from "../../../src/adapters/sqlite/inbox.ts";
import { sqliteQueue } from "../../../src/adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { arrival, inboxContract } from "../contracts/inbox.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-inbox-"));
  folders.push(folder);
  return join(folder, "queue.db");
}

inboxContract("the SQLite inbox", async () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  return {
    inboxes: [sqliteInbox(db), sqliteInbox(db)],
    queue: sqliteQueue(db),
    rows: async () => db.prepare("SELECT id, outcome, reason FROM deliveries ORDER BY id").raw().all(),
  };
});

const DAY = 24 * 60 * 60_000;

function rows(db: Database.Database): readonly unknown[] {
  return db.prepare("SELECT id, outcome, reason FROM deliveries ORDER BY rowid").raw().all();
}

test("every open of a file syncs commits to disk: a reopened write-ahead log does not by itself", async () => {
  const path = file();
  for (let opens = 0; opens < 3; opens += 1) {
    const db = openDatabase(path, QUEUE_MIGRATIONS);
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.pragma("synchronous", { simple: true })).toBe(2);
    await sqliteInbox(db).take([arrival()]);
    db.close();
  }
});

test("a lock that somebody else holds is told at once, and others' patience is left as it was", async () => {
  const path = file();
  const mine = openDatabase(path, QUEUE_MIGRATIONS);
  const theirs = openDatabase(path, QUEUE_MIGRATIONS);
  const patience = mine.pragma("busy_timeout", { simple: true });
  theirs.exec("BEGIN IMMEDIATE");
  const inbox = sqliteInbox(mine);
  for (const ask of [() => inbox.take([arrival()]), () => inbox.probe(1)])
    await expect(ask()).rejects.toThrow(expect.objectContaining({ name: "Transient" }));
  theirs.exec("ROLLBACK");
  expect(mine.pragma("busy_timeout", { simple: true })).toBe(patience);
  expect(await inbox.take([arrival()])).toEqual([true]);
  mine.close();
  theirs.close();
});

test("a store that is full or read-only says so, keeps what it has, and takes again when it can", async () => {
  const db = openDatabase(file(), QUEUE_MIGRATIONS);
  const inbox = sqliteInbox(db);
  const pages = Number(db.pragma("page_count", { simple: true }));
  db.pragma(`max_page_count = ${pages + 1}`);
  const many = Array.from({ length: 2_000 }, (_, index) => arrival({}, index + 1));
  await expect(inbox.take(many)).rejects.toThrow(
    expect.objectContaining({ name: "Transient", message: "the disk is full" }),
  );
  expect(rows(db)).toEqual([]);
  db.pragma("query_only = ON");
  await expect(inbox.probe(1)).rejects.toThrow(
    expect.objectContaining({
      name: "Transient",
      message: "the disk cannot be written (attempt to write a readonly database)",
    }),
  );
  db.pragma("query_only = OFF");
  db.pragma("max_page_count = 100000");
  await inbox.probe(1);
  expect(await inbox.take(many)).toEqual(many.map(() => true));
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  db.close();
});

test("a delivery is known again after thirty days and more, and forgotten some time", async () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  const inbox = sqliteInbox(db);
  const now = 100 * DAY;
  for (const age of [0, 30, 59, 61]) await inbox.take([arrival({ id: `${age} days`, receivedAt: now - age * DAY })]);
  await expire(db, tmpdir(), now);
  const again = ["0 days", "30 days", "59 days", "61 days"].map((id) => arrival({ id }));
  expect(await inbox.take(again)).toEqual([false, false, false, true]);
});

test("every transaction that may write takes the lock with its first statement", () => {
  // A read that turns into a write fails at once when somebody wrote meanwhile, whatever the busy timeout says.
  const folder = "src";
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  // PostgreSQL has locks of another kind.
  const sources = files.filter((name) => !name.startsWith("adapters/postgres/"));
  const deferred = sources.flatMap((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const begun = [...text.matchAll(/\.(?:exec|prepare)\(\s*["'`]\s*(?:BEGIN|SAVEPOINT)\b(?! IMMEDIATE)/gi)];
    const made = [...text.matchAll(/\.transaction\(/g)].length;
    const immediate = [...text.matchAll(/\.immediate\(\)/g)].length;
    return begun.length > 0 || made !== immediate ? [name] : [];
  });
  // This one reads only: a snapshot for one answer, on a connection that is open for reading.
  expect(deferred).toEqual(["adapters/sqlite/search-memory.ts"]);
  expect(readFileSync("src/adapters/sqlite/search-memory.ts", "utf8")).toContain("openForReading(path)");
});
