// How long data is kept: older rows are deleted in small batches. docs/data.md has this list.

export const DAY_MS = 24 * 60 * 60_000;
/** Rows per transaction: a delivery that arrives meanwhile does not wait long. */
export const CHUNK = 500;

/** How long blobs of snapshots are kept after they were read from GitHub. */
export const BLOB_DAYS = 7;

interface Retention {
  readonly table: string;
  /** The column with the relevant time, in epoch milliseconds. */
  readonly since: string;
  /** A further condition, in SQL; absent: all rows. */
  readonly only?: string;
  readonly days: number;
}

/** Everything but memory. A table without an entry is kept until its repository is forgotten. */
export const RETENTION: readonly Retention[] = [
  // A person can have GitHub send a delivery again for 3 days; ids are kept much longer.
  { table: "deliveries", since: "received_at", days: 60 },
  // Feedback is collected by the last job of a pull request for 30 days.
  { table: "jobs", since: "finished_at", only: "state NOT IN ('waiting', 'running')", days: 60 },
  { table: "answers", since: "at", days: 60 },
  // A review that was not resumed by then will not be.
  { table: "replies", since: "at", days: 2 },
  { table: "intents", since: "ended_at", only: "state <> 'sent'", days: 90 },
  // As long as reviews: the check of a head depends on earlier verdicts.
  { table: "check_runs", since: "ended_at", days: 400 },
  // A session that was logged out, until it would have expired.
  { table: "moments", since: "at", only: "name LIKE 'session %'", days: 1 },
  { table: "reviews", since: "settled_at", days: 400 },
  { table: "spending", since: "at", days: 400 },
];
