// A store in SQLite as it is read to be moved elsewhere: each table in the order of its keys, vectors turned back.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { MovedKind, MovedRow, MovedTable } from "../../domain/moved-tables.ts";
import { StoreUnusable } from "../../domain/store-unusable.ts";
import type { MoveSource } from "../../ports/move.ts";
import { turnBack } from "../memory/rotate-vector.ts";
import { type Database, openDatabase } from "./database.ts";
import { openMemory } from "./memory-file.ts";
import { prepared } from "./prepared.ts";
import { QUEUE_MIGRATIONS } from "./queue-schema.ts";

/**
 * Where a table's rows stand under other names. A job that ran when the server ended waits again, unless its like waits already;
 * the order in which check runs were begun is that of their rows.
 */
const ELSEWHERE: Readonly<
  Record<string, { readonly from: string; readonly as?: Readonly<Record<string, string>>; readonly where?: string }>
> = {
  vectors: {
    from: "vec_i8 v JOIN records r ON r.id = v.id",
    as: { id: "v.id", repo: "r.repo", space: "v.space", v: "v.v" },
  },
  words: {
    from: "words w JOIN records r ON r.id = w.id",
    as: { id: "w.id", repo: "r.repo", text: "w.text", path: "w.path" },
  },
  // As they are read: one that was written again is the latest, wherever its row is.
  reviews: {
    from: "(SELECT *, row_number() OVER (ORDER BY written_at, rowid) AS place FROM reviews)",
    as: { written: "place" },
  },
  check_runs: { from: "check_runs", as: { begun: "rowid" } },
  jobs: {
    from: "jobs j",
    as: { state: "CASE state WHEN 'running' THEN 'waiting' ELSE state END" },
    where: "NOT (state = 'running' AND EXISTS (SELECT 1 FROM jobs w WHERE w.key = j.key AND w.state = 'waiting'))",
  },
};

/**
 * Opens both files of a data folder. `close` gives them back.
 *
 * @throws StoreUnusable where there is no store, or one of a newer Kodiai
 */
export function sqliteMoveSource(folder: string): MoveSource & { close(): void } {
  for (const name of ["queue.db", "memory.db"])
    if (!existsSync(join(folder, name))) throw new StoreUnusable(`There is no ${name} in ${folder}.`);
  const queue = openDatabase(join(folder, "queue.db"), QUEUE_MIGRATIONS);
  const memory = openMemory(join(folder, "memory.db"));
  const holds = (db: Database.Database, name: string) =>
    db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;
  const dimensions = new Map(
    memory.prepare("SELECT id, dimension FROM spaces").raw().all() as (readonly [number, number])[],
  );
  return {
    async page(table, after, most) {
      const db = table.name === "vectors" || holds(memory, table.name) ? memory : queue;
      const rows = prepared(db, pageSql(table, after !== null))
        .raw()
        .all(...(after ?? []), most) as unknown[][];
      return rows.map((row) => movedRow(table, row, dimensions));
    },
    mark: () =>
      JSON.stringify([MARKS.map(([of, sql]) => (of === "memory" ? memory : queue).prepare(sql).pluck().get())]),
    clock: () => memory.prepare("SELECT value FROM clock").pluck().get() as number,
    close() {
      queue.close();
      memory.close();
    },
  };
}

/** What every write changes at least one of. */
const MARKS = [
  ["memory", "SELECT value FROM clock"],
  ["memory", "SELECT count(*) FROM evidence"],
  ["queue", "SELECT max(id) || ' ' || count(*) || ' ' || sum(state = 'done') FROM jobs"],
  ["queue", "SELECT count(*) FROM deliveries"],
  ["queue", "SELECT count(*) || ' ' || count(settled_at) FROM reviews"],
  ["queue", "SELECT max(row) FROM retrievals"],
  ["queue", "SELECT max(id) || ' ' || count(ended_at) FROM intents"],
] as const;

function pageSql({ name, key, columns }: MovedTable, continues: boolean): string {
  const { from = name, as = {}, where = "1" } = ELSEWHERE[name] ?? {};
  const at = (column: string) => as[column] ?? (name === "words" ? `w.${column}` : `"${column}"`);
  const keys = key.map(at).join(", ");
  const later = continues ? `(${keys}) > (${key.map(() => "?").join(", ")})` : "1";
  return `SELECT ${Object.keys(columns).map(at).join(", ")} FROM ${from} WHERE ${where} AND ${later} ORDER BY ${keys} LIMIT ?`;
}

function movedRow(
  { name, columns }: MovedTable,
  row: readonly unknown[],
  dimensions: ReadonlyMap<number, number>,
): MovedRow {
  const kinds = Object.entries(columns);
  const space = name === "vectors" ? (row[kinds.findIndex(([column]) => column === "space")] as number) : 0;
  return kinds.map(([, kind], at) => movedValue(kind, row[at], dimensions.get(space) ?? 0));
}

function movedValue(kind: MovedKind, value: unknown, dimension: number): MovedRow[number] {
  if (value === null || value === undefined) return null;
  if (kind === "flag") return value === 1;
  if (kind === "whole" || kind === "real") return value as number;
  if (kind === "bytes") return (value as Buffer).toString("hex");
  if (kind === "vector") return halfFloats(value as Buffer, dimension);
  // No other database takes U+0000.
  const text = String(value).replaceAll("\0", "").toWellFormed();
  return kind === "json" ? JSON.stringify(JSON.parse(text)) : text;
}

/** Of unit length, as half floats with the greater byte first. */
function halfFloats(bytes: Buffer, dimension: number): Uint8Array {
  const stored = new Float32Array(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  const halves = new Float16Array(turnBack(stored, dimension));
  return Buffer.from(halves.buffer).swap16();
}
