// Rows of a moved table into Postgres, in the form in which they are sent and kept, and what is kept as digests of the same form.
import type { MovedPage } from "../../domain/moved-page.ts";
import type { MovedKind, MovedRow, MovedTable } from "../../domain/moved-tables.ts";
import type { MovedRange, MovedSoFar, MoveTarget } from "../../ports/move.ts";
import { asJson } from "./database.ts";
import type { Sql } from "./sql.ts";
import { textVector } from "./text-vector.ts";
import { LEXEMES } from "./write-records.ts";

/** Of each kind its type, and the type's own number (pg_type.dat) where every server has it. */
const TYPES: Readonly<Record<MovedKind, { readonly name: string; readonly oid: number | null }>> = {
  whole: { name: "bigint", oid: 20 },
  real: { name: "double precision", oid: 701 },
  text: { name: "text", oid: 25 },
  flag: { name: "boolean", oid: 16 },
  list: { name: "jsonb", oid: 3802 },
  bytes: { name: "bytea", oid: 17 },
  vector: { name: "halfvec", oid: null },
  signs: { name: "varbit", oid: 1562 },
};

/** What gives a column's bytes as they were sent. */
const SENT: Readonly<Record<MovedKind, (column: string) => string>> = {
  whole: (column) => `int8send(${column}::bigint)`,
  real: (column) => `float8send(${column}::double precision)`,
  text: (column) => `textsend(${column}::text)`,
  flag: (column) => `boolsend(${column})`,
  list: (column) => `jsonb_send(${column})`,
  bytes: (column) => column,
  vector: (column) => `halfvec_send(${column})`,
  signs: (column) => `varbit_send(${column})`,
};

const TSVECTOR = 3614;
/** Dimensions, nulls and type; then of the one dimension its length and first number. */
const ARRAY_HEAD = 20;
/** Bytes before each field. */
const LENGTH = 4;
const NULL = Uint8Array.of(255, 255, 255, 255);

/** Over an open database with the schema. */
export function moveRows(sql: Sql): Pick<MoveTarget, "put" | "digests"> {
  let halfvec: Promise<number> | null = null;
  let isOurs: Promise<boolean> | null = null;
  return {
    async put(table, page, part, at) {
      if (page.rows === 0) return void (await sql.run(PROGRESS, progress(part, at)));
      halfvec ??= typeNumber(sql, "halfvec");
      const columns = columnsOf(table, page, await halfvec);
      if (table.name === "words") {
        const lexemes = lexemesOf(table, page);
        isOurs ??= sameLexemes(sql, columns, lexemes);
        columns.push({ name: "lexemes", type: "tsvector", made: (await isOurs) ? lexemes : nulls(page.rows) });
      }
      await put(sql, table, columns, progress(part, at));
    },
    digests: (table, range, most) => digests(sql, table, range, most),
  };
}

/** All of a page that stands in one column, as an array in the binary form. */
interface SentColumn {
  readonly name: string;
  readonly type: string;
  readonly made: Buffer;
}

async function typeNumber(sql: Sql, name: string): Promise<number> {
  return Number((await sql.one<{ oid: number }>("SELECT $1::regtype::oid AS oid", [name]))?.oid ?? 0);
}

const PROGRESS = `INSERT INTO store_move (part, after, done) VALUES ($1, $2, $3)
  ON CONFLICT (part) DO UPDATE SET after = excluded.after, done = excluded.done`;

function progress(part: string, { after, done }: MovedSoFar): readonly unknown[] {
  return [part, after === null ? null : asJson(after), done];
}

/** One statement: rows and progress are there together or not at all, for one round trip. */
async function put(
  sql: Sql,
  { name }: MovedTable,
  columns: readonly SentColumn[],
  far: readonly unknown[],
): Promise<void> {
  const names = columns.map((column) => `"${column.name}"`).join(", ");
  // What was not made here of words the server makes.
  const made = columns.map((column) =>
    column.name === "lexemes" ? `coalesce(lexemes, ${LEXEMES})` : `"${column.name}"`,
  );
  await sql.run(
    `WITH moved AS (INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE SELECT ${made.join(", ")} FROM ${given(columns, far.length)})
     ${PROGRESS}`,
    [...far, ...columns.map((column) => column.made)],
  );
}

/** Columns that are parameters after so many others, as a table. */
function given(columns: readonly SentColumn[], before: number): string {
  const lists = columns.map(({ type }, at) => `$${at + before + 1}::${type}[]`);
  return `unnest(${lists.join(", ")}) AS x (${columns.map(({ name }) => `"${name}"`).join(", ")})`;
}

