// The tables outside memory: queue and processes, reviews, writes to GitHub, conversations,
// spending, retrievals. On SQLite a file of their own, queue.db: an import may hold memory.db's
// lock while a review writes.
import type { SchemaPart } from "../migrate.ts";

/**
 * Times are epoch milliseconds: of the queue, of processes, and of writes to GitHub by the
 * database's clock (`dialect.now`), others by the clock of the process that wrote the row.
 */
const TABLES = `
-- What a delivery can become is the program's to say. Its meaning is HOST/REPO_ID#NUMBER@HASH: the same under another id is known.
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY, event TEXT NOT NULL, received_at INTEGER NOT NULL,
  outcome TEXT NOT NULL, reason TEXT, meaning TEXT
);
CREATE UNIQUE INDEX deliveries_by_meaning ON deliveries (meaning) WHERE meaning IS NOT NULL;
CREATE INDEX deliveries_by_age ON deliveries (received_at);
-- One row that is written to see whether the store can keep anything.
CREATE TABLE probes (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL);

CREATE TABLE jobs (
  id ID, key TEXT NOT NULL, lane TEXT NOT NULL,
  -- JSON.
  job TEXT NOT NULL,
  repo TEXT NOT NULL,
  -- Who owns the repository: HOST/OWNER_ID.
  account TEXT NOT NULL,
  installation_id INTEGER,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'superseded', 'cancelled', 'parked')),
  attempt INTEGER NOT NULL DEFAULT 0,
  run_at INTEGER NOT NULL,
  -- When it is served: its repository's turn (see turns), or before all turns (see put.ts).
  turn INTEGER NOT NULL DEFAULT 0,
  -- 1: it was begun and given back, because its process had no room for a change so large.
  large INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL, finished_at INTEGER, outcome TEXT,
  -- Which process holds it, for which time it was taken, and since when.
  owner TEXT, token INTEGER NOT NULL DEFAULT 0, taken_at INTEGER,
  -- Processes that died over it since it last made progress, of those the ones in which it ran alone, and how many jobs the last one held.
  deaths INTEGER NOT NULL DEFAULT 0, alone INTEGER NOT NULL DEFAULT 0, company INTEGER
);
-- The promises themselves: of one key one job runs, and one waits.
CREATE UNIQUE INDEX jobs_one_runs ON jobs (key) WHERE state = 'running';
CREATE UNIQUE INDEX jobs_one_waits ON jobs (key) WHERE state = 'waiting';
CREATE INDEX jobs_by_key ON jobs (key, state);
CREATE INDEX jobs_before_turns ON jobs (lane, turn, run_at, id) WHERE state = 'waiting' AND turn < 0;
CREATE INDEX jobs_in_turn ON jobs (lane, account, turn, run_at, id, repo) WHERE state = 'waiting';
CREATE INDEX jobs_by_repo ON jobs (lane, repo, turn) WHERE state IN ('waiting', 'running');
CREATE INDEX jobs_due ON jobs (lane, run_at) WHERE state = 'waiting';
CREATE INDEX jobs_suspected ON jobs (run_at) WHERE state = 'waiting' AND turn = -2;
CREATE INDEX jobs_held ON jobs (owner) WHERE state = 'running';
CREATE INDEX jobs_counted ON jobs (state) WHERE state IN ('waiting', 'running', 'parked');
CREATE INDEX jobs_by_installation ON jobs (installation_id) WHERE state = 'waiting';
CREATE INDEX jobs_by_age ON jobs (finished_at) WHERE finished_at IS NOT NULL;

-- The turn in which each account was last served, and each repository among those of its account.
CREATE TABLE account_turns (lane TEXT NOT NULL, account TEXT NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (lane, account));
CREATE INDEX account_turns_by_turn ON account_turns (lane, turn);
CREATE TABLE turns (
  lane TEXT NOT NULL, repo TEXT NOT NULL, account TEXT NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (lane, repo)
);
CREATE INDEX turns_by_turn ON turns (lane, account, turn);
-- The processes that work on this database; each counts up every few seconds.
CREATE TABLE instances (id TEXT PRIMARY KEY, process TEXT, beats INTEGER NOT NULL);
-- What GitHub asks of us: not to ask before, and not to write so often. While a process has its turn to write, next_write lies in the
-- future.
CREATE TABLE installations (
  id INTEGER PRIMARY KEY, closed_until INTEGER NOT NULL DEFAULT 0,
  next_write INTEGER NOT NULL DEFAULT 0, writer TEXT, writer_process TEXT
);

-- Written goes up with every review: clocks of several machines do not tell which is the latest.
CREATE TABLE reviews (
  written ID, key TEXT NOT NULL, head_sha TEXT NOT NULL, base_sha TEXT NOT NULL,
  review TEXT NOT NULL, written_at INTEGER NOT NULL, settled_at INTEGER, outcome TEXT,
  UNIQUE (key, head_sha, base_sha)
);
CREATE INDEX reviews_latest ON reviews (key, written);
CREATE INDEX reviews_posted ON reviews (settled_at, key) WHERE outcome = 'posted';
CREATE INDEX reviews_settled ON reviews (settled_at) WHERE settled_at IS NOT NULL;
-- Answers of a model to reviews that are not written yet: they go when the review is saved.
CREATE TABLE replies (
  key TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (key, question)
);
CREATE INDEX replies_by_time ON replies (at);
CREATE TABLE check_runs (
  -- GitHub's number for it.
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL, head_sha TEXT NOT NULL, repo TEXT NOT NULL, installation_id INTEGER NOT NULL,
  fail_on TEXT NOT NULL, begun_at INTEGER NOT NULL, ending TEXT, ended_at INTEGER
);
CREATE INDEX check_runs_by_key ON check_runs (key, head_sha);
CREATE INDEX check_runs_open ON check_runs (begun_at) WHERE ended_at IS NULL;
CREATE INDEX check_runs_ended ON check_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE TABLE push_waits (repo TEXT PRIMARY KEY, ms INTEGER NOT NULL);

-- What is created on GitHub: written before it is sent, and until its outcome is known.
CREATE TABLE intents (
  id ID, key TEXT NOT NULL, repo TEXT NOT NULL, wanted TEXT NOT NULL, identity TEXT NOT NULL UNIQUE, marker TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('sent', 'posted', 'refused')),
  tries INTEGER NOT NULL, sent_at INTEGER NOT NULL, ended_at INTEGER, post TEXT
);
CREATE INDEX intents_open ON intents (sent_at) WHERE state = 'sent';
CREATE INDEX intents_by_repo ON intents (repo);
CREATE INDEX intents_ended ON intents (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE spending (
  id ID, repo TEXT NOT NULL, at INTEGER NOT NULL, purpose TEXT NOT NULL,
  input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
  -- US$, NULL where the model has no price.
  usd REAL,
  -- Who asked, NULL where no job did. 1: for people without write access to the repository.
  job INTEGER, outsider INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX spending_by_repo ON spending (repo, at);
CREATE INDEX spending_by_time ON spending (at);
-- What running jobs have reserved of budgets and not spent yet, US$. Whichever process takes the job again reserves again.
CREATE TABLE bookings (
  job INTEGER PRIMARY KEY, token INTEGER NOT NULL, repo TEXT NOT NULL, usd REAL NOT NULL, outsider INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE paused (key TEXT PRIMARY KEY, by TEXT NOT NULL, at INTEGER NOT NULL);
CREATE TABLE declined (
  key TEXT NOT NULL, finding TEXT NOT NULL, by TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (key, finding)
);
CREATE TABLE answers (
  id ID, comment TEXT NOT NULL UNIQUE, repo TEXT NOT NULL, thread TEXT NOT NULL,
  user_id INTEGER NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL
);
CREATE INDEX answers_by_person ON answers (repo, user_id, kind, at);
CREATE INDEX answers_by_thread ON answers (thread, id);
CREATE INDEX answers_by_age ON answers (at);

-- Where the import of a repository's past reviews stands. No text by others.
CREATE TABLE history (repo TEXT PRIMARY KEY, progress TEXT NOT NULL);
-- When each pull request with findings of ours was last looked at for what people did about them.
CREATE TABLE looks (key TEXT PRIMARY KEY, at INTEGER NOT NULL, closed INTEGER NOT NULL CHECK (closed IN (0, 1)));
-- Missed events: deliveries that GitHub was asked to send again, when the open pull requests of each repository were last looked at, and
-- heads that were there before us and are reviewed on request only.
CREATE TABLE redeliveries (id TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE INDEX redeliveries_by_age ON redeliveries (at);
CREATE TABLE watched (repo TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE TABLE old_heads (key TEXT PRIMARY KEY, head_sha TEXT NOT NULL);
-- Times of the store as a whole, by name: how far GitHub's log was read, when open pull requests were last checked, when a backup was restored.
CREATE TABLE moments (name TEXT PRIMARY KEY, at INTEGER NOT NULL);
-- The epoch of a clock that nothing sets: see the embedded queue's clock.
CREATE TABLE boots (id TEXT PRIMARY KEY, epoch INTEGER NOT NULL);
`;

