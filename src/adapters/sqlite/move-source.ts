// A store in SQLite as it is read to be moved elsewhere: each table in the order of its keys, vectors turned back.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { MOVED_TABLES, type MovedKind, type MovedRow, type MovedTable } from "../../domain/moved-tables.ts";
import { StoreUnusable } from "../../domain/store-unusable.ts";
import type { MovedRange, MoveSource } from "../../ports/move.ts";
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
  // Of the same bytes.
  vector_bits: {
    from: "vec_i8 v JOIN records r ON r.id = v.id",
    as: { id: "v.id", repo: "r.repo", space: "v.space", b: "v.v" },
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
  const home = new Map(
    MOVED_TABLES.map(({ name }) => [name, OF_MEMORY.has(name) || holds(memory, name) ? memory : queue] as const),
  );
  return {
    async page(table, range, most) {
      const rows = prepared(home.get(table.name) ?? queue, pageSql(table, range))
        .raw()
        .all(...(range.after ?? []), ...(range.upTo ?? []), most) as unknown[][];
      return rows.map((row) => movedRow(table, row, dimensions));
    },
    async middle({ name, key }) {
      const [id] = key;
      const sql = `SELECT min("${id}") AS least, max("${id}") AS most, count(*) AS rows FROM "${name}"`;
      const at = (home.get(name) ?? queue).prepare(sql).get() as { least: number; most: number; rows: number };
      return at.rows < HALVED_FROM ? null : [Math.floor((at.least + at.most) / 2)];
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

/** Made of what stands under another name. */
const OF_MEMORY: ReadonlySet<string> = new Set(["vectors", "vector_bits"]);
/** Rows from which on a table is worth two ways. */
const HALVED_FROM = 1_000;

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

function pageSql({ name, key, columns }: MovedTable, { after, upTo }: MovedRange): string {
  const { from = name, as = {}, where = "1" } = ELSEWHERE[name] ?? {};
  const at = (column: string) => as[column] ?? (name === "words" ? `w.${column}` : `"${column}"`);
  const keys = key.map(at).join(", ");
  const places = key.map(() => "?").join(", ");
  const later = after === null ? "1" : `(${keys}) > (${places})`;
  const within = upTo === null ? "1" : `(${keys}) <= (${places})`;
  return `SELECT ${Object.keys(columns).map(at).join(", ")} FROM ${from} WHERE ${where} AND ${later} AND ${within} ORDER BY ${keys} LIMIT ?`;
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
  if (kind === "bytes") return value as Buffer;
  if (kind === "vector") return halfFloats(value as Buffer, dimension);
  if (kind === "signs") return signsOf(value as Buffer);
  return kind === "text" ? wellFormed(String(value)) : (JSON.parse(String(value)) as string[]).map(wellFormed);
}

/** No other database takes U+0000, nor half a surrogate pair. */
function wellFormed(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** Of unit length, as half floats with the greater byte first. */
function halfFloats(bytes: Buffer, dimension: number): Uint8Array {
  const stored = new Float32Array(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  const halves = new Float16Array(turnBack(stored, dimension));
  return Buffer.from(halves.buffer).swap16();
}

/** Of components, a byte each, which of them are not below zero: eight a byte, the first as the greatest. */
function signsOf(bytes: Buffer): Uint8Array {
  const signs = new Uint8Array(bytes.length / 8);
  for (let at = 0; at < bytes.length; at += 1)
    if ((bytes[at] ?? 0) < 128) signs[at >> 3] = (signs[at >> 3] ?? 0) | (128 >> (at & 7));
  return signs;
}
