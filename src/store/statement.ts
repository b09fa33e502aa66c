// Builds statements from fragments of SQL with their values, and from rows.
import type { Sql } from "./sql.ts";

/** Collects values and gives each its `$N`. */
export interface Values {
  readonly list: readonly unknown[];
  /** The placeholder of a value; the same for an equal value. */
  at(value: unknown): string;
}

export function values(): Values {
  const list: unknown[] = [];
  return {
    list,
    at(value) {
      const known = list.indexOf(value);
      return `$${known >= 0 ? known + 1 : list.push(value)}`;
    },
  };
}

/**
 * The rows of a statement.
 *
 * @param text makes it; `at` gives a value its placeholder
 */
export function select<Row>(sql: Sql, text: (at: Values["at"]) => string): Promise<Row[]> {
  const given = values();
  const statement = text(given.at);
  return sql.all<Row>(statement, given.list);
}

/** The only column of the first row; null without a row. */
export async function oneValue<T>(sql: Sql, text: string, given?: readonly unknown[]): Promise<T | null> {
  const row = await sql.one<Readonly<Record<string, T>>>(text, given);
  return row === null ? null : (Object.values(row)[0] ?? null);
}

/**
 * Inserts a row.
 *
 * @param row values by column
 * @param then what follows: `ON CONFLICT DO NOTHING`
 * @returns how many rows were written
 */
export function insert(sql: Sql, table: string, row: Readonly<Record<string, unknown>>, then = ""): Promise<number> {
  const names = Object.keys(row);
  const places = names.map((_, at) => `$${at + 1}`);
  return sql.run(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${places.join(", ")}) ${then}`,
    Object.values(row),
  );
}

/**
 * Inserts a row, or gives its values to the one with the same key.
 *
 * @param key the columns of a unique key; there are others
 */
export async function upsert(
  sql: Sql,
  table: string,
  key: readonly string[],
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  await insert(sql, table, row, `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${overwritten(Object.keys(row), key)}`);
}

/** Gives columns, except some, the values of the row that was to be inserted. */
export function overwritten(columns: readonly string[], except: readonly string[]): string {
  const names = columns.filter((name) => !except.includes(name));
  return names.map((name) => `${name} = excluded.${name}`).join(", ");
}
