// What our code asks of a Postgres: statements and transactions, whoever runs them.

/** Statements with `$1`, `$2`, … Throws `Transient` for what passes, `Error` for what does not. */
export interface Sql {
  /** Rows as objects; int8 and count(*) come as numbers, bytea as Buffer. */
  all<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The first row, or null. */
  one<Row>(sql: string, values?: readonly unknown[]): Promise<Row | null>;
  /** How many rows were written. */
  run(sql: string, values?: readonly unknown[]): Promise<number>;
}

/** An open database; each statement for itself, unless it is asked in a transaction. */
export interface Postgres extends Sql {
  /** All of `work` or none of it. What `work` throws rolls it back. READ COMMITTED: lock rows before you decide by them. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** One state of the database for all of `work`, which may only read. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** One statement that may take minutes and stands in no transaction: VACUUM, CREATE INDEX CONCURRENTLY. */
  patiently(sql: string): Promise<void>;
  /** Ends all connections once they are idle. */
  close(): Promise<void>;
}
