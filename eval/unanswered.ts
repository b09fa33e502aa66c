// Rows of the data that could not be answered: each is counted with its id, and the run goes on
// without it.

/** A row, and why there is no answer to it. */
export interface UnansweredRow {
  /** The row's own id, or FILE:LINE. */
  readonly id: string;
  readonly reason: string;
}

/** Of this process, which runs one suite. */
const rows: UnansweredRow[] = [];

/** Counts a row as unanswered. */
export function unanswered(id: string, reason: unknown): void {
  rows.push({ id, reason: reason instanceof Error ? reason.message : String(reason) });
}

/** Every row that was counted so far. */
export function unansweredRows(): readonly UnansweredRow[] {
  return rows;
}

/**
 * What `work` makes of each row; rows of which it throws are counted, by what `idOf` calls them.
 */
export function answered<T, A>(all: readonly T[], idOf: (row: T) => string, work: (row: T) => A): A[] {
  return all.flatMap((row) => {
    try {
      return [work(row)];
    } catch (error) {
      unanswered(idOf(row), error);
      return [];
    }
  });
}
