// All differences between SQLite and PostgreSQL. The rest of src/store is the same for both.

/** Types of the columns of `Dialect.rows`. `bytes` come as hex digits, a `code` by `jsonCode`. */
export type RowType = "int" | "real" | "text" | "bytes" | "code";

/** Database-specific parts of statements. Strings are fragments of SQL. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /**
   * A schema's statements in this database's words. Types are INTEGER, REAL, TEXT (sorted by
   * bytes), BYTES, CODE (an int8 vector), and ID, a generated primary key that is never used twice.
   * CLUSTERED keeps rows in the order of the primary key where the database can.
   */
  schema(text: string): string;
  /** Epoch milliseconds by the database's clock, now and not at the start of the transaction. */
  readonly now: string;
  /** After a SELECT of rows to be changed: waits for locks, or skips locked rows. */
  readonly forUpdate: string;
  readonly skipLocked: string;
  /** `expression` is one of the values of an array parameter such as `$1`. */
  among(expression: string, parameter: string, type: "int" | "text"): string;
  /**
   * A row source from a parameter with a JSON array of objects; absent fields are NULL. An INSERT
   * from it with ON CONFLICT needs `WHERE true` before, or SQLite parses ON as part of a join.
   */
  rows(parameter: string, columns: Readonly<Record<string, RowType>>): string;
  /**
   * What the database computes fastest of a column `code` and a parameter from `encodeCode`;
   * `cosineDistance` makes the cosine distance of it, 0–2, given the Euclidean lengths of both.
   */
  measure(column: string, parameter: string): string;
  cosineDistance(measured: number, length: number, given: number): number;
  /** The length of a code of so many components, if `cosineDistance` needs it. */
  length(column: string, components: number): string;
  /** A condition: a code of so many components that is not all zero, so that it has a distance. */
  isComparable(column: string, components: number): string;
  /** Selects a column of type `code` in the form for `decodeCode`. */
  sendCode(column: string): string;
  encodeCode(code: Int8Array): Uint8Array | string;
  /** The same for a field of `jsonRows`. */
  jsonCode(code: Int8Array): string;
  decodeCode(sent: Uint8Array): Int8Array;
}

/** A value for `Dialect.rows`. */
export function jsonRows(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, part: unknown) => {
    if (typeof part === "string") return storable(part);
    return typeof part === "boolean" ? Number(part) : part;
  });
}

/** Text for both databases: PostgreSQL refuses U+0000, and UTF-8 has no lone surrogates. */
export function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

function withWords(text: string, words: ReadonlyMap<string, string>): string {
  return text.replace(/\b[A-Z]+\b/g, (word) => words.get(word) ?? word);
}

const SQLITE_WORDS: ReadonlyMap<string, string> = new Map([
  ["ID", "INTEGER PRIMARY KEY AUTOINCREMENT"],
  ["BYTES", "BLOB"],
  ["CODE", "BLOB"],
  ["CLUSTERED", "WITHOUT ROWID"],
]);

/** @param table a CREATE TABLE without its semicolon */
function strictTable(table: string): string {
  return `${table}${table.endsWith("ROWID") ? "," : ""} STRICT`;
}