function columnsOf({ columns }: MovedTable, page: MovedPage, halfvec: number): SentColumn[] {
  const kinds = Object.entries(columns);
  return kinds.map(([name, kind], place) => {
    const { name: type, oid } = TYPES[kind];
    const fields = Array.from({ length: page.rows }, (_, row) => fieldOf(page, row * kinds.length + place));
    return { name, type, made: binaryArray(oid ?? halfvec, fields) };
  });
}

function fieldOf({ bytes, starts }: MovedPage, field: number): Uint8Array {
  return bytes.subarray(starts[field], starts[field + 1]);
}

/** Of each row of `words` what its text vector is, where that can be made here. */
function lexemesOf({ columns }: MovedTable, page: MovedPage): Buffer {
  const names = Object.keys(columns);
  const text = (row: number, name: string) => {
    const { buffer, byteOffset, length } = fieldOf(page, row * names.length + names.indexOf(name)).subarray(LENGTH);
    return Buffer.from(buffer, byteOffset, length).toString("latin1");
  };
  const fields: Uint8Array[] = [];
  for (let row = 0; row < page.rows; row += 1) {
    const said = `${text(row, "text")} ${text(row, "path")} ${text(row, "symbol")}`;
    const vector = textVector(said, text(row, "hunk"));
    if (vector === null) fields.push(NULL);
    else {
      const length = Buffer.allocUnsafe(LENGTH);
      length.writeInt32BE(vector.length);
      fields.push(length, vector);
    }
  }
  return binaryArray(TSVECTOR, fields, page.rows);
}

function nulls(rows: number): Buffer {
  return binaryArray(TSVECTOR, Array<Uint8Array>(rows).fill(NULL));
}

/** Whether this server's parser takes words apart as we do: asked of the first page. */
async function sameLexemes(sql: Sql, columns: readonly SentColumn[], made: Buffer): Promise<boolean> {
  const all = [...columns, { name: "lexemes", type: "tsvector", made }];
  const row = await sql.one<{ same: boolean | null }>(
    `SELECT bool_and(lexemes IS NULL OR lexemes = ${LEXEMES}) AS same FROM ${given(all, 0)}`,
    all.map((column) => column.made),
  );
  return row?.same === true;
}

/** @param fields each with its length before it @param count of the elements, where they stand in several pieces */
function binaryArray(type: number, fields: readonly Uint8Array[], count = fields.length): Buffer {
  const head = Buffer.allocUnsafe(ARRAY_HEAD);
  // Dimensions, perhaps nulls, of what; how many, numbered from one.
  for (const [at, value] of [1, 1, type, count, 1].entries()) head.writeInt32BE(value, at * LENGTH);
  return Buffer.concat([head, ...fields]);
}

async function digests(
  sql: Sql,
  { name, key, columns }: MovedTable,
  { after, upTo }: MovedRange,
  most: number,
): Promise<Awaited<ReturnType<MoveTarget["digests"]>>> {
  // Byte by byte, as the other side orders them.
  const keys = key.map((column) => (columns[column] === "text" ? `"${column}" COLLATE "C"` : `"${column}"`));
  const values: unknown[] = [most];
  const bound = (row: MovedRow | null, sign: string) =>
    row === null ? "true" : `(${keys.join(", ")}) ${sign} (${row.map((value) => `$${values.push(value)}`).join(", ")})`;
  const fields = Object.entries(columns).map(([column, kind]) => {
    const sent = SENT[kind](`"${column}"`);
    return `coalesce(int4send(octet_length(${sent})) || ${sent}, '\\xffffffff')`;
  });
  const row = await sql.one<{ rows: number; digests: Buffer | null; last: MovedRow | null }>(
    `WITH page AS MATERIALIZED (
       SELECT ${key.map((column) => `"${column}"`).join(", ")}, sha256(${fields.join(" || ")}) AS digest
       FROM ${name} WHERE ${bound(after, ">")} AND ${bound(upTo, "<=")} ORDER BY ${keys.join(", ")} LIMIT $1)
     SELECT count(*) AS rows, string_agg(digest, '' ORDER BY ${keys.join(", ")}) AS digests,
       (SELECT jsonb_build_array(${key.map((column) => `"${column}"`).join(", ")}) FROM page
        ORDER BY ${keys.map((one) => `${one} DESC`).join(", ")} LIMIT 1) AS last FROM page`,
    values,
  );
  return { rows: row?.rows ?? 0, digests: row?.digests ?? new Uint8Array(), last: row?.last ?? null };
}
