// Migrates a whole store from SQLite to PostgreSQL, table by table and page by page, so that it can be interrupted and resumed. Then it
// compares source and target row by row. Both have the same tables, so the columns are read from the source.
import { createHash } from "node:crypto";
import { StoreUnusable } from "../../domain/errors.ts";
import { jsonRows, type RowType } from "../dialect.ts";
import type { Database, Sql } from "../sql.ts";
import { oneValue } from "../statement.ts";
import type { StoreDatabases } from "./people.ts";

/** Tables of processes, locks, reservations and of the database itself. */
const STAYS: ReadonlySet<string> = new Set(
  "instances installations bookings probes schema_steps sqlite_sequence".split(" "),
);

/** The tables to migrate, in the order in which the schema creates them: a referenced table comes first. */
async function tablesOf(source: Sql): Promise<readonly string[]> {
  const rows = await source.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid");
  return rows.map(({ name }) => name).filter((name) => !STAYS.has(name));
}

/** A migrated table: both sides are equal, row for row. */
export interface MovedTable {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of its rows, ordered by key. */
  readonly checksum: string;
}

/** Progress callback, with the rows of one table so far. */
export type ReportMoved = (what: "moving" | "verified", table: string, rows: number) => void;

type Source = StoreDatabases & { readonly memory: Database };

/** Rows per page: with vectors of 1,024 components about 6 MB of text. */
const PAGE = 1_000;
const PROGRESS = "store_move";

/**
 * Migrates everything and verifies it. The source stays unchanged. After an interruption, another call resumes.
 *
 * @param target with the schema, and empty except for rows of an earlier call
 * @throws StoreUnusable when the target holds another store, the source changed meanwhile, or a table differs afterwards
 */
export async function moveStore(source: Source, target: Database, report: ReportMoved): Promise<readonly MovedTable[]> {
  const mark = await markOf(source);
  const tables = { memory: await tablesOf(source.memory), queue: await tablesOf(source.queue) };
  await begin(target, mark, [...tables.memory, ...tables.queue]);
  const done: MovedTable[] = [];
  for (const file of ["memory", "queue"] as const)
    for (const table of tables[file]) {
      const shape = await shapeOf(source[file], table);
      await copyTable(source[file], target, shape, report);
      const [before, after] = [await checksumOf(source[file], shape), await checksumOf(target, shape)];
      if (before.rows !== after.rows || before.checksum !== after.checksum)
        throw new StoreUnusable(
          `${table} is not the same on both sides: ${before.rows} rows became ${after.rows}. Begin again with an empty database.`,
        );
      report("verified", table, after.rows);
      done.push({ table, ...before });
    }
  if ((await markOf(source)) !== mark) throw writtenMeanwhile();
  await finish(target);
  return done;
}

function writtenMeanwhile(): StoreUnusable {
  return new StoreUnusable(
    "The store was written to since the move began. Stop the server, and begin again with an empty database.",
  );
}

/** A mark that changes with every write to the source. */
async function markOf({ memory, queue }: Source): Promise<string> {
  const marks: unknown[] = [];
  for (const [db, text] of [
    [memory, "SELECT value FROM clock"],
    [memory, "SELECT count(*) AS n FROM evidence"],
    [queue, "SELECT max(id) AS id, count(*) AS n, count(finished_at) AS ended FROM jobs"],
    [queue, "SELECT count(*) AS n FROM deliveries"],
    [queue, "SELECT max(written) AS written, count(settled_at) AS settled FROM reviews"],
    [queue, 'SELECT max("row") AS "row" FROM retrievals'],
    [queue, "SELECT max(id) AS id, count(ended_at) AS ended FROM intents"],
  ] as const)
    marks.push(await db.one(text));
  return JSON.stringify(marks);
}

async function begin(target: Database, mark: string, tables: readonly string[]): Promise<void> {
  await alone(target, async (tx) => {
    await tx.run(
      `CREATE TABLE IF NOT EXISTS ${PROGRESS} (part text PRIMARY KEY, mark text, after text, done bigint NOT NULL DEFAULT 0)`,
    );
    const known = await oneValue<string>(tx, `SELECT mark FROM ${PROGRESS} WHERE part = ''`);
    if (known === mark) return;
    if (known !== null) throw writtenMeanwhile();
    for (const table of tables)
      if (table !== "clock" && (await tx.one(`SELECT 1 AS one FROM ${table} LIMIT 1`)) !== null)
        throw new StoreUnusable(`The database holds a store already (${table}). Name an empty one.`);
    // The schema's own first row is replaced by the source's.
    await tx.run("DELETE FROM clock");
    await tx.run(`INSERT INTO ${PROGRESS} (part, mark) VALUES ('', $1)`, [mark]);
  });
}

/**
 * Refuses the target of an unfinished migration, because it lacks rows.
 *
 * @throws StoreUnusable when a migration is unfinished
 */
export async function refuseHalfMoved(db: Sql): Promise<void> {
  if ((await db.one(`SELECT 1 AS half WHERE to_regclass('${PROGRESS}') IS NOT NULL`)) !== null)
    throw new StoreUnusable(
      "A store is being moved to this database, and that is not finished. Run `kodiai migrate` again: it continues.",
    );
}

interface Shape {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, RowType>>;
}

const TYPES: Readonly<Record<string, RowType>> = { INTEGER: "int", REAL: "real", TEXT: "text", BLOB: "bytes" };

