// Migrates a whole store from SQLite to PostgreSQL in one transaction, table by table, and compares
// both sides row by row. Both have the same tables, so the columns are read from the source.
import { createHash } from "node:crypto";
import { StoreUnusable } from "../../domain/errors.ts";
import { jsonRows, type RowType } from "../dialect.ts";
import type { Database, Sql } from "../sql.ts";
import type { StoreDatabases } from "./people.ts";

/** Tables of processes, locks, reservations and of the database itself. */
const STAYS: ReadonlySet<string> = new Set(
  "instances installations bookings probes schema_steps sqlite_sequence".split(" "),
);

/** The tables to migrate, in the order of the schema: a referenced table comes first. */
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

/**
 * Migrates and verifies everything, or nothing. The source stays unchanged.
 *
 * @param target with the schema, and otherwise empty
 * @throws StoreUnusable when the target holds a store, the source changed, or a table differs
 */
export function moveStore(source: Source, target: Database, report: ReportMoved): Promise<readonly MovedTable[]> {
  return target.transaction(async (tx) => {
    const mark = await markOf(source);
    const done: MovedTable[] = [];
    for (const file of ["memory", "queue"] as const)
      for (const table of await tablesOf(source[file])) {
        const shape = await shapeOf(source[file], table);
        await refuseFilled(tx, table);
        const before = await copyTable(source[file], tx, shape, report);
        const after = await checksumOf(tx, shape);
        if (before.rows !== after.rows || before.checksum !== after.checksum)
          throw new StoreUnusable(
            `${table} is not the same on both sides: ${before.rows} rows became ${after.rows}. Nothing was moved.`,
          );
        report("verified", table, after.rows);
        done.push({ table, ...before });
      }
    if ((await markOf(source)) !== mark)
      throw new StoreUnusable("The store was written to since the move began. Stop the server, and begin again.");
    await finish(tx);
    return done;
  });
}

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

async function refuseFilled(tx: Sql, table: string): Promise<void> {
  // The schema's own first row is replaced by the source's.
  if (table === "clock") await tx.run("DELETE FROM clock");
  if ((await tx.one(`SELECT 1 AS one FROM ${table} LIMIT 1`)) !== null)
    throw new StoreUnusable(`The database holds a store already (${table}). Name an empty one.`);
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

interface Checked {
  readonly rows: number;
  readonly checksum: string;
}

async function copyTable(source: Sql, tx: Sql, shape: Shape, report: ReportMoved): Promise<Checked> {
  const { table, columns } = shape;
  const names = quoted(Object.keys(columns));
  const text = `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${tx.dialect.rows("$1", columns)}`;
  return checksumOf(source, shape, async (page, moved) => {
    await tx.run(text, [jsonRows(page.map((row) => sendable(tx, row, columns)))]);
    report("moving", table, moved);
  });
}

function sendable(tx: Sql, row: Row, columns: Shape["columns"]): Row {
  if (!("code" in columns)) return row;
  const bytes = Buffer.from(String(row.code), "hex");
  return { ...row, code: tx.dialect.jsonCode(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)) };
}

/** @param take called with each page, and with how many rows came so far */
async function checksumOf(
  sql: Sql,
  shape: Shape,
  take: (page: readonly Row[], rows: number) => Promise<void> = async () => {},
): Promise<Checked> {
  const all = createHash("sha256");
  let [rows, after]: [number, Row | null] = [0, null];
  for (;;) {
    const page: readonly Row[] = await pageOf(sql, shape, after);
    // PostgreSQL cannot store U+0000, so it is ignored.
    for (const row of page) all.update(`${jsonRows([row])}\n`);
    rows += page.length;
    if (page.length > 0) await take(page, rows);
    after = page.at(-1) ?? after;
    if (page.length < PAGE) return { rows, checksum: all.digest("hex") };
  }
}

/** Advances id sequences; requeues jobs that were running when the server ended. */
async function finish(tx: Sql): Promise<void> {
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
}
