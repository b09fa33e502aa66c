import type { Migrations } from "./database.ts";

/** Schema of queue.db. Append only: a released step is never edited. */
export const QUEUE_MIGRATIONS: Migrations = [
  `
  CREATE TABLE deliveries (
    id          TEXT PRIMARY KEY,
    event       TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    outcome     TEXT NOT NULL CHECK (outcome IN ('review', 'cancel', 'ignored')),
    reason      TEXT
  ) STRICT;

  CREATE TABLE jobs (
    id          INTEGER PRIMARY KEY,
    key         TEXT NOT NULL,
    job         TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'superseded', 'cancelled', 'dead')),
    attempt     INTEGER NOT NULL DEFAULT 0,
    run_at      INTEGER NOT NULL,
    lease_until INTEGER,
    outcome     TEXT,
    created_at  INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT;
  CREATE INDEX jobs_open ON jobs (state, run_at);
  CREATE INDEX jobs_by_key ON jobs (key, state);

  CREATE TABLE reviews (
    key        TEXT NOT NULL,
    head_sha   TEXT NOT NULL,
    base_sha   TEXT NOT NULL,
    review     TEXT NOT NULL,
    written_at INTEGER NOT NULL,
    settled_at INTEGER,
    outcome    TEXT,
    PRIMARY KEY (key, head_sha, base_sha)
  ) STRICT;
  `,
  `
  -- What a delivery can become is the program's to say: the list grows.
  CREATE TABLE deliveries_2 (
    id          TEXT PRIMARY KEY,
    event       TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    outcome     TEXT NOT NULL,
    reason      TEXT
  ) STRICT;
  INSERT INTO deliveries_2 SELECT id, event, received_at, outcome, reason FROM deliveries;
  DROP TABLE deliveries;
  ALTER TABLE deliveries_2 RENAME TO deliveries;

  ALTER TABLE jobs ADD COLUMN lane TEXT NOT NULL DEFAULT 'review' CHECK (lane IN ('review', 'upkeep'));
  `,
];