/** Summaries that announce a review in progress. */
const PROGRESS = `
CREATE TABLE progress_notes (
  key TEXT PRIMARY KEY, repo TEXT NOT NULL, number INTEGER NOT NULL, installation_id INTEGER NOT NULL
);
`;

/**
 * Not beside the memories: a memory that is restored or begun again keeps its figures. Stores from
 * before had one column a figure; their log, of thirty days, begins again.
 */
const RETRIEVALS = `
DROP TABLE IF EXISTS retrievals;
CREATE TABLE retrievals (
  row ID, id TEXT NOT NULL UNIQUE, repo TEXT NOT NULL, repo_name TEXT NOT NULL, pull INTEGER,
  origin TEXT NOT NULL, searched INTEGER NOT NULL, retrieval_ms REAL NOT NULL, query TEXT NOT NULL,
  -- JSON: all of it but the query.
  entry TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX retrievals_by_age ON retrievals (created_at);
CREATE INDEX retrievals_by_repo ON retrievals (repo);
`;

/**
 * PostgreSQL plans the lease of a job by statistics of a time when nearly all jobs were done: it
 * would sort all waiting ones for each account, three times as slow with 5,000 of them. Without
 * statistics of the state it reads them in order.
 */
const UNCOUNTED_STATES: SchemaPart["steps"][number] = ({ name }) =>
  name === "postgres" ? "ALTER TABLE jobs ALTER COLUMN state SET STATISTICS 0;" : "";

