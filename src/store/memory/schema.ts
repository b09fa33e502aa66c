// The tables of memory: repositories, records (for scopes and filters), contents (texts), terms and vectors, and feedback.
import type { Dialect } from "../dialect.ts";
import type { SchemaPart } from "../migrate.ts";

export const MEMORY_PART: SchemaPart = { part: "memory", steps: [memorySchema] };

/**
 * Add a new column to `contents` if only readers of the record need it, and to `records` if a scope or filter does (then also to
 * `SearchRow` in search/rows.ts).
 */
function memorySchema({ type, strict, clustered, setUp, keepInRow }: Dialect): string {
  const { id, int, real, text, bytes, code } = type;
  const record = `${int} PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE`;
  const table = (name: string, ...columns: readonly string[]) =>
    `CREATE TABLE ${name} (\n  ${columns.join(",\n  ")}\n)${strict};\n`;
  return `
${setUp}
-- Goes up with every write, for all repositories together: a repository that was forgotten and comes back never shows a version
-- that it had before. A transaction that writes memory changes this row first, so that no two wait for each other.
${table("clock", `id ${int} PRIMARY KEY CHECK (id = 1)`, `value ${int} NOT NULL`)}
INSERT INTO clock VALUES (1, 0);

-- Ids are never used twice, so that what a reader holds in memory cannot be taken for another repository's.
${table(
  "repositories",
  `id ${id}`,
  `host ${text} NOT NULL`,
  `github_id ${text} NOT NULL`,
  `owner_id ${int}`,
  `visibility ${text} NOT NULL CHECK (visibility IN ('public', 'internal', 'private'))`,
  `full_name ${text} NOT NULL`,
  `version ${int} NOT NULL`,
  // Whether its default branch lets other repositories of its owner have patterns of what is remembered here.
  `gives ${int} NOT NULL DEFAULT 0 CHECK (gives IN (0, 1))`,
  "UNIQUE (host, github_id)",
)}
CREATE INDEX repositories_by_owner ON repositories (host, owner_id);

${table("spaces", `id ${id}`, `model ${text} NOT NULL`, `dimension ${int} NOT NULL`, "UNIQUE (model, dimension)")}

-- Narrow on purpose: what scopes and filters ask about and nothing else, so that a search over many rows never reads texts.
${table(
  "records",
  `id ${id}`,
  `repo ${int} NOT NULL REFERENCES repositories (id)`,
  `mem ${text} NOT NULL UNIQUE`,
  `stale ${int} NOT NULL CHECK (stale IN (0, 1))`,
  `pull ${int}`,
  `at ${int} NOT NULL`,
  `corpus ${text} NOT NULL`,
  `language ${text} NOT NULL`,
  `chunk_type ${text}`,
  `category ${text}`,
  `severity ${text}`,
  `outcome ${text}`,
  `path ${text}`,
  `changed ${int} NOT NULL`,
)}
CREATE INDEX records_by_repo ON records (repo, stale, changed);
CREATE INDEX records_of_findings ON records (repo, pull) WHERE corpus = 'finding';

${table(
  "contents",
  `id ${record}`,
  `source_id ${text} NOT NULL`,
  `repo_name ${text} NOT NULL`,
  `text ${text} NOT NULL`,
  `replies ${text} NOT NULL`,
  `situation ${text}`,
  `lesson ${text}`,
  `tags ${text} NOT NULL`,
  `symbol ${text}`,
  `hunk ${text}`,
  `url ${text}`,
  `author ${text}`,
  `author_is_bot ${int} NOT NULL`,
  `sha ${text}`,
  // What was found wrong, and what was there when it was fixed.
  `flagged_code ${text}`,
  `fixed_code ${text}`,
  // By these a source that did not change is recognised. A row without them is written again.
  `record_hash ${text}`,
  `embedded_hash ${text}`,
  // JSON: who wrote situation, lesson and tags, or why there are none. NULL: not looked at yet.
  `described ${text}`,
)}

-- The terms by which a record is found (search/terms.ts).
${table("terms", `id ${record}`, `terms ${bytes} NOT NULL`)}

-- One signed byte a component (search/code.ts). The embedding space is part of the key: vectors of two embedders never meet.
CREATE TABLE vectors (
  repo ${int} NOT NULL,
  space ${int} NOT NULL REFERENCES spaces (id),
  id ${int} NOT NULL UNIQUE REFERENCES records (id) ON DELETE CASCADE,
  code ${code} NOT NULL,
  PRIMARY KEY (repo, space, id)
)${clustered};
${keepInRow("vectors", "code")}

${table("embeddings", `key ${text} PRIMARY KEY`, `vector ${bytes} NOT NULL`, `at ${int} NOT NULL`)}
CREATE INDEX embeddings_by_age ON embeddings (at);

-- What people did about a finding, as it was first seen, and the outcome that follows. Beside the record, not in it: a record that
-- is written again keeps what was learnt about it.
${table(
  "evidence",
  `id ${int} NOT NULL REFERENCES records (id) ON DELETE CASCADE`,
  `key ${text} NOT NULL`,
  `kind ${text} NOT NULL`,
  `stance ${text}`,
  `by_id ${int}`,
  `by_login ${text}`,
  `by_access ${text}`,
  `by_is_bot ${int}`,
  `by_first_time ${int}`,
  `at ${int} NOT NULL`,
  `text ${text}`,
  `url ${text}`,
  `sha ${text}`,
  `withdrawn_at ${int}`,
  "PRIMARY KEY (id, key)",
)}
${table(
  "decided",
  `id ${record}`,
  `outcome ${text} NOT NULL`,
  `at ${int} NOT NULL`,
  `by ${text}`,
  `reason ${text}`,
  `sha ${text}`,
  `weight ${text} NOT NULL`,
)}

-- What commands said against findings: one row a finding and person.
${table(
  "rejections",
  `id ${int} NOT NULL REFERENCES records (id) ON DELETE CASCADE`,
  `by ${text} NOT NULL`,
  `is_writer ${int} NOT NULL CHECK (is_writer IN (0, 1))`,
  `reason ${text}`,
  `url ${text}`,
  `at ${int} NOT NULL`,
  "PRIMARY KEY (id, by)",
)}
-- Who speaks against a finding in words, by a reaction or by dismissing its review: what follows from evidence, written again
-- with each look.
${table(
  "against",
  `id ${int} NOT NULL REFERENCES records (id) ON DELETE CASCADE`,
  `by ${text} NOT NULL`,
  `reason ${text}`,
  `url ${text}`,
  `at ${int} NOT NULL`,
  `is_reaction ${int} NOT NULL CHECK (is_reaction IN (0, 1))`,
  "PRIMARY KEY (id, by)",
)}

-- The code that findings were about, as token hashes of four bytes each: no code can be read from it.
${table(
  "flagged",
  `id ${record}`,
  `repo ${int} NOT NULL`,
  `key ${int} NOT NULL`,
  `rule ${text}`,
  `before ${bytes} NOT NULL`,
  `at ${bytes} NOT NULL`,
  `after ${bytes} NOT NULL`,
  `fixed_at ${int}`,
)}
CREATE INDEX flagged_by_key ON flagged (repo, key);

-- What the last replay of a repository came to.
${table(
  "replays",
  `repo ${int} PRIMARY KEY REFERENCES repositories (id) ON DELETE CASCADE`,
  `at ${int} NOT NULL`,
  `pulls ${int} NOT NULL`,
  `comments ${int} NOT NULL`,
  `on_rate ${real} NOT NULL`,
  `placebo ${real}`,
  `low ${real}`,
  `mean ${real}`,
  `high ${real}`,
  `model ${text} NOT NULL`,
)}

-- Recurring comments that became a rule, each by one of its memories.
${table("taken", `id ${record}`, `at ${int} NOT NULL`)}
`;
}
