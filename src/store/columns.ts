// Maps objects to rows by one list: columns, the form of each, and its path in the object.
import { type Dialect, jsonRows, type RowType } from "./dialect.ts";
import type { Sql } from "./sql.ts";

/** `flag`: true and false as 1 and 0. `json`: any value as its text. */
type Form = RowType | "flag" | "json";

/**
 * Column → form and path: `embedding.texts` is in the object `embedding`. NULL becomes null.
 * `table` names the table when a row is read from several.
 */
export type Columns = Readonly<Record<string, readonly [form: Form, place: string, table?: string]>>;

type Row = Readonly<Record<string, unknown>>;

/** The object as a row of these columns. */
export function rowOf(columns: Columns, from: object): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [column, [form, place]] of Object.entries(columns)) {
    const keys = place.split(".");
    const value = keys.reduce<unknown>((inner, key) => (inner as Row | null)?.[key], from) ?? null;
    row[column] = form === "json" && value !== null ? JSON.stringify(value) : value;
  }
  return row;
}

/** The object of a row that has these columns, its fields in their order. */
export function objectOf<T>(columns: Columns, row: Row): T {
  const object: Record<string, unknown> = {};
  for (const [column, [form, place]] of Object.entries(columns)) {
    const value = row[column] ?? null;
    const dot = place.indexOf(".");
    const outer = place.slice(0, Math.max(0, dot));
    if (outer !== "" && object[outer] === undefined) object[outer] = {};
    const into = outer === "" ? object : (object[outer] as Record<string, unknown>);
    into[place.slice(dot + 1)] = readValue(form, value);
  }
  return object as T;
}

function readValue(form: Form, value: unknown): unknown {
  if (form === "flag") return value === 1;
  // Most lists are empty.
  return form === "json" && value !== null ? (value === "[]" ? [] : JSON.parse(String(value))) : value;
}

/** The types of these columns, for `Dialect.rows`. */
export function rowTypes(columns: Columns): Record<string, RowType> {
  const types = Object.entries(columns).map(([column, [form]]) => {
    return [column, form === "flag" ? "int" : form === "json" ? "text" : form] as const;
  });
  return Object.fromEntries(types);
}

/** A statement that inserts the rows of a JSON array in `$1` (see `jsonRows`). */
export function insertText(
  dialect: Dialect,
  table: string,
  types: Readonly<Record<string, RowType>>,
  then = "ON CONFLICT DO NOTHING",
): string {
  const names = Object.keys(types).join(", ");
  return `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${dialect.rows("$1", types)} WHERE true ${then}`;
}

/** Inserts rows. `then` is what follows, as for insertText. */
export function insertRows(
  sql: Sql,
  table: string,
  types: Readonly<Record<string, RowType>>,
  rows: readonly object[],
  then?: string,
): Promise<number> {
  return sql.run(insertText(sql.dialect, table, types, then), [jsonRows(rows)]);
}

/** Groups of at most `most` rows, in order, for statements that may write no key twice. */
export function withoutRepeats<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  most = Number.POSITIVE_INFINITY,
): readonly (readonly Row[])[] {
  const groups: Row[][] = [];
  let keys = new Set<string>();
  for (const row of rows) {
    if (groups.length === 0 || keys.size >= most || keys.has(keyOf(row))) {
      groups.push([]);
      keys = new Set();
    }
    groups.at(-1)?.push(row);
    keys.add(keyOf(row));
  }
  return groups;
}
