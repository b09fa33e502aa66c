// The tables outside memory: the queue and its processes, reviews, writes to GitHub, conversations, spending, and retrievals. On SQLite
// they are a file of their own, queue.db, because an import may hold memory.db's lock while a review writes.
import type { Dialect } from "../dialect.ts";
import type { SchemaPart } from "../migrate.ts";

export const QUEUE_PART: SchemaPart = { part: "queue", steps: [queueSchema, progressSchema] };

/** Summaries that announce a review in progress. */
function progressSchema({ type: { int, text }, strict }: Dialect): string {
  return `CREATE TABLE progress_notes (
  key ${text} PRIMARY KEY,
  repo ${text} NOT NULL,
  number ${int} NOT NULL,
  installation_id ${int} NOT NULL
)${strict};`;
}

/**
 * Times are epoch milliseconds. Those of the queue, of processes, and of writes to GitHub use the database's clock (`dialect.now`);
 * all others the clock of the process that wrote the row.
 */
function queueSchema({ type, strict }: Dialect): string {
  const { id, int, real, text } = type;
  const table = (name: string, ...columns: readonly string[]) =>
    `CREATE TABLE ${name} (\n  ${columns.join(",\n  ")}\n)${strict};\n`;
  return `
-- What a delivery can become is the program's to say. Its meaning is HOST/REPO_ID#NUMBER@HASH: the same under another id is known.
${table("deliveries", `id ${text} PRIMARY KEY`, `event ${text} NOT NULL`, `received_at ${int} NOT NULL`, `outcome ${text} NOT NULL`, `reason ${text}`, `meaning ${text}`)}
CREATE UNIQUE INDEX deliveries_by_meaning ON deliveries (meaning) WHERE meaning IS NOT NULL;
CREATE INDEX deliveries_by_age ON deliveries (received_at);
-- One row that is written to see whether the store can keep anything.
${table("probes", `id ${int} PRIMARY KEY CHECK (id = 1)`, `at ${int} NOT NULL`)}

${table(
  "jobs",
  `id ${id}`,
  `key ${text} NOT NULL`,
  `lane ${text} NOT NULL`,
  // JSON.
  `job ${text} NOT NULL`,
  `repo ${text} NOT NULL`,
  // Who owns the repository: HOST/OWNER_ID.
  `account ${text} NOT NULL`,
  `installation_id ${int}`,
  `state ${text} NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'superseded', 'cancelled', 'parked'))`,
  `attempt ${int} NOT NULL DEFAULT 0`,
  `run_at ${int} NOT NULL`,
  // When it is served: its repository's turn (see turns), or before all turns (see put.ts).
  `turn ${int} NOT NULL DEFAULT 0`,
  // 1: it was begun and given back, because its process had no room for a change so large.
  `large ${int} NOT NULL DEFAULT 0`,
  `created_at ${int} NOT NULL`,
  `finished_at ${int}`,
  `outcome ${text}`,
  // Which process holds it, for which time it was taken, and since when.
  `owner ${text}`,
  `token ${int} NOT NULL DEFAULT 0`,
  `taken_at ${int}`,
  // Processes that died over it since it last made progress; of those, the ones in which it ran alone; and how many jobs the last one held.
  `deaths ${int} NOT NULL DEFAULT 0`,
  `alone ${int} NOT NULL DEFAULT 0`,
  `company ${int}`,
)}
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
${table("account_turns", `lane ${text} NOT NULL`, `account ${text} NOT NULL`, `turn ${int} NOT NULL`, "PRIMARY KEY (lane, account)")}
CREATE INDEX account_turns_by_turn ON account_turns (lane, turn);
${table("turns", `lane ${text} NOT NULL`, `repo ${text} NOT NULL`, `account ${text} NOT NULL`, `turn ${int} NOT NULL`, "PRIMARY KEY (lane, repo)")}
CREATE INDEX turns_by_turn ON turns (lane, account, turn);
-- The processes that work on this database; each counts up every few seconds.
${table("instances", `id ${text} PRIMARY KEY`, `process ${text}`, `beats ${int} NOT NULL`)}
-- What GitHub asks of us: not to ask before, and not to write so often. While a process has its turn to write, next_write lies in the
-- future.
${table(
  "installations",
  `id ${int} PRIMARY KEY`,
  `closed_until ${int} NOT NULL DEFAULT 0`,
  `next_write ${int} NOT NULL DEFAULT 0`,
  `writer ${text}`,
  `writer_process ${text}`,
)}

-- Written goes up with every review: clocks of several machines do not tell which is the latest.
${table(
  "reviews",
  `written ${id}`,
  `key ${text} NOT NULL`,
  `head_sha ${text} NOT NULL`,
  `base_sha ${text} NOT NULL`,
  `review ${text} NOT NULL`,
  `written_at ${int} NOT NULL`,
  `settled_at ${int}`,
  `outcome ${text}`,
  "UNIQUE (key, head_sha, base_sha)",
)}
CREATE INDEX reviews_latest ON reviews (key, written);
CREATE INDEX reviews_posted ON reviews (settled_at, key) WHERE outcome = 'posted';
CREATE INDEX reviews_settled ON reviews (settled_at) WHERE settled_at IS NOT NULL;
-- Answers of a model to reviews that are not written yet: they go when the review is saved.
${table("replies", `key ${text} NOT NULL`, `question ${text} NOT NULL`, `answer ${text} NOT NULL`, `at ${int} NOT NULL`, "PRIMARY KEY (key, question)")}
CREATE INDEX replies_by_time ON replies (at);
${table(
  "check_runs",
  // GitHub's number for it.
  `id ${int} PRIMARY KEY`,
  `key ${text} NOT NULL`,
  `head_sha ${text} NOT NULL`,
  `repo ${text} NOT NULL`,
  `installation_id ${int} NOT NULL`,
  `fail_on ${text} NOT NULL`,
  `begun_at ${int} NOT NULL`,
  `ending ${text}`,
  `ended_at ${int}`,
)}
CREATE INDEX check_runs_by_key ON check_runs (key, head_sha);
CREATE INDEX check_runs_open ON check_runs (begun_at) WHERE ended_at IS NULL;
CREATE INDEX check_runs_ended ON check_runs (ended_at) WHERE ended_at IS NOT NULL;
${table("push_waits", `repo ${text} PRIMARY KEY`, `ms ${int} NOT NULL`)}

-- What is created on GitHub: written before it is sent, and until its outcome is known.
${table(
  "intents",
  `id ${id}`,
  `key ${text} NOT NULL`,
  `repo ${text} NOT NULL`,
  `wanted ${text} NOT NULL`,
  `identity ${text} NOT NULL UNIQUE`,
  `marker ${text} NOT NULL`,
  `state ${text} NOT NULL CHECK (state IN ('sent', 'posted', 'refused'))`,
  `tries ${int} NOT NULL`,
  `sent_at ${int} NOT NULL`,
  `ended_at ${int}`,
  `post ${text}`,
)}
CREATE INDEX intents_open ON intents (sent_at) WHERE state = 'sent';
CREATE INDEX intents_by_repo ON intents (repo);
CREATE INDEX intents_ended ON intents (ended_at) WHERE ended_at IS NOT NULL;

${table(
  "spending",
  `id ${id}`,
  `repo ${text} NOT NULL`,
  `at ${int} NOT NULL`,
  `purpose ${text} NOT NULL`,
  `input_tokens ${int} NOT NULL`,
  `output_tokens ${int} NOT NULL`,
  // US$; NULL where the model has no price.
  `usd ${real}`,
  // Who asked; NULL where no job did. 1: for people without write access to the repository.
  `job ${int}`,
  `outsider ${int} NOT NULL DEFAULT 0`,
)}
CREATE INDEX spending_by_repo ON spending (repo, at);
CREATE INDEX spending_by_time ON spending (at);
-- What running jobs have reserved of budgets and not spent yet, US$. Whichever process takes the job again reserves again.
${table("bookings", `job ${int} PRIMARY KEY`, `token ${int} NOT NULL`, `repo ${text} NOT NULL`, `usd ${real} NOT NULL`, `outsider ${int} NOT NULL DEFAULT 0`)}

${table("paused", `key ${text} PRIMARY KEY`, `by ${text} NOT NULL`, `at ${int} NOT NULL`)}
${table("declined", `key ${text} NOT NULL`, `finding ${text} NOT NULL`, `by ${text} NOT NULL`, `reason ${text} NOT NULL`, `at ${int} NOT NULL`, "PRIMARY KEY (key, finding)")}
${table(
  "answers",
  `id ${id}`,
  `comment ${text} NOT NULL UNIQUE`,
  `repo ${text} NOT NULL`,
  `thread ${text} NOT NULL`,
  `user_id ${int} NOT NULL`,
  `kind ${text} NOT NULL`,
  `at ${int} NOT NULL`,
)}
CREATE INDEX answers_by_person ON answers (repo, user_id, kind, at);
CREATE INDEX answers_by_thread ON answers (thread, id);
CREATE INDEX answers_by_age ON answers (at);

-- Where the import of a repository's past reviews stands. No text by others.
${table("history", `repo ${text} PRIMARY KEY`, `progress ${text} NOT NULL`)}
-- When each pull request with findings of ours was last looked at for what people did about them.
${table("looks", `key ${text} PRIMARY KEY`, `at ${int} NOT NULL`, `closed ${int} NOT NULL CHECK (closed IN (0, 1))`)}
-- Missed events: deliveries that GitHub was asked to send again; when the open pull requests of each repository were last looked at;
-- heads that were there before us and are reviewed on request only.
${table("redeliveries", `id ${text} PRIMARY KEY`, `at ${int} NOT NULL`)}
CREATE INDEX redeliveries_by_age ON redeliveries (at);
${table("watched", `repo ${text} PRIMARY KEY`, `at ${int} NOT NULL`)}
${table("old_heads", `key ${text} PRIMARY KEY`, `head_sha ${text} NOT NULL`)}
-- Times of the store as a whole, by name: how far GitHub's log was read, when a backup was restored.
${table("moments", `name ${text} PRIMARY KEY`, `at ${int} NOT NULL`)}
-- The epoch of a clock that nothing sets: see the embedded queue's clock.
${table("boots", `id ${text} PRIMARY KEY`, `epoch ${int} NOT NULL`)}

-- What each retrieval did. Here and not beside the memories: a memory that is restored or begun again keeps its figures.
${table(
  "retrievals",
  `row ${id}`,
  `id ${text} NOT NULL UNIQUE`,
  `repo ${text} NOT NULL`,
  `repo_name ${text} NOT NULL`,
  `pull ${int}`,
  `origin ${text} NOT NULL`,
  `searched ${int} NOT NULL`,
  `retrieval_ms ${real} NOT NULL`,
  `query ${text} NOT NULL`,
  // JSON: all of it but the query.
  `entry ${text} NOT NULL`,
  `created_at ${int} NOT NULL`,
)}
CREATE INDEX retrievals_by_age ON retrievals (created_at);
CREATE INDEX retrievals_by_repo ON retrievals (repo);
`;
}
