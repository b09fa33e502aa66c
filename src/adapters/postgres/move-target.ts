// A Postgres that a store is moved to: rows with their own numbers, and how far each table has come in the same transaction.
import type { MovedKind, MovedRow, MovedTable } from "../../domain/moved-tables.ts";
import { MOVED_TABLES } from "../../domain/moved-tables.ts";
import { StoreUnusable } from "../../domain/store-unusable.ts";
import type { MoveTarget } from "../../ports/move.ts";
import { asJson } from "./database.ts";
import { halfvecArray, halfvecBytes } from "./halfvec-wire.ts";
import { setAside, setBack } from "./move-indexes.ts";
import type { Postgres, Sql } from "./sql.ts";
import { LEXEMES } from "./write-records.ts";

/** Of each kind: as what it is sent, and as what it is kept where that differs. */
const SENT: Readonly<Record<MovedKind, { readonly type: string; readonly kept?: string }>> = {
  whole: { type: "bigint" },
  real: { type: "double precision" },
  text: { type: "text" },
  flag: { type: "boolean" },
  json: { type: "text", kept: "jsonb" },
  bytes: { type: "bytea" },
  vector: { type: "halfvec" },
};

/** Sequences and what they must be above. */
const NUMBERED: readonly (readonly [sequence: string, table: string, column: string])[] = [
  ...["repositories", "spaces", "records", "jobs", "answers", "spending", "intents"].map(
    (table) => [`pg_get_serial_sequence('${table}', 'id')`, table, "id"] as const,
  ),
  ["pg_get_serial_sequence('retrievals', 'row')", "retrievals", "row"],
  ["'reviews_written'", "reviews", "written"],
  ["'check_runs_begun'", "check_runs", "begun"],
];

/** Over an open database with the schema (see openPostgres). */
export function postgresMoveTarget(db: Postgres): MoveTarget {
  return {
    page: (table, after, most) => page(db, table, after, most),
    begin: (mark) =>
      db.transaction(async (sql) => {
        await begin(sql, mark);
        await setAside(sql);
      }),
    async progress({ name }) {
      const row = await db.one<{ after: MovedRow | null; done: boolean }>(
        "SELECT after, done FROM store_move WHERE part = $1",
        [name],
      );
      return row ?? { after: null, done: false };
    },
    put: (table, rows, at) =>
      db.transaction(async (sql) => {
        if (rows.length > 0) await insert(sql, table, rows);
        await sql.run(
          `INSERT INTO store_move (part, after, done) VALUES ($1, $2, $3)
           ON CONFLICT (part) DO UPDATE SET after = excluded.after, done = excluded.done`,
          [table.name, at.after === null ? null : asJson(at.after), at.done],
        );
      }),
    finish: (clock) =>
      db.transaction(async (sql) => {
        await setBack(sql);
        for (const [sequence, table, column] of NUMBERED)
          await sql.run(
            `SELECT setval(${sequence}, (SELECT greatest(max(${column}), 1) FROM ${table}), EXISTS (SELECT 1 FROM ${table}))`,
          );
        await sql.run("SELECT setval('memory_clock', $1)", [Math.max(1, clock)]);
        await sql.run("DROP TABLE store_move");
        await sql.run(`ANALYZE ${MOVED_TABLES.map(({ name }) => name).join(", ")}`);
      }),
  };
}

async function begin(sql: Sql, mark: string): Promise<void> {
  await sql.run(
    "CREATE TABLE IF NOT EXISTS store_move (part text PRIMARY KEY, mark text, after jsonb, done boolean NOT NULL DEFAULT false)",
  );
  const known = await sql.one<{ mark: string }>("SELECT mark FROM store_move WHERE part = ''");
  if (known === null) {
    for (const { name } of MOVED_TABLES)
      if ((await sql.one(`SELECT 1 FROM ${name} LIMIT 1`)) !== null)
        throw new StoreUnusable(`The database holds a store already (${name}). Name an empty one.`);
    await sql.run("INSERT INTO store_move (part, mark) VALUES ('', $1)", [mark]);
  } else if (known.mark !== mark)
    throw new StoreUnusable(
      "The store was written to since the move began. Stop the server, and begin again with an empty database.",
    );
}

async function insert(sql: Sql, { name, columns }: MovedTable, rows: readonly MovedRow[]): Promise<void> {
  const kinds = Object.entries(columns);
  const names = kinds.map(([column]) => `"${column}"`);
  const lists = kinds.map(([, kind], at) => `$${at + 1}::${SENT[kind].type}[]`);
  const kept = kinds.map(
    ([column, kind]) => `"${column}"${SENT[kind].kept === undefined ? "" : `::${SENT[kind].kept}`}`,
  );
  const values = await Promise.all(kinds.map(([, kind], at) => column(sql, kind, rows, at)));
  // Words have a column of their own making.
  const [more, made] = name === "words" ? [", lexemes", `, ${LEXEMES}`] : ["", ""];
  await sql.run(
    `INSERT INTO ${name} (${names.join(", ")}${more}) OVERRIDING SYSTEM VALUE
     SELECT ${kept.join(", ")}${made} FROM unnest(${lists.join(", ")}) AS x (${names.join(", ")})`,
    values,
  );
}

/** Of all rows what stands at a place, as a parameter. */
async function column(sql: Sql, kind: MovedKind, rows: readonly MovedRow[], at: number): Promise<unknown> {
  const values = rows.map((row) => row[at] ?? null);
  if (kind !== "vector") return values.map((value) => sent(kind, value));
  return halfvecArray(
    sql,
    values.filter((value) => value instanceof Uint8Array),
  );
}

function sent(kind: MovedKind, value: MovedRow[number]): unknown {
  return kind === "bytes" && typeof value === "string" ? Buffer.from(value, "hex") : value;
}

async function page(
  sql: Sql,
  { name, key, columns }: MovedTable,
  after: MovedRow | null,
  most: number,
): Promise<MovedRow[]> {
  const kinds = Object.entries(columns);
  const select = kinds.map(([column, kind]) =>
    kind === "vector" ? `halfvec_send(${column}) AS ${column}` : `"${column}"`,
  );
  // Byte by byte, as the other side orders them.
  const inOrder = key.map((column) => (columns[column] === "text" ? `"${column}" COLLATE "C"` : `"${column}"`));
  const later =
    after === null ? "true" : `(${inOrder.join(", ")}) > (${after.map((_, at) => `$${at + 2}`).join(", ")})`;
  const rows = await sql.all<Readonly<Record<string, unknown>>>(
    `SELECT ${select.join(", ")} FROM ${name} WHERE ${later} ORDER BY ${inOrder.join(", ")} LIMIT $1`,
    [most, ...(after ?? [])],
  );
  return rows.map((row) => kinds.map(([column, kind]) => read(kind, row[column])));
}

function read(kind: MovedKind, value: unknown): MovedRow[number] {
  if (value === null || value === undefined) return null;
  if (kind === "json") return JSON.stringify(value);
  if (kind === "bytes") return (value as Buffer).toString("hex");
  if (kind === "vector") return halfvecBytes(value as Buffer);
  return value as string | number | boolean;
}
