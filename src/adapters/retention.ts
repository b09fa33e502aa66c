// How long things are kept, in one list: what is older goes, a little at a time. docs/data.md shows this list.

export const DAY_MS = 24 * 60 * 60_000;
/** Rows a transaction: a delivery that comes in meanwhile is not kept waiting. */
export const CHUNK = 500;

/** Blobs of snapshots are kept for so long after they were read from GitHub. */
export const BLOB_DAYS = 7;

export interface Retention {
  readonly table: string;
  /** The column with the time that counts, in epoch milliseconds. */
  readonly since: string;
  /** Which rows besides, in SQL; absent: all. */
  readonly only?: string;
  readonly days: number;
}

/** Beside memory. What has no row here stays until its repository is forgotten. */
export const RETENTION: readonly Retention[] = [
  // GitHub can send a delivery again for 3 days; an id is known for much longer.
  { table: "deliveries", since: "received_at", days: 60 },
  { table: "redeliveries", since: "at", days: 60 },
  // Looking for what people did about findings goes by the last job of a pull request for 30 days.
  { table: "jobs", since: "finished_at", only: "state NOT IN ('waiting', 'running')", days: 60 },
  { table: "answers", since: "at", days: 60 },
  // A review that nobody began again by then is not begun again.
  { table: "replies", since: "at", days: 2 },
  { table: "intents", since: "ended_at", only: "state <> 'sent'", days: 90 },
  { table: "check_runs", since: "ended_at", days: 60 },
  // A session that was logged out of, until it would have ended by itself.
  { table: "moments", since: "at", only: "name LIKE 'session %'", days: 1 },
  { table: "reviews", since: "settled_at", days: 400 },
  { table: "spending", since: "at", days: 400 },
];