/**
 * One order of jobs (by account, then by due time), one counter of crashes, and no clock in the
 * file. A column of an index cannot be dropped before the index.
 */
const ONE_ORDER = `
DROP INDEX jobs_before_turns;
DROP INDEX jobs_in_turn;
DROP INDEX jobs_by_repo;
DROP INDEX jobs_suspected;
ALTER TABLE jobs DROP COLUMN turn;
ALTER TABLE jobs DROP COLUMN alone;
ALTER TABLE jobs DROP COLUMN company;
CREATE INDEX jobs_of_account ON jobs (lane, account, run_at, id, repo) WHERE state = 'waiting';
DROP TABLE turns;
DROP TABLE boots;
`;

/** GitHub is not asked to deliver again. */
const NO_REDELIVERIES = `
DROP TABLE redeliveries;
DELETE FROM moments WHERE name = 'swept';
`;

/** What a head's check depends on beside its review: other pull requests, bases, declines. */
const VERDICTS = `
ALTER TABLE check_runs ADD COLUMN base_ref TEXT NOT NULL DEFAULT '';
-- What GitHub shows, and what the review of this pull request came to: success, neutral or failure.
ALTER TABLE check_runs ADD COLUMN conclusion TEXT;
ALTER TABLE check_runs ADD COLUMN verdict TEXT;
CREATE INDEX check_runs_by_head ON check_runs (head_sha);
ALTER TABLE reviews ADD COLUMN base_ref TEXT NOT NULL DEFAULT '';
-- 1: the person had write access. Of earlier declines that is not known.
ALTER TABLE declined ADD COLUMN writer INTEGER NOT NULL DEFAULT 0;
`;

/** How often an attempt of the job was ended because it took too much time. */
const OVERRUNS = "ALTER TABLE jobs ADD COLUMN overruns INTEGER NOT NULL DEFAULT 0;";

/** What model servers do not take, as JSON, by address and model. */
const MODEL_LESSONS = `
CREATE TABLE model_lessons (server TEXT PRIMARY KEY, lessons TEXT NOT NULL, at INTEGER NOT NULL);
`;

/** Nothing asks when the next job is due. */
const NO_DUE_TIMES = "DROP INDEX jobs_due;\nDROP INDEX jobs_by_installation;";

/** A summary does not say that a review is being written. */
const NO_PROGRESS_NOTES = "DROP TABLE progress_notes;";

/** Imports go by pull request: one under way in lists of comments begins again. */
const IMPORTS_BY_PULL = "DELETE FROM history WHERE progress LIKE '%\"finishedAt\":null%';";

/** A list or count of reviews reads an index, and not the texts that stand before its columns. */
const REVIEW_LISTS = `
CREATE INDEX reviews_by_time ON reviews (written_at, key, outcome);
CREATE INDEX reviews_by_repo ON reviews (key, written_at, outcome);
`;

const step =
  (text: string): SchemaPart["steps"][number] =>
  (dialect) =>
    dialect.schema(text);

export const QUEUE_PART: SchemaPart = {
  part: "queue",
  steps: [
    ...[TABLES, PROGRESS, RETRIEVALS].map(step),
    UNCOUNTED_STATES,
    ...[
      ONE_ORDER,
      NO_REDELIVERIES,
      VERDICTS,
      OVERRUNS,
      MODEL_LESSONS,
      NO_DUE_TIMES,
      NO_PROGRESS_NOTES,
      IMPORTS_BY_PULL,
      REVIEW_LISTS,
    ].map(step),
  ],
};
