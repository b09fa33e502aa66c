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
  // The kinds of a delivery's outcome are the program's; a table cannot learn a new one without being made anew.
  `
  CREATE TABLE deliveries_anew (
    id          TEXT PRIMARY KEY,
    event       TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    outcome     TEXT NOT NULL,
    reason      TEXT
  ) STRICT;
  INSERT INTO deliveries_anew SELECT id, event, received_at, outcome, reason FROM deliveries;
  DROP TABLE deliveries;
  ALTER TABLE deliveries_anew RENAME TO deliveries;
  `,
  `
  CREATE TABLE paused (
    key TEXT PRIMARY KEY,
    by  TEXT NOT NULL,
    at  INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE declined (
    key     TEXT NOT NULL,
    finding TEXT NOT NULL,
    by      TEXT NOT NULL,
    reason  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (key, finding)
  ) STRICT;
  CREATE TABLE answers (
    id      INTEGER PRIMARY KEY,
    comment TEXT NOT NULL UNIQUE,
    repo    TEXT NOT NULL,
    thread  TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    at      INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX answers_by_person ON answers (repo, user_id, kind, at);
  CREATE INDEX answers_by_thread ON answers (thread, id);
  `,
];
