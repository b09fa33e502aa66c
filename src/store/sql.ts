// The port between the store's code and a database: statements and transactions, the same on SQLite and on PostgreSQL.
import type { Dialect } from "./dialect.ts";

/**
 * Statements with `$1`, `$2`, … Values are strings, numbers, booleans (kept as 0 and 1), null, bytes, or an array for
 * `dialect.among`. Throws `Transient` for what passes (a lock, a full disk, a lost connection), `Error` for the rest.
 */
export interface Sql {
  readonly dialect: Dialect;
  /** Rows as objects. Whole numbers and counts come as numbers, bytes as Uint8Array. */
  all<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The first row, or null. */
  one<Row>(text: string, values?: readonly unknown[]): Promise<Row | null>;
  /** How many rows were written. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

/** An open database. A statement outside of a transaction is a transaction of its own. */
export interface Database extends Sql {
  /**
   * All of `work` or none of it: what `work` throws rolls it back. Statements of others wait (SQLite) or run beside it
   * (PostgreSQL, READ COMMITTED: lock the rows by which you decide). Transactions do not nest: inside of `work` use the `tx`
   * that it is given; the database itself throws there. No network call inside.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** One state of the database for all of `work`, which may only read. */
  snapshot<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** Runs text of several statements without values: a step of the schema, or maintenance such as VACUUM. May take minutes. */
  script(text: string): Promise<void>;
  /** Ends all connections once they are idle. */
  close(): Promise<void>;
}

/** What a statement outside of the transaction answers that is asked for inside of it. */
export const NESTED = "inside of a transaction use the `tx` that it was given; transactions do not nest";
