// The port between the store's code and a database: the same on SQLite and on PostgreSQL.
import type { Dialect } from "./dialect.ts";

/**
 * Statements with `$1`, `$2`, … Values are strings, numbers, booleans (stored as 0 and 1), null,
 * bytes, or an array for `dialect.among`. Throws `Transient` for temporary failures (a lock, a full
 * disk, a lost connection), otherwise `Error`.
 */
export interface Sql {
  readonly dialect: Dialect;
  /** Rows as objects. Integers and counts are numbers, bytes are Uint8Array. */
  all<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  one<Row>(text: string, values?: readonly unknown[]): Promise<Row | null>;
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

/** An open database. A statement outside a transaction is its own transaction. */
export interface Database extends Sql {
  /**
   * Runs `work` atomically; an error in it rolls back. Others wait (SQLite) or run concurrently
   * (PostgreSQL, READ COMMITTED: lock the rows on which you decide). Transactions do not nest:
   * inside `work` use its `tx`; the database itself throws there. Wait for nothing else inside: on
   * SQLite every other process waits meanwhile.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** Runs `work`, which may only read, on one snapshot of the database. */
  snapshot<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** Several statements without values: a schema step, or VACUUM. May take minutes. */
  script(text: string): Promise<void>;
  close(): Promise<void>;
}

/** The same statements, each run by `ask`. */
export function ranBy({ dialect, all, one, run }: Sql, ask: <T>(work: () => Promise<T>) => Promise<T>): Sql {
  return {
    dialect,
    all: (text, values) => ask(() => all(text, values)),
    one: (text, values) => ask(() => one(text, values)),
    run: (text, values) => ask(() => run(text, values)),
  };
}

/** Error message for a statement on the database inside a transaction. */
export const NESTED = "inside of a transaction use the `tx` that it was given; transactions do not nest";
