// The schemas that have been, each with a few rows of its time: golden databases, built by the list of steps itself.
import BetterSqlite from "better-sqlite3";
import { MEMORY_MIGRATIONS } from "../../../src/adapters/sqlite/memory-schema.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";

/** Written at the first schema that knows the table, as a store that lives through all of them has it. */
const QUEUE_ROWS: readonly (readonly [since: number, sql: string])[] = [
  [
    1,
    "INSERT INTO deliveries (id, event, received_at, outcome, reason) VALUES ('d1', 'pull_request', 1, 'review', 'opened')",
  ],
  [
    1,
    `INSERT INTO jobs (key, job, state, run_at, created_at) VALUES ('github.com/42#7', '{"kind":"review","trigger":"opened","headSha":"a"}', 'waiting', 1, 1)`,
  ],
  [
    1,
    `INSERT INTO reviews VALUES ('github.com/42#7', 'a', 'b', '{"kind":"review","headSha":"a","baseSha":"b","findings":[]}', 1, 2, 'posted')`,
  ],
  [
    2,
    "INSERT INTO spending (repo, at, purpose, input_tokens, output_tokens, usd) VALUES ('github.com/42', 1, 'review', 10, 2, .5)",
  ],
  [4, "INSERT INTO paused VALUES ('github.com/42#7', 'wren', 1)"],
  [4, "INSERT INTO declined VALUES ('github.com/42#7', 'f1', 'wren', 'by design', 1)"],
  [5, "INSERT INTO push_waits VALUES ('github.com/42', 10000)"],
  [6, "INSERT INTO looks VALUES ('github.com/42#7', 1, 0)"],
  [7, "INSERT INTO old_heads VALUES ('github.com/42#9', 'c')"],
];
const MEMORY_ROWS: typeof QUEUE_ROWS = [
  [
    1,
    "INSERT INTO repositories (host, github_id, owner_id, visibility, full_name, version) VALUES ('github.com', '42', 1, 'private', 'acme/shop', 1)",
  ],
  [
    1,
    `INSERT INTO records (repo, mem, stale, pull, at, corpus, language, changed) VALUES (1, 'mem_000000000001', 0, 7, 1, 'finding', 'python', 1)`,
  ],
  [
    1,
    `INSERT INTO contents (id, source_id, repo_name, text, replies, tags, author_is_bot) VALUES (1, '#7/f1', 'acme/shop', 'Retry the handshake', '[]', '[]', 0)`,
  ],
  [1, "INSERT INTO words VALUES (1, 'retry handshake', '', '', '')"],
  [2, "INSERT INTO hashes VALUES (1, 'r', 'e')"],
  [3, "INSERT INTO descriptions VALUES (1, 'a model', 's', 1, '[]')"],
  [5, "INSERT INTO decided VALUES (1, 'declined', 1, 'wren', 'by design', NULL, 'reason')"],
  [6, "INSERT INTO rejections VALUES (1, 'wren', 1, 'by design', NULL, 1)"],
];

export const KEPT = {
  queue: { migrations: QUEUE_MIGRATIONS, rows: QUEUE_ROWS },
  memory: { migrations: MEMORY_MIGRATIONS, rows: MEMORY_ROWS },
} as const;

/** Writes a database as the schema of that number was. */
export function writeGolden(what: keyof typeof KEPT, version: number, path: string): void {
  const db = new BetterSqlite(path);
  db.pragma("auto_vacuum = INCREMENTAL");
  db.pragma("journal_mode = WAL");
  const { migrations, rows } = KEPT[what];
  for (const [at, step] of migrations.slice(0, version).entries()) {
    db.exec(step);
    for (const [since, sql] of rows) if (since === at + 1) db.exec(sql);
  }
  db.pragma(`user_version = ${version}`);
  db.close();
}

/** Tables, indexes and triggers, by name, without the spaces between their words. */
export function shapeOf(path: string): readonly string[] {
  const db = new BetterSqlite(path, { readonly: true });
  const rows = db.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").raw().all();
  const shape = (rows as [string, string][]).map(
    ([name, sql]) =>
      `${name}: ${sql
        .replaceAll(/--[^\n]*/g, "")
        .replaceAll('"', "")
        .replaceAll(/\s+/g, " ")}`,
  );
  db.close();
  return shape;
}

/** Every row, by table. */
export function rowsOf(path: string): Readonly<Record<string, readonly unknown[]>> {
  const db = new BetterSqlite(path, { readonly: true });
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'word_index%' AND name NOT LIKE 'sqlite_%'",
    )
    .pluck()
    .all() as string[];
  const all = Object.fromEntries(tables.map((name) => [name, db.prepare(`SELECT * FROM ${name}`).all()]));
  db.close();
  return all;
}
