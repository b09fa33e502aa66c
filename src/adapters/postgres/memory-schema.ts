// Schema of memory: who owns what (repositories), what it is (records), what it says (contents), its words and vectors.
import type { MigrationPart } from "./migrate.ts";

/** Append only: a released step is never edited. */
export const MEMORY_PART: MigrationPart = {
  part: "memory",
  steps: [
    `
  CREATE EXTENSION IF NOT EXISTS vector;

  -- Goes up with every write, for all repositories together: a repository that was forgotten and comes back never shows a
  -- version it had before. Whoever takes a number holds the repository's row, so that each repository sees them ascend.
  CREATE SEQUENCE memory_clock;

  CREATE TABLE repositories (
    id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    host       text NOT NULL,
    github_id  text NOT NULL,
    owner_id   bigint,
    visibility text NOT NULL CHECK (visibility IN ('public', 'internal', 'private')),
    full_name  text NOT NULL,
    version    bigint NOT NULL,
    -- Whether its default branch lets other repositories of its owner have patterns of what is remembered here.
    gives      boolean NOT NULL DEFAULT false,
    UNIQUE (host, github_id)
  );
  CREATE INDEX repositories_by_owner ON repositories (host, owner_id);

  CREATE TABLE spaces (
    id        bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    model     text NOT NULL,
    dimension int NOT NULL,
    UNIQUE (model, dimension)
  );

  -- Narrow on purpose: everything that a scope or filter asks about and nothing else, so that a search over many rows
  -- never reads texts.
  CREATE TABLE records (
    id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    repo       bigint NOT NULL REFERENCES repositories (id),
    mem        text COLLATE "C" NOT NULL UNIQUE,
    stale      boolean NOT NULL,
    pull       bigint,
    at         bigint NOT NULL,
    corpus     text NOT NULL,
    language   text NOT NULL,
    chunk_type text,
    category   text,
    severity   text,
    outcome    text,
    path       text COLLATE "C",
    changed    bigint NOT NULL
  );
  CREATE INDEX records_by_repo ON records (repo, stale, changed);
  CREATE INDEX records_of_findings ON records (repo, pull) WHERE corpus = 'finding';

  CREATE TABLE contents (
    id            bigint PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    source_id     text COLLATE "C" NOT NULL,
    repo_name     text NOT NULL,
    text          text NOT NULL,
    replies       jsonb NOT NULL,
    situation     text,
    lesson        text,
    tags          jsonb NOT NULL,
    symbol        text,
    hunk          text,
    url           text,
    author        text,
    author_is_bot boolean NOT NULL,
    sha           text,
    -- What was found wrong, and what stood there when it was fixed: by both together code is known that is fixed already.
    flagged_code  text,
    fixed_code    text
  );

  -- The embedding space is part of the key: vectors of two embedders never meet. Within a repository they are all compared.
  CREATE TABLE vectors (
    repo  bigint NOT NULL,
    space bigint NOT NULL REFERENCES spaces (id),
    id    bigint NOT NULL UNIQUE REFERENCES records (id) ON DELETE CASCADE,
    v     halfvec NOT NULL,
    PRIMARY KEY (repo, space, id)
  );
  -- In the row: out of line, each vector that is compared would be a look-up of its own.
  ALTER TABLE vectors ALTER COLUMN v SET STORAGE PLAIN;

  -- Words as the ranker sees them (identifiers split, endings cut), a space between: the index in the process is filled
  -- from them without reading a text again, and Postgres's own index has exactly these.
  CREATE TABLE words (
    id     bigint PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    repo   bigint NOT NULL,
    text   text NOT NULL,
    path   text NOT NULL,
    symbol text NOT NULL,
    hunk   text NOT NULL,
    lexemes tsvector NOT NULL
  );
  CREATE INDEX words_by_lexeme ON words USING gin (lexemes);
  CREATE INDEX words_by_repo ON words (repo);

  CREATE TABLE embeddings (
    key    text COLLATE "C" PRIMARY KEY,
    vector bytea NOT NULL,
    at     bigint NOT NULL
  );
  CREATE INDEX embeddings_by_age ON embeddings (at);

  -- By these a source that did not change is known again. A row without them is written again.
  CREATE TABLE hashes (
    id       bigint PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    record   text NOT NULL,
    embedded text NOT NULL
  );

  -- Who wrote situation, lesson and tags, or why nobody did. A row without one was not looked at.
  CREATE TABLE descriptions (
    id         bigint PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    by         text NOT NULL,
    source     text NOT NULL,
    confidence double precision NOT NULL,
    problems   jsonb NOT NULL
  );

  -- What people did about a finding, as it was first seen, and what followed. Both go with their record.
  CREATE TABLE evidence (
    id             bigint NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    key            text COLLATE "C" NOT NULL,
    kind           text NOT NULL,
    stance         text,
    by_id          bigint,
    by_login       text,
    by_access      text,
    by_is_bot      boolean,
    by_first_time  boolean,
    at             bigint NOT NULL,
    text           text,
    url            text,
    sha            text,
    withdrawn_at   bigint,
    PRIMARY KEY (id, key)
  );
  -- Beside the record, not in it: a record that is written again keeps what was learnt about it.
  CREATE TABLE decided (
    id      bigint PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    outcome text NOT NULL,
    at      bigint NOT NULL,
    by      text,
    reason  text,
    sha     text,
    weight  text NOT NULL
  );

  -- What commands said against findings: one row a finding and person.
  CREATE TABLE rejections (
    id        bigint NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    by        text COLLATE "C" NOT NULL,
    is_writer boolean NOT NULL,
    reason    text,
    url       text,
    at        bigint NOT NULL,
    PRIMARY KEY (id, by)
  );
  -- Who speaks against a finding in words, by a reaction or by dismissing its review: what follows from evidence, written
  -- anew with each look. What commands said stands in rejections until a command takes it back.
  CREATE TABLE against (
    id          bigint NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    by          text COLLATE "C" NOT NULL,
    reason      text,
    url         text,
    at          bigint NOT NULL,
    is_reaction boolean NOT NULL,
    PRIMARY KEY (id, by)
  );

  -- The code that findings were about, as token hashes of four bytes each: nobody's code can be read from it.
  CREATE TABLE flagged (
    id       bigint PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    repo     bigint NOT NULL,
    key      bigint NOT NULL,
    rule     text,
    before   bytea NOT NULL,
    at       bytea NOT NULL,
    after    bytea NOT NULL,
    fixed_at bigint
  );
  CREATE INDEX flagged_by_key ON flagged (repo, key);

  -- What the last replay of a repository came to: does its memory help?
  CREATE TABLE replays (
    repo     bigint PRIMARY KEY REFERENCES repositories (id) ON DELETE CASCADE,
    at       bigint NOT NULL,
    pulls    bigint NOT NULL,
    comments bigint NOT NULL,
    on_rate  double precision NOT NULL,
    placebo  double precision,
    low      double precision,
    mean     double precision,
    high     double precision,
    model    text NOT NULL
  );
  `,
    `
  -- Recurring remarks that somebody made a rule of, each by one of its memories.
  CREATE TABLE taken (
    id bigint PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    at bigint NOT NULL
  );
  `,
    `
  -- The signs of a vector's components after rotation: a large repository is gone through by these first.
  CREATE TABLE vector_bits (
    repo  bigint NOT NULL,
    space bigint NOT NULL,
    id    bigint PRIMARY KEY REFERENCES vectors (id) ON DELETE CASCADE,
    b     varbit NOT NULL
  );
  CREATE INDEX vector_bits_by_repo ON vector_bits (repo, space);
  `,
  ],
};
