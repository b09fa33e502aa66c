// One list says how an object is kept as a row: its columns, the form of each, and where in the object the value is.
import type { Dialect, RowType } from "./dialect.ts";

/** `flag`: true and false as 1 and 0. `json`: any value as its text. */
type Form = RowType | "flag" | "json";

/**
 * Column → form, and the place of its value: `embedding.texts` lies in the object `embedding`. What is NULL is null there, or
 * left out where the place ends in `?`. `table` names it where a row is read from several.
 */
export type Columns = Readonly<Record<string, readonly [form: Form, place: string, table?: string]>>;

type Row = Readonly<Record<string, unknown>>;

/** The object as a row of these columns. */
export function rowOf(columns: Columns, from: object): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [column, [form, place]] of Object.entries(columns)) {
    const keys = place.replace("?", "").split(".");
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
    if ((value === null || value === "") && place.endsWith("?")) continue;
    const dot = place.indexOf(".");
    const outer = place.slice(0, Math.max(0, dot));
    if (outer !== "" && object[outer] === undefined) object[outer] = {};
    const into = outer === "" ? object : (object[outer] as Record<string, unknown>);
    into[place.slice(dot + 1).replace("?", "")] = readValue(form, value);
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
