// The tables of memory: repositories, records, contents (texts), terms and vectors, feedback.
import type { SchemaPart } from "../migrate.ts";

/**
 * A new column goes to `contents` if only readers of the record need it, to `records` if a scope or
 * filter does (then also to `SearchRow` in search/rows.ts).
 */
const TABLES = `
-- Goes up with every write, for all repositories together: a repository that was forgotten and comes back never shows a version
-- that it had before. A transaction that writes memory changes this row first, so that no two wait for each other.
CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL);
INSERT INTO clock VALUES (1, 0);

-- Ids are never used twice, so that what a reader holds in memory cannot be taken for another repository's.
CREATE TABLE repositories (
  id ID, host TEXT NOT NULL, github_id TEXT NOT NULL, owner_id INTEGER,
  visibility TEXT NOT NULL CHECK (visibility IN ('public', 'internal', 'private')),
  full_name TEXT NOT NULL, version INTEGER NOT NULL,
  -- Whether its default branch lets other repositories of its owner have patterns of what is remembered here.
  gives INTEGER NOT NULL DEFAULT 0 CHECK (gives IN (0, 1)),
  UNIQUE (host, github_id)
);
CREATE INDEX repositories_by_owner ON repositories (host, owner_id);

CREATE TABLE spaces (id ID, model TEXT NOT NULL, dimension INTEGER NOT NULL, UNIQUE (model, dimension));

-- Narrow on purpose: what scopes and filters ask about and nothing else, so that a search over many rows never reads texts.
CREATE TABLE records (
  id ID, repo INTEGER NOT NULL REFERENCES repositories (id), mem TEXT NOT NULL UNIQUE,
  stale INTEGER NOT NULL CHECK (stale IN (0, 1)), pull INTEGER, at INTEGER NOT NULL,
  corpus TEXT NOT NULL, language TEXT NOT NULL, chunk_type TEXT, category TEXT, severity TEXT, outcome TEXT, path TEXT,
  changed INTEGER NOT NULL
);
CREATE INDEX records_by_repo ON records (repo, stale, changed);
CREATE INDEX records_of_findings ON records (repo, pull) WHERE corpus = 'finding';

CREATE TABLE contents (
  id INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
  source_id TEXT NOT NULL, repo_name TEXT NOT NULL,
  text TEXT NOT NULL, replies TEXT NOT NULL, situation TEXT, lesson TEXT, tags TEXT NOT NULL, symbol TEXT, hunk TEXT,
  url TEXT, author TEXT, author_is_bot INTEGER NOT NULL, sha TEXT,
  -- What was found wrong, and what was there when it was fixed.
  flagged_code TEXT, fixed_code TEXT,
  -- By these a source that did not change is recognised. A row without them is written again.
  record_hash TEXT, embedded_hash TEXT,
  -- JSON: who wrote situation, lesson and tags, or why there are none. NULL: not looked at yet.
  described TEXT
);

-- The terms by which a record is found (search/terms.ts).
CREATE TABLE terms (id INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE, terms BYTES NOT NULL);

-- One signed byte a component (search/code.ts). The embedding space is part of the key: vectors of two embedders never meet.
CREATE TABLE vectors (
  repo INTEGER NOT NULL, space INTEGER NOT NULL REFERENCES spaces (id),
  id INTEGER NOT NULL UNIQUE REFERENCES records (id) ON DELETE CASCADE,
  code CODE NOT NULL,
  PRIMARY KEY (repo, space, id)
) CLUSTERED;

CREATE TABLE embeddings (key TEXT PRIMARY KEY, vector BYTES NOT NULL, at INTEGER NOT NULL);
CREATE INDEX embeddings_by_age ON embeddings (at);

-- What people did about a finding, as it was first seen, and the outcome that follows. Beside the record, not in it: a record that
-- is written again keeps what was learnt about it.
CREATE TABLE evidence (
  id INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE, key TEXT NOT NULL, kind TEXT NOT NULL, stance TEXT,
  by_id INTEGER, by_login TEXT, by_access TEXT, by_is_bot INTEGER, by_first_time INTEGER,
  at INTEGER NOT NULL, text TEXT, url TEXT, sha TEXT, withdrawn_at INTEGER,
  PRIMARY KEY (id, key)
);
CREATE TABLE decided (
  id INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
  outcome TEXT NOT NULL, at INTEGER NOT NULL, by TEXT, reason TEXT, sha TEXT, weight TEXT NOT NULL
);

-- What commands said against findings: one row a finding and person.
CREATE TABLE rejections (
  id INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE, by TEXT NOT NULL,
  is_writer INTEGER NOT NULL CHECK (is_writer IN (0, 1)), reason TEXT, url TEXT, at INTEGER NOT NULL,
  PRIMARY KEY (id, by)
);
-- Who speaks against a finding in words, by a reaction or by dismissing its review: what follows from evidence, written again
-- with each look.
CREATE TABLE against (
  id INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE, by TEXT NOT NULL,
  reason TEXT, url TEXT, at INTEGER NOT NULL, is_reaction INTEGER NOT NULL CHECK (is_reaction IN (0, 1)),
  PRIMARY KEY (id, by)
);

-- The code that findings were about, as token hashes of four bytes each: no code can be read from it.
CREATE TABLE flagged (
  id INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
  repo INTEGER NOT NULL, key INTEGER NOT NULL, rule TEXT,
  before BYTES NOT NULL, at BYTES NOT NULL, after BYTES NOT NULL, fixed_at INTEGER
);
CREATE INDEX flagged_by_key ON flagged (repo, key);

-- What the last replay of a repository came to.
CREATE TABLE replays (
  repo INTEGER PRIMARY KEY REFERENCES repositories (id) ON DELETE CASCADE,
  at INTEGER NOT NULL, pulls INTEGER NOT NULL, comments INTEGER NOT NULL, on_rate REAL NOT NULL,
  placebo REAL, low REAL, mean REAL, high REAL, model TEXT NOT NULL
);

-- Recurring comments that became a rule, each by one of its memories.
CREATE TABLE taken (id INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE, at INTEGER NOT NULL);
`;

