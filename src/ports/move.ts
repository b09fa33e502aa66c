// What moving a store asks of the database that it leaves and of the one that it comes to.
import type { MovedRow, MovedTable } from "../domain/moved-tables.ts";

/** One of the two. Methods may throw Transient, and StoreUnusable with what the operator can do. */
export interface MoveSide {
  /** Rows in the order of the table's key, after this key (null: from the first), at most so many. */
  page(table: MovedTable, after: MovedRow | null, most: number): Promise<readonly MovedRow[]>;
}

export interface MoveSource extends MoveSide {
  /** Another one each time that something was written. */
  mark(): string;
  /** The number that the next write of memory must be above. */
  clock(): number;
}

export interface MoveTarget extends MoveSide {
  /**
   * Gets ready for what comes from a source in this state.
   *
   * @throws StoreUnusable when it holds a store already, or began with another state of the source
   */
  begin(mark: string): Promise<void>;
  /** How far a table was moved: the last key, and whether that was all. */
  progress(table: MovedTable): Promise<{ readonly after: MovedRow | null; readonly done: boolean }>;
  /** Writes rows and how far that is, both or neither. */
  put(
    table: MovedTable,
    rows: readonly MovedRow[],
    at: { readonly after: MovedRow | null; readonly done: boolean },
  ): Promise<void>;
  /** What comes later is numbered after all that was moved. */
  finish(clock: number): Promise<void>;
}
