// What moving a store asks of the database that it leaves and of the one that it comes to.
import type { MovedPage } from "../domain/moved-page.ts";
import type { MovedRow, MovedTable } from "../domain/moved-tables.ts";

/** Rows in the order of a table's key: after the one key, up to and with the other; null for the first and the last. */
export interface MovedRange {
  readonly after: MovedRow | null;
  readonly upTo: MovedRow | null;
}

/** How far something was moved: the last key, and whether that was all. */
export interface MovedSoFar {
  readonly after: MovedRow | null;
  readonly done: boolean;
}

/** Methods may throw Transient, and StoreUnusable with what the operator can do. */
export interface MoveSource {
  /** At most so many rows. */
  page(table: MovedTable, range: MovedRange, most: number): Promise<readonly MovedRow[]>;
  /** A key with about as many rows before as after it, the same each time; null for a table that is small. */
  middle(table: MovedTable): Promise<MovedRow | null>;
  /** Another one each time that something was written. */
  mark(): string;
  /** The number that the next write of memory must be above. */
  clock(): number;
}

export interface MoveTarget {
  /**
   * Gets ready for what comes from a source in this state.
   *
   * @throws StoreUnusable when it holds a store already, or began with another state of the source
   */
  begin(mark: string): Promise<void>;
  /** How far a part was moved; each table is moved in one part or several. */
  progress(part: string): Promise<MovedSoFar>;
  /** Writes rows of a table and how far its part is, both or neither. */
  put(table: MovedTable, page: MovedPage, part: string, at: MovedSoFar): Promise<void>;
  /** Makes what a table is searched by, once all of it is there. */
  index(table: MovedTable): Promise<void>;
  /** Of at most so many rows, as they are kept, the SHA-256 of each (see MovedPage), one after the other; and the last one's key. */
  digests(
    table: MovedTable,
    range: MovedRange,
    most: number,
  ): Promise<{ readonly rows: number; readonly digests: Uint8Array; readonly last: MovedRow | null }>;
  /** What comes later is numbered after all that was moved. From here on the database is in use. */
  finish(clock: number): Promise<void>;
}