async function shapeOf(source: Sql, table: string): Promise<Shape> {
  const info = await source.all<{ name: string; type: string; pk: number }>(`PRAGMA table_info(${table})`);
  const columns = Object.fromEntries(
    info.map(({ name, type }) => [name, name === "code" ? ("code" as const) : (TYPES[type] ?? "text")]),
  );
  const key = info.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  return { table, key: key.map(({ name }) => name), columns };
}

type Row = Readonly<Record<string, unknown>>;

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** Rows ordered by key, as fields of `jsonRows`: the same on both databases. */
async function pageOf(sql: Sql, { table, key, columns }: Shape, after: Row | null): Promise<readonly Row[]> {
  const names = quoted(key);
  const picked = Object.entries(columns).map(([name, type]) =>
    type === "code" ? `${sql.dialect.sendCode(`"${name}"`)} AS "${name}"` : `"${name}"`,
  );
  const later = after === null ? "1 = 1" : `(${names}) > (${key.map((_, at) => `$${at + 1}`).join(", ")})`;
  const rows = await sql.all<Row>(
    `SELECT ${picked.join(", ")} FROM ${table} WHERE ${later} ORDER BY ${names} LIMIT ${PAGE}`,
    after === null ? [] : key.map((name) => after[name]),
  );
  const fieldOf = (value: unknown, type: RowType) => {
    if (!(value instanceof Uint8Array)) return value;
    const bytes = type === "code" ? sql.dialect.decodeCode(value) : value;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  };
  return rows.map((row) =>
    Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, fieldOf(row[name], type)])),
  );
}

async function copyTable(source: Sql, target: Database, shape: Shape, report: ReportMoved): Promise<void> {
  const { table, key, columns } = shape;
  const names = quoted(Object.keys(columns));
  for (let moved = 0, isDone = false; !isDone; ) {
    const rows = await alone(target, async (tx) => {
      // Read under the lock, because a commit of a killed migration may have arrived since the last page.
      const known = await tx.one<{ after: string | null; done: number }>(
        `SELECT after, done FROM ${PROGRESS} WHERE part = $1`,
        [table],
      );
      isDone = known?.done === 1;
      if (isDone) return 0;
      const after = known?.after ? (JSON.parse(known.after) as Row) : null;
      const page = await pageOf(source, shape, after);
      isDone = page.length < PAGE;
      if (page.length > 0)
        await tx.run(`INSERT INTO ${table} (${names}) SELECT ${names} FROM ${tx.dialect.rows("$1", columns)}`, [
          jsonRows(page.map((row) => sendable(tx, row, columns))),
        ]);
      const last = page.at(-1) ?? after;
      await tx.run(
        `INSERT INTO ${PROGRESS} (part, after, done) VALUES ($1, $2, $3)
         ON CONFLICT (part) DO UPDATE SET after = excluded.after, done = excluded.done`,
        [table, last && JSON.stringify(Object.fromEntries(key.map((name) => [name, last[name]]))), isDone],
      );
      return page.length;
    });
    moved += rows;
    if (rows > 0) report("moving", table, moved);
  }
}

/** A transaction that waits for those of another migration, such as a killed one that the server still executes. */
function alone<T>(target: Database, work: (tx: Sql) => Promise<T>): Promise<T> {
  return target.transaction(async (tx) => {
    await tx.one(`SELECT pg_advisory_xact_lock(hashtext('${PROGRESS}'))`);
    return work(tx);
  });
}

function sendable(tx: Sql, row: Row, columns: Shape["columns"]): Row {
  if (!("code" in columns)) return row;
  const bytes = Buffer.from(String(row.code), "hex");
  return { ...row, code: tx.dialect.jsonCode(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)) };
}

async function checksumOf(sql: Sql, shape: Shape): Promise<{ readonly rows: number; readonly checksum: string }> {
  const all = createHash("sha256");
  let [rows, after]: [number, Row | null] = [0, null];
  for (;;) {
    const page: readonly Row[] = await pageOf(sql, shape, after);
    // PostgreSQL cannot store U+0000, so it is ignored.
    for (const row of page) all.update(`${jsonRows([row])}\n`);
    rows += page.length;
    after = page.at(-1) ?? after;
    if (page.length < PAGE) return { rows, checksum: all.digest("hex") };
  }
}

/** Advances id sequences; requeues jobs that were running when the server ended, unless another one waits. */
async function finish(target: Database): Promise<void> {
  await alone(target, async (tx) => {
    await tx.run(
      `UPDATE jobs SET state = 'superseded', outcome = 'moved to another database', owner = NULL, finished_at = ${tx.dialect.now}
       WHERE state = 'running' AND EXISTS (SELECT 1 FROM jobs w WHERE w.key = jobs.key AND w.state = 'waiting')`,
    );
    await tx.run("UPDATE jobs SET state = 'waiting', owner = NULL WHERE state = 'running'");
    const numbered = await tx.all<{ name: string; column: string; sequence: string }>(
      `SELECT c.table_name AS name, c.column_name AS column, pg_get_serial_sequence(quote_ident(c.table_name), c.column_name) AS sequence
       FROM information_schema.columns c WHERE c.table_schema = current_schema() AND c.is_identity = 'YES'`,
    );
    for (const { name, column, sequence } of numbered)
      await tx.run(`SELECT setval('${sequence}', (SELECT coalesce(max("${column}"), 0) + 1 FROM ${name}), false)`);
    await tx.run(`DROP TABLE ${PROGRESS}`);
  });
}
