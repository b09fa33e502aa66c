// Moving a whole store from one database to another, for the command line.

/** A table that is there on both sides, row for row. */
export interface MovedTable {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of its rows, in the order of their keys. */
  readonly checksum: string;
}

/** Called now and then, with the rows of one table until then. */
export type ReportMoved = (what: "moving" | "verified", table: string, rows: number) => void;

/**
 * Moves everything and proves it. Called again after it was stopped, it goes on.
 *
 * @throws StoreUnusable when the target holds another store, the source was written to meanwhile, or a table differs afterwards
 */
export type MoveStore = (report: ReportMoved) => Promise<readonly MovedTable[]>;