/** Pieces of the repository's code are no memory any more. */
const WITHOUT_CODE = "DELETE FROM records WHERE corpus = 'code';";

/** A command is evidence as any other; what stood beside evidence joins what follows from it. */
const ONE_TABLE_OF_REJECTIONS = `
INSERT INTO against (id, by, reason, url, at, is_reaction)
  SELECT id, by, reason, url, at, 0 FROM rejections WHERE is_writer = 1
  ON CONFLICT (id, by) DO UPDATE SET reason = excluded.reason, url = excluded.url, at = excluded.at, is_reaction = 0
  WHERE excluded.reason IS NOT NULL OR against.reason IS NULL;
DROP TABLE rejections;
ALTER TABLE against RENAME TO rejections;`;

/** Memories are listed, and what became of findings is counted, from an index alone. */
const MEMORY_LISTS = `
CREATE INDEX records_by_time ON records (at, id);
DROP INDEX records_of_findings;
CREATE INDEX records_of_findings ON records (repo, pull, outcome, at) WHERE corpus = 'finding';`;
const PGVECTOR = "CREATE EXTENSION IF NOT EXISTS vector;";
/** Reading many rows then needs no look-up for each vector. */
const INLINE_VECTORS = "ALTER TABLE vectors ALTER COLUMN code SET STORAGE PLAIN;";

export const MEMORY_PART: SchemaPart = {
  part: "memory",
  steps: [
    (dialect) => {
      const tables = dialect.schema(TABLES);
      return dialect.name === "postgres" ? `${PGVECTOR}\n${tables}\n${INLINE_VECTORS}` : tables;
    },
    () => WITHOUT_CODE,
    () => "DROP TABLE taken;",
    () => ONE_TABLE_OF_REJECTIONS,
    () => "DROP TABLE replays;",
    () => MEMORY_LISTS,
  ],
};
