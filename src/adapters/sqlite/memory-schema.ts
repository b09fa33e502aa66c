// Schema of memory.db: who owns what (repositories), what it is (records), what it says (contents), its words and vectors.
import type { Migrations } from "./database.ts";

/** Schema of memory.db. Append only: a released step is never edited. */
export const MEMORY_MIGRATIONS: Migrations = [
  `
  -- Goes up with every write, for all repositories together: a repository that was forgotten and comes back
  -- never shows a version it had before.
  CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL) STRICT;
  INSERT INTO clock VALUES (1, 0);

  -- Ids are never used twice (AUTOINCREMENT), so that what a reader holds in memory cannot be taken for another's.
  CREATE TABLE repositories (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    host       TEXT NOT NULL,
    github_id  TEXT NOT NULL,
    owner_id   INTEGER,
    visibility TEXT NOT NULL CHECK (visibility IN ('public', 'internal', 'private')),
    full_name  TEXT NOT NULL,
    version    INTEGER NOT NULL,
    UNIQUE (host, github_id)
  ) STRICT;
  CREATE INDEX repositories_by_owner ON repositories (host, owner_id);

  CREATE TABLE spaces (
    id        INTEGER PRIMARY KEY,
    model     TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    -- Vectors ever added, and how many of them the mean was taken from; bits are signs after the mean is subtracted.
    seen      INTEGER NOT NULL DEFAULT 0,
    trained   INTEGER NOT NULL DEFAULT 0,
    mean      BLOB,
    UNIQUE (model, dimension)
  ) STRICT;

  -- Narrow on purpose: everything that a scope or filter asks about and nothing else, so that a search over many
  -- rows never reads texts.
  CREATE TABLE records (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    repo       INTEGER NOT NULL REFERENCES repositories (id),
    mem        TEXT NOT NULL UNIQUE,
    stale      INTEGER NOT NULL CHECK (stale IN (0, 1)),
    pull       INTEGER,
    at         INTEGER NOT NULL,
    corpus     TEXT NOT NULL,
    language   TEXT NOT NULL,
    chunk_type TEXT,
    category   TEXT,
    severity   TEXT,
    outcome    TEXT,
    path       TEXT,
    changed    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX records_by_repo ON records (repo, stale, changed);

  CREATE TABLE contents (
    id            INTEGER PRIMARY KEY REFERENCES records (id),
    source_id     TEXT NOT NULL,
    repo_name     TEXT NOT NULL,
    text          TEXT NOT NULL,
    replies       TEXT NOT NULL,
    situation     TEXT,
    lesson        TEXT,
    tags          TEXT NOT NULL,
    symbol        TEXT,
    hunk          TEXT,
    url           TEXT,
    author        TEXT,
    author_is_bot INTEGER NOT NULL,
    sha           TEXT
  ) STRICT;

  -- Sign bits of the rotated vector. The embedding space is part of the key: vectors of two embedders never meet.
  CREATE TABLE vec_bit (
    repo  INTEGER NOT NULL,
    space INTEGER NOT NULL REFERENCES spaces (id),
    id    INTEGER NOT NULL REFERENCES records (id),
    b     BLOB NOT NULL,
    PRIMARY KEY (repo, space, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE vec_i8 (
    id    INTEGER PRIMARY KEY REFERENCES records (id),
    space INTEGER NOT NULL REFERENCES spaces (id),
    v     BLOB NOT NULL
  ) STRICT;
  CREATE INDEX vec_i8_by_space ON vec_i8 (space);

  -- Words as the ranker sees them (identifiers split, endings cut), a space between: FTS5 indexes exactly these, and
  -- the in-process index is filled from them without reading a text again.
  CREATE TABLE words (
    id     INTEGER PRIMARY KEY REFERENCES records (id),
    text   TEXT NOT NULL,
    path   TEXT NOT NULL,
    symbol TEXT NOT NULL,
    hunk   TEXT NOT NULL
  ) STRICT;
  CREATE VIRTUAL TABLE word_index USING fts5 (
    text, path, symbol, hunk, content = 'words', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
  );
  -- Without this, deleted words stay readable in the index until it happens to be merged.
  INSERT INTO word_index (word_index, rank) VALUES ('secure-delete', 1);
  CREATE TRIGGER words_added AFTER INSERT ON words BEGIN
    INSERT INTO word_index (rowid, text, path, symbol, hunk) VALUES (new.id, new.text, new.path, new.symbol, new.hunk);
  END;
  CREATE TRIGGER words_removed AFTER DELETE ON words BEGIN
    INSERT INTO word_index (word_index, rowid, text, path, symbol, hunk)
    VALUES ('delete', old.id, old.text, old.path, old.symbol, old.hunk);
  END;
  CREATE TRIGGER words_changed AFTER UPDATE ON words BEGIN
    INSERT INTO word_index (word_index, rowid, text, path, symbol, hunk)
    VALUES ('delete', old.id, old.text, old.path, old.symbol, old.hunk);
    INSERT INTO word_index (rowid, text, path, symbol, hunk) VALUES (new.id, new.text, new.path, new.symbol, new.hunk);
  END;

  CREATE TABLE embeddings (
    key    TEXT PRIMARY KEY,
    vector BLOB NOT NULL,
    at     INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX embeddings_by_age ON embeddings (at);
  `,
  `
  -- By these a source that did not change is known again. A row without them is written again.
  CREATE TABLE hashes (
    id       INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    record   TEXT NOT NULL,
    embedded TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Who wrote situation, lesson and tags, or why nobody did. A row without one was not looked at.
  CREATE TABLE descriptions (
    id         INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    by         TEXT NOT NULL,
    source     TEXT NOT NULL,
    confidence REAL NOT NULL,
    problems   TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- What was found wrong, and what stood there when it was fixed: by both together code is known that is fixed already.
  ALTER TABLE contents ADD COLUMN flagged_code TEXT;
  ALTER TABLE contents ADD COLUMN fixed_code TEXT;
  `,
  `
  -- What people did about a finding, as it was first seen, and what followed. Both go with their record.
  CREATE TABLE evidence (
    id             INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    key            TEXT NOT NULL,
    kind           TEXT NOT NULL,
    stance         TEXT,
    by_id          INTEGER,
    by_login       TEXT,
    by_access      TEXT,
    by_is_bot      INTEGER,
    by_first_time  INTEGER,
    at             INTEGER NOT NULL,
    text           TEXT,
    url            TEXT,
    sha            TEXT,
    withdrawn_at   INTEGER,
    PRIMARY KEY (id, key)
  ) STRICT, WITHOUT ROWID;
  -- Beside the record, not in it: a record that is written again keeps what was learnt about it.
  CREATE TABLE decided (
    id      INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    outcome TEXT NOT NULL,
    at      INTEGER NOT NULL,
    by      TEXT,
    reason  TEXT,
    sha     TEXT,
    weight  TEXT NOT NULL
  ) STRICT;
  CREATE INDEX records_of_findings ON records (repo, pull) WHERE corpus = 'finding';
  `,
  `
  -- What people said against findings: one row a finding and person.
  CREATE TABLE rejections (
    id        INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    by        TEXT NOT NULL,
    is_writer INTEGER NOT NULL CHECK (is_writer IN (0, 1)),
    reason    TEXT,
    url       TEXT,
    at        INTEGER NOT NULL,
    PRIMARY KEY (id, by)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The code that findings were about, as token hashes of four bytes each: nobody's code can be read from it.
  CREATE TABLE flagged (
    id       INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    repo     INTEGER NOT NULL,
    key      INTEGER NOT NULL,
    rule     TEXT,
    before   BLOB NOT NULL,
    at       BLOB NOT NULL,
    after    BLOB NOT NULL,
    fixed_at INTEGER
  ) STRICT;
  CREATE INDEX flagged_by_key ON flagged (repo, key);
  `,
  `
  -- Who speaks against a finding in words, by a reaction or by dismissing its review: what follows from evidence, written
  -- anew with each look. What commands said stands in rejections until a command takes it back.
  CREATE TABLE against (
    id          INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    by          TEXT NOT NULL,
    reason      TEXT,
    url         TEXT,
    at          INTEGER NOT NULL,
    is_reaction INTEGER NOT NULL CHECK (is_reaction IN (0, 1)),
    PRIMARY KEY (id, by)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Whether its default branch lets other repositories of its owner have patterns of what is remembered here.
  ALTER TABLE repositories ADD COLUMN gives INTEGER NOT NULL DEFAULT 0 CHECK (gives IN (0, 1));
  `,
  `
  -- What the last replay of a repository came to: does its memory help?
  CREATE TABLE replays (
    repo     INTEGER PRIMARY KEY REFERENCES repositories (id) ON DELETE CASCADE,
    at       INTEGER NOT NULL,
    pulls    INTEGER NOT NULL,
    comments INTEGER NOT NULL,
    on_rate  REAL NOT NULL,
    placebo  REAL,
    low      REAL,
    mean     REAL,
    high     REAL,
    model    TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Recurring remarks that somebody made a rule of, each by one of its memories.
  CREATE TABLE taken (
    id INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    at INTEGER NOT NULL
  ) STRICT;
  `,
];
