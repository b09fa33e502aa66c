// Migration of a whole store from one database to another, for the command line.

/** A migrated table: both sides are equal, row for row. */
export interface MovedTable {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of its rows, ordered by key. */
  readonly checksum: string;
}

/** Progress callback, with the rows of one table so far. */
export type ReportMoved = (what: "moving" | "verified", table: string, rows: number) => void;

/**
 * Migrates everything and verifies it; after an interruption, another call resumes. Throws StoreUnusable when the target holds another
 * store, the source changed meanwhile, or a table differs afterwards.
 */
export type MoveStore = (report: ReportMoved) => Promise<readonly MovedTable[]>;