/** For SQLite 3.50 or newer with sqlite-vec; the driver registers `kodiai_now` with its clock. */
export const SQLITE: Dialect = {
  name: "sqlite",
  schema: (text) => withWords(text, SQLITE_WORDS).replace(/^CREATE TABLE [^;]*(?=;$)/gm, strictTable),
  now: "kodiai_now()",
  forUpdate: "",
  skipLocked: "",
  among: (expression, parameter) => `${expression} IN (SELECT value FROM json_each(${parameter}))`,
  rows(parameter, columns) {
    const picked = Object.entries(columns).map(([name, type]) => {
      const value = `value ->> '${name}'`;
      return `${type === "bytes" || type === "code" ? `unhex(${value})` : value} AS "${name}"`;
    });
    return `(SELECT ${picked.join(", ")} FROM json_each(${parameter})) x`;
  },
  // Half the time of a cosine in sqlite-vec, which would measure both lengths for each query.
  measure: (column, parameter) => `vec_distance_l2(vec_int8(${column}), vec_int8(${parameter}))`,
  cosineDistance: (measured, length, given) =>
    1 - (length * length + given * given - measured * measured) / (2 * length * given),
  length: (column, components) => `vec_distance_l2(vec_int8(${column}), vec_int8(zeroblob(${components})))`,
  isComparable: (column, components) => `(length(${column}) = ${components} AND ${column} <> zeroblob(${components}))`,
  sendCode: (column) => column,
  encodeCode: (code) => new Uint8Array(code.buffer, code.byteOffset, code.length),
  jsonCode: (code) => Buffer.from(code.buffer, code.byteOffset, code.length).toString("hex"),
  decodeCode: (sent) => new Int8Array(sent.buffer, sent.byteOffset, sent.length),
};

const POSTGRES_WORDS: ReadonlyMap<string, string> = new Map([
  ["ID", "bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY"],
  ["INTEGER", "bigint"],
  ["REAL", "double precision"],
  ["TEXT", 'text COLLATE "C"'],
  ["BYTES", "bytea"],
  ["CODE", "halfvec"],
  ["CLUSTERED", ""],
]);

const POSTGRES_TYPES: Readonly<Record<RowType, string>> = {
  int: "bigint",
  real: "double precision",
  text: "text",
  bytes: "text",
  code: "text",
};

/** For PostgreSQL 15 and pgvector 0.7 on. Halves of floats hold whole numbers up to 2,048. */
export const POSTGRES: Dialect = {
  name: "postgres",
  schema: (text) => withWords(text, POSTGRES_WORDS),
  // Rounded down, so that what is due now is due.
  now: "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
  forUpdate: " FOR UPDATE",
  skipLocked: " FOR UPDATE SKIP LOCKED",
  among: (expression, parameter, type) => `${expression} = ANY (${parameter}::${POSTGRES_TYPES[type]}[])`,
  rows(parameter, columns) {
    const defined = Object.entries(columns).map(([name, type]) => `"${name}" ${POSTGRES_TYPES[type]}`);
    const picked = Object.entries(columns).map(([name, type]) => {
      if (type === "bytes") return `decode("${name}", 'hex') AS "${name}"`;
      return type === "code" ? `"${name}"::halfvec AS "${name}"` : `"${name}"`;
    });
    return `(SELECT ${picked.join(", ")} FROM jsonb_to_recordset(${parameter}::jsonb) AS r (${defined.join(", ")})) x`;
  },
  measure: (column, parameter) => `(${column} <=> ${parameter}::halfvec)`,
  cosineDistance: (measured) => measured,
  length: () => "0",
  isComparable: (column, components) => `(vector_dims(${column}) = ${components} AND l2_norm(${column}) > 0)`,
  sendCode: (column) => `halfvec_send(${column})`,
  encodeCode: (code) => `[${code.join(",")}]`,
  jsonCode: (code) => `[${code.join(",")}]`,
  decodeCode(sent) {
    // Four bytes of header, then big-endian half floats (pgvector's halfvec_send).
    const code = new Int8Array((sent.length - 4) / 2);
    for (let at = 0; at < code.length; at += 1) {
      const place = 4 + at * 2;
      code[at] = WHOLE_OF_HALF[((sent[place] ?? 0) << 8) | (sent[place + 1] ?? 0)] ?? 0;
    }
    return code;
  },
};

/** Half float → the integer −127 … 127 that it represents; a `code` contains no others. */
const WHOLE_OF_HALF = wholeOfHalf();

function wholeOfHalf(): Int8Array {
  const table = new Int8Array(65_536);
  for (let whole = 1; whole <= 127; whole += 1) {
    const exponent = Math.floor(Math.log2(whole));
    const half = ((exponent + 15) << 10) | ((whole - 2 ** exponent) << (10 - exponent));
    table[half] = whole;
    table[half | 0x8000] = -whole;
  }
  return table;
}
