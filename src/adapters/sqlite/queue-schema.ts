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
  -- What retrieval did. It stands here, not beside the memories: a review writes it while an import may hold the other
  -- file's write lock, and a memory that is restored or begun anew keeps its figures.
  CREATE TABLE retrievals (
    row              INTEGER PRIMARY KEY,
    id               TEXT NOT NULL UNIQUE,
    repo             TEXT NOT NULL,
    repo_name        TEXT NOT NULL,
    pull             INTEGER,
    origin           TEXT NOT NULL,
    query            TEXT NOT NULL,
    method           TEXT NOT NULL,
    searched         INTEGER NOT NULL CHECK (searched IN (0, 1)),
    ids              TEXT NOT NULL,
    scores           TEXT NOT NULL,
    distances        TEXT NOT NULL,
    rerank_scores    TEXT NOT NULL DEFAULT '[]',
    results          INTEGER NOT NULL,
    retrieval_ms     REAL NOT NULL,
    rerank_ms        REAL,
    scanned          INTEGER NOT NULL,
    candidates       INTEGER NOT NULL,
    embedded_texts   INTEGER NOT NULL,
    embedded_cached  INTEGER NOT NULL,
    embedding_tokens INTEGER NOT NULL,
    embedding_usd    REAL NOT NULL,
    rerank           TEXT,
    tokens           INTEGER NOT NULL DEFAULT 0,
    usd              REAL NOT NULL DEFAULT 0,
    gate_retrieve    INTEGER NOT NULL CHECK (gate_retrieve IN (0, 1)),
    gate_by          TEXT NOT NULL,
    gate_confidence  REAL NOT NULL,
    shadow           INTEGER NOT NULL CHECK (shadow IN (0, 1)),
    shadow_hits      INTEGER NOT NULL,
    degraded         TEXT NOT NULL,
    average_distance REAL,
    language_match   REAL,
    top_k            INTEGER NOT NULL,
    threshold        REAL NOT NULL,
    calibrated       REAL NOT NULL,
    created_at       INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX retrievals_by_age ON retrievals (created_at);
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
  `
  -- Lanes, too, are the program's to name.
  CREATE TABLE jobs_2 (
    id          INTEGER PRIMARY KEY,
    key         TEXT NOT NULL,
    lane        TEXT NOT NULL,
    job         TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'superseded', 'cancelled', 'dead')),
    attempt     INTEGER NOT NULL DEFAULT 0,
    run_at      INTEGER NOT NULL,
    lease_until INTEGER,
    outcome     TEXT,
    created_at  INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT;
  INSERT INTO jobs_2
    SELECT id, key, lane, job, state, attempt, run_at, lease_until, outcome, created_at, finished_at FROM jobs;
  DROP TABLE jobs;
  ALTER TABLE jobs_2 RENAME TO jobs;
  CREATE INDEX jobs_open ON jobs (state, run_at);
  CREATE INDEX jobs_by_key ON jobs (key, state);

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
  `
  -- Where the import of a repository's past reviews stands. No text by others.
  CREATE TABLE history (
    repo     TEXT PRIMARY KEY,
    progress TEXT NOT NULL
  ) STRICT;
  -- When each pull request with findings of ours was last looked at for what people did about them.
  CREATE TABLE looks (
    key    TEXT PRIMARY KEY,
    at     INTEGER NOT NULL,
    closed INTEGER NOT NULL CHECK (closed IN (0, 1))
  ) STRICT;
  CREATE INDEX reviews_posted ON reviews (settled_at, key) WHERE outcome = 'posted';
  `,
  `
  -- What nobody told us of. Deliveries that GitHub was asked to send once more.
  CREATE TABLE redeliveries (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- When the open pull requests of each repository were last looked at.
  CREATE TABLE watched (
    repo TEXT PRIMARY KEY,
    at   INTEGER NOT NULL
  ) STRICT;
  -- Heads that were there before us, and are reviewed only when somebody asks.
  CREATE TABLE old_heads (
    key      TEXT PRIMARY KEY,
    head_sha TEXT NOT NULL
  ) STRICT;
  -- Times of the store as a whole, by name: how far GitHub's log was read, when a backup was restored.
  CREATE TABLE moments (
    name TEXT PRIMARY KEY,
    at   INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- What a delivery says, as HOST/REPO_ID#NUMBER@HASH: said again under another id, it is known again.
  ALTER TABLE deliveries ADD COLUMN meaning TEXT;
  CREATE UNIQUE INDEX deliveries_by_meaning ON deliveries (meaning) WHERE meaning IS NOT NULL;
  CREATE INDEX deliveries_by_age ON deliveries (received_at);
  -- One row that is written to see whether the store can keep anything.
  CREATE TABLE probes (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- Who holds a job, for which time it was taken, and how many processes died over it since it last came on.
  ALTER TABLE jobs DROP COLUMN lease_until;
  ALTER TABLE jobs ADD COLUMN owner TEXT;
  ALTER TABLE jobs ADD COLUMN token INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE jobs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE jobs ADD COLUMN repo TEXT
    GENERATED ALWAYS AS (json_extract(job, '$.repo.host') || '/' || json_extract(job, '$.repo.id')) VIRTUAL;
  ALTER TABLE jobs ADD COLUMN installation_id INTEGER
    GENERATED ALWAYS AS (json_extract(job, '$.installationId')) VIRTUAL;
  CREATE INDEX jobs_in_turn ON jobs (lane, repo, run_at, id) WHERE state = 'waiting';
  -- The processes that work on this file; each counts up every few seconds.
  CREATE TABLE instances (
    id      TEXT PRIMARY KEY,
    process TEXT,
    beats   INTEGER NOT NULL
  ) STRICT;
  -- When each repository was last served, counted in jobs taken.
  CREATE TABLE turns (
    lane TEXT NOT NULL,
    repo TEXT NOT NULL,
    turn INTEGER NOT NULL,
    PRIMARY KEY (lane, repo)
  ) STRICT, WITHOUT ROWID;
  -- What GitHub asks of us: not to ask before, and not to write so often.
  CREATE TABLE installations (
    id           INTEGER PRIMARY KEY,
    closed_until INTEGER NOT NULL DEFAULT 0,
    next_write   INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- What is created on GitHub: written down before it is sent, and until its outcome is known.
  CREATE TABLE intents (
    id       INTEGER PRIMARY KEY,
    key      TEXT NOT NULL,
    repo     TEXT NOT NULL,
    wanted   TEXT NOT NULL,
    identity TEXT NOT NULL UNIQUE,
    marker   TEXT NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('sent', 'posted', 'refused')),
    tries    INTEGER NOT NULL,
    sent_at  INTEGER NOT NULL,
    ended_at INTEGER,
    post     TEXT
  ) STRICT;
  CREATE INDEX intents_open ON intents (sent_at) WHERE state = 'sent';
  CREATE INDEX intents_by_repo ON intents (repo);
  -- The epoch of a clock that nobody sets.
  CREATE TABLE boots (
    id    TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- Whose turn it is to write to an installation; until then next_write lies in the future.
  ALTER TABLE installations ADD COLUMN writer TEXT;
  ALTER TABLE installations ADD COLUMN writer_process TEXT;
  `,
  `
  -- Of the processes that died over a job, those in which it ran alone (adapters/suspicion.ts); since when it is held; and when it was
  -- interrupted, until it is taken up again: interrupted jobs come before all that wait.
  ALTER TABLE jobs ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE jobs ADD COLUMN taken_at INTEGER;
  ALTER TABLE jobs ADD COLUMN interrupted_at INTEGER;
  `,
  `
  -- Answers of a model to reviews that are not written yet: they go when the review is saved.
  CREATE TABLE replies (
    key      TEXT NOT NULL,
    question TEXT NOT NULL,
    answer   TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (key, question)
  ) STRICT;
  CREATE INDEX replies_by_time ON replies (at);
  `,
  // What jobs that run have set aside of budgets and not spent yet, US$. Whoever takes the job again sets aside anew.
  "CREATE TABLE bookings (job INTEGER PRIMARY KEY, token INTEGER NOT NULL, repo TEXT NOT NULL, usd REAL NOT NULL) STRICT;",
];
