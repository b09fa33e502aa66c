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
  CREATE TABLE spending (
    id            INTEGER PRIMARY KEY,
    repo          TEXT NOT NULL,
    at            INTEGER NOT NULL,
    purpose       TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    usd           REAL
  ) STRICT;
  CREATE INDEX spending_by_repo ON spending (repo, at);
  `,
  `
  CREATE TABLE check_runs (
    id              INTEGER PRIMARY KEY,
    key             TEXT NOT NULL,
    head_sha        TEXT NOT NULL,
    repo            TEXT NOT NULL,
    installation_id INTEGER NOT NULL,
    fail_on         TEXT NOT NULL,
    begun_at        INTEGER NOT NULL,
    ending          TEXT,
    ended_at        INTEGER
  ) STRICT;
  CREATE INDEX check_runs_open ON check_runs (key) WHERE ended_at IS NULL;
  CREATE TABLE push_waits (
    repo TEXT PRIMARY KEY,
    ms   INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX spending_by_time ON spending (at);
  `,
];
