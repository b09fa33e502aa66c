// What is kept no longer goes; what is written in docs/data.md is what the program does.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RETENTION } from "../../../src/adapters/retention.ts";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { COPIES_DAYS, expire } from "../../../src/adapters/sqlite/expire.ts";
import { MEMORY_MIGRATIONS } from "../../../src/adapters/sqlite/memory-schema.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";

const DAY = 24 * 60 * 60_000;
const NOW = 1_000 * DAY;
let folder: string;
let db: ReturnType<typeof openDatabase>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-expire-"));
  db = openDatabase(join(folder, "queue.db"), QUEUE_MIGRATIONS);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const ROWS: Readonly<Record<string, (id: number, at: number) => string>> = {
  deliveries: (id, at) => `('d${id}', 'push', ${at}, 'ignored', '', NULL)`,
  redeliveries: (id, at) => `('d${id}', ${at})`,
  jobs: (id, at) =>
    `(${id}, 'github.com/42#${id}', 'review', '{}', 'done', 1, 0, '', 0, ${at}, NULL, 0, 0, 0, NULL, NULL)`,
  answers: (id, at) => `(${id}, 'c${id}', 'github.com/42', 't', 5, 'reply', ${at})`,
  intents: (id, at) => `(${id}, 'k', 'github.com/42', '{}', 'i${id}', 'm', 'posted', 1, 0, ${at}, NULL)`,
  check_runs: (id, at) => `(${id}, 'github.com/42#1', 'a', '{}', 7, 'off', 0, NULL, ${at})`,
  reviews: (id, at) => `('github.com/42#${id}', 'a', 'b', '{}', 0, ${at}, 'posted')`,
  replies: (id, at) => `('github.com/42#${id}', 'q', '{}', ${at})`,
  moments: (id, at) => `('session ${id}', ${at})`,
  spending: (id, at) => `(${id}, 'github.com/42', ${at}, 'review', 1, 1, 1)`,
};

test.each(RETENTION)("rows of $table go after $days days, not before", async ({ table, only = "1", days }) => {
  const row = ROWS[table];
  if (row === undefined) throw new Error(`no row of ${table} to try`);
  const old = Array.from({ length: 1_203 }, (_, id) => row(id, NOW - days * DAY - 1));
  db.exec(`INSERT INTO ${table} VALUES ${old.join()}`);
  db.exec(`INSERT INTO ${table} VALUES ${row(5_000, NOW - days * DAY + 1)}`);
  expect(await expire(db, folder, NOW)).toBe(1_203);
  expect(db.prepare(`SELECT count(*) FROM ${table} WHERE ${only}`).pluck().get()).toBe(1);
  expect(await expire(db, folder, NOW)).toBe(0);
});

test("jobs that wait are never old", async () => {
  db.exec(
    "INSERT INTO jobs VALUES (1, 'k', 'review', '{}', 'waiting', 0, 0, NULL, 0, NULL, NULL, 0, 0, 0, NULL, NULL)",
  );
  expect(await expire(db, folder, NOW)).toBe(0);
});

test("copies of an older schema go, other files of the folder stay", async () => {
  const names = ["queue.db.schema-3", "memory.db.schema-1.partial", "notes.schema-3", "forgotten.jsonl"];
  for (const name of names) {
    writeFileSync(join(folder, name), "x");
    utimesSync(join(folder, name), 1, (NOW - COPIES_DAYS * DAY) / 1_000 - 10);
  }
  writeFileSync(join(folder, "queue.db.schema-4"), "x");
  utimesSync(join(folder, "queue.db.schema-4"), 1, NOW / 1_000);
  expect(await expire(db, folder, NOW)).toBe(2);
  expect(names.map((name) => existsSync(join(folder, name)))).toEqual([false, false, true, true]);
  expect(readdirSync(folder)).toContain("queue.db.schema-4");
});

const page = readFileSync("docs/data.md", "utf8");

test("docs/data.md tells every table, and of each how long it is kept", () => {
  const memory = openDatabase(":memory:", MEMORY_MIGRATIONS);
  for (const [file, open] of [
    ["queue.db", db],
    ["memory.db", memory],
  ] as const) {
    const tables = open
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'word_index_%'",
      )
      .pluck()
      .all() as string[];
    for (const table of tables) expect(page, `${file}: ${table}`).toMatch(new RegExp(`^\\| \`${table}\` `, "m"));
  }
  memory.close();
  for (const { table, days } of RETENTION) {
    expect(page).toMatch(new RegExp(`^\\| \`${table}\` .*\\| ${days} days`, "m"));
  }
  expect(page).toContain(`${COPIES_DAYS} days`);
});
