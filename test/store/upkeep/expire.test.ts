// What is kept no longer goes; what is written in docs/data.md is what the program does.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { RETENTION } from "../../../src/adapters/retention.ts";
import { jsonRows } from "../../../src/store/dialect.ts";
import { expireRows } from "../../../src/store/expire.ts";
import type { Database } from "../../../src/store/sql.ts";
import { COPIES_DAYS, removeOldCopies } from "../../../src/store/upkeep/snapshot.ts";
import { postgresTestDatabase, sqliteInMemory, sqliteTestDatabase } from "../databases.ts";

const DAY = 24 * 60 * 60_000;
const NOW = 1_000 * DAY;

const ROWS: Readonly<Record<string, (id: number, at: number) => Readonly<Record<string, string | number>>>> = {
  deliveries: (id, at) => ({ id: `d${id}`, event: "push", received_at: at, outcome: "ignored" }),
  jobs: (id, at) => ({
    id,
    key: `github.com/42#${id}`,
    lane: "review",
    job: "{}",
    repo: "github.com/42",
    account: "github.com/1",
    state: "done",
    run_at: 0,
    created_at: 0,
    finished_at: at,
  }),
  answers: (id, at) => ({ comment: `c${id}`, repo: "github.com/42", thread: "t", user_id: 5, kind: "reply", at }),
  replies: (id, at) => ({ key: `github.com/42#${id}`, question: "q", answer: "{}", at }),
  intents: (id, at) => ({
    key: "k",
    repo: "github.com/42",
    wanted: "{}",
    identity: `i${id}`,
    marker: "m",
    state: "posted",
    tries: 1,
    sent_at: 0,
    ended_at: at,
  }),
  check_runs: (id, at) => ({
    id,
    key: "github.com/42#1",
    head_sha: "a",
    repo: "{}",
    installation_id: 7,
    fail_on: "off",
    begun_at: 0,
    ended_at: at,
  }),
  moments: (id, at) => ({ name: `session ${id}`, at }),
  reviews: (id, at) => ({
    ...{ key: `github.com/42#${id}`, head_sha: "a", base_sha: "b", review: "{}", written_at: 0 },
    ...{ settled_at: at, outcome: "posted" },
  }),
  spending: (_, at) => ({ repo: "github.com/42", at, purpose: "review", input_tokens: 1, output_tokens: 1, usd: 1 }),
};

/** Of the same columns. */
async function insert(db: Database, table: string, rows: readonly Readonly<Record<string, string | number>>[]) {
  const columns = Object.keys(rows[0] ?? {});
  const types = Object.fromEntries(
    Object.entries(rows[0] ?? {}).map(([name, value]) => [name, typeof value === "number" ? "int" : "text"] as const),
  );
  await db.run(
    `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${columns.join(", ")} FROM ${db.dialect.rows("$1", types)}`,
    [jsonRows(rows)],
  );
}

for (const [name, given] of [
  ["SQLite", await sqliteTestDatabase()],
  ["PostgreSQL", await postgresTestDatabase()],
] as const) {
  describe.skipIf(given === null)(name, () => {
    const db = given?.db as Database;
    afterAll(() => given?.close());

    test.each(RETENTION)("rows of $table go after $days days, not before", async ({ table, days }) => {
      const row = ROWS[table];
      if (row === undefined) throw new Error(`no row of ${table} to try`);
      await db.run(`DELETE FROM ${table}`);
      const old = Array.from({ length: 1_203 }, (_, id) => row(id, NOW - days * DAY - 1));
      await insert(db, table, old);
      await insert(db, table, [row(5_000, NOW - days * DAY + 1)]);
      expect(await expireRows(db, NOW)).toBe(1_203);
      const left = await db.all(`SELECT * FROM ${table} ${table === "moments" ? "WHERE name LIKE 'session %'" : ""}`);
      expect(left).toHaveLength(1);
      expect(await expireRows(db, NOW)).toBe(0);
      await db.run(`DELETE FROM ${table}`);
    });

    test("jobs that wait are never old", async () => {
      const waiting = {
        id: 1,
        key: "k",
        lane: "review",
        job: "{}",
        repo: "r",
        account: "a",
        state: "waiting",
        run_at: 0,
        created_at: 0,
      };
      await insert(db, "jobs", [waiting]);
      expect(await expireRows(db, NOW)).toBe(0);
    });
  });
}

test("copies of an older schema go, other files of the folder stay", () => {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-expire-"));
  const names = ["queue.db.schema-3", "memory.db.schema-1.partial", "notes.schema-3", "forgotten.jsonl"];
  for (const name of names) {
    writeFileSync(join(folder, name), "x");
    utimesSync(join(folder, name), 1, (NOW - COPIES_DAYS * DAY) / 1_000 - 10);
  }
  writeFileSync(join(folder, "queue.db.schema-4"), "x");
  utimesSync(join(folder, "queue.db.schema-4"), 1, NOW / 1_000);
  expect(removeOldCopies(folder, NOW)).toBe(2);
  expect(names.map((name) => existsSync(join(folder, name)))).toEqual([false, false, true, true]);
  expect(readdirSync(folder)).toContain("queue.db.schema-4");
  rmSync(folder, { recursive: true });
});

const page = readFileSync("docs/data.md", "utf8");

test("docs/data.md names every table and no other, and says of each how long it is kept", async () => {
  const db = await sqliteInMemory();
  const tables = await db.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const listed = [...page.matchAll(/^\| `([a-z_]+)` /gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(tables.map(({ name }) => name).sort());
  await db.close();
  for (const { table, days } of RETENTION) {
    expect(page).toMatch(new RegExp(`^\\| \`${table}\` .*\\| (?:[^|]*[ ,])?${days} days?\\b`, "m"));
  }
  expect(page).toContain(`${COPIES_DAYS} days`);
});
