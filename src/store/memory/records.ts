// Records of memory to rows and back.
import type { Decided, Described, EmbeddedRecord, EmbeddingSpace, MemoryRecord, RepoKey } from "../../domain/memory.ts";
import type { Scope } from "../../domain/retrieval.ts";
import { encodeVector } from "../../search/code.ts";
import { recordTerms } from "../../search/terms.ts";
import { jsonRows } from "../dialect.ts";
import type { Sql } from "../sql.ts";
import { values } from "../statement.ts";
import { scopeSql, splitRepoKey } from "./scope.ts";

/** Of a record, over `p` (repositories), `r` (records) and RECORD_TABLES; for `readRecord`. */
export const RECORD_COLUMNS = `
  r.mem, p.host || '/' || p.github_id AS repo, c.repo_name, coalesce(p.owner_id, 0) AS owner_id, p.visibility, r.corpus,
  c.source_id, c.text, c.replies, c.situation, c.lesson, c.tags, r.severity, r.category, r.path, r.language, c.symbol,
  r.chunk_type, c.hunk, r.outcome, c.url, c.author, c.author_is_bot, c.sha, r.pull, r.at, r.stale, c.flagged_code,
  c.fixed_code, c.described, p.gives, d.at AS decided_at, d.by AS decided_by, d.reason AS decided_reason,
  d.sha AS decided_sha, d.weight AS decided_weight`;

/** To be joined to `r`. */
export const RECORD_TABLES = "contents c ON c.id = r.id LEFT JOIN decided d ON d.id = r.id";

export interface RecordRow {
  readonly mem: string;
  readonly repo: RepoKey;
  readonly repo_name: string;
  readonly owner_id: number;
  readonly visibility: MemoryRecord["visibility"];
  readonly corpus: MemoryRecord["corpus"];
  readonly source_id: string;
  readonly text: string;
  readonly replies: string;
  readonly situation: string | null;
  readonly lesson: string | null;
  readonly tags: string;
  readonly severity: MemoryRecord["severity"];
  readonly category: MemoryRecord["category"];
  readonly path: string | null;
  readonly language: string;
  readonly symbol: string | null;
  readonly chunk_type: string | null;
  readonly hunk: string | null;
  readonly outcome: MemoryRecord["outcome"];
  readonly url: string | null;
  readonly author: string | null;
  readonly author_is_bot: number;
  readonly sha: string | null;
  readonly pull: number | null;
  readonly at: number;
  readonly stale: number;
  readonly flagged_code: string | null;
  readonly fixed_code: string | null;
  readonly described: string | null;
  readonly gives: number;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
  readonly decided_reason: string | null;
  readonly decided_sha: string | null;
  readonly decided_weight: Decided["weight"] | null;
}

/**
 * Owner and visibility are the repository's as they are known now, not as they were at the time of writing; the owner id is 0
 * where it is in doubt. Fields are in this order in every export.
 */
export function readRecord(row: RecordRow): MemoryRecord {
  const { decided_at: decidedAt, decided_weight: weight } = row;
  return {
    id: row.mem,
    repo: row.repo,
    repoName: row.repo_name,
    ownerId: row.owner_id,
    visibility: row.visibility,
    corpus: row.corpus,
    sourceId: row.source_id,
    text: row.text,
    situation: row.situation,
    lesson: row.lesson,
    severity: row.severity,
    category: row.category,
    path: row.path,
    language: row.language,
    symbol: row.symbol,
    chunkType: row.chunk_type,
    hunk: row.hunk,
    outcome: row.outcome,
    ...(row.flagged_code ? { flaggedCode: row.flagged_code } : {}),
    ...(row.fixed_code ? { fixedCode: row.fixed_code } : {}),
    replies: listOf(row.replies),
    tags: listOf(row.tags),
    provenance: {
      url: row.url,
      author: row.author,
      authorIsBot: row.author_is_bot === 1,
      sha: row.sha,
      pull: row.pull,
      at: row.at,
    },
    stale: row.stale === 1,
    ...(decidedAt === null || weight === null
      ? {}
      : { decided: { at: decidedAt, by: row.decided_by, reason: row.decided_reason, sha: row.decided_sha, weight } }),
    ...(row.described === null ? {} : { described: JSON.parse(row.described) as Described }),
    ...(row.gives === 1 ? { sharing: "given" as const } : {}),
  };
}

function listOf(json: string): string[] {
  return json === "[]" ? [] : (JSON.parse(json) as string[]);
}

/** The records of these ids that the scope admits, in the order of the ids, each once. */
export async function storedRecords(sql: Sql, scope: Scope, ids: readonly string[]): Promise<readonly MemoryRecord[]> {
  const given = values();
  const { rows } = scopeSql(scope, given);
  const asked = [...new Set(ids)];
  const found = await sql.all<RecordRow>(
    // In this order: SQLite would begin with the repository, and read all its rows.
    `SELECT ${RECORD_COLUMNS} FROM records r CROSS JOIN repositories p JOIN ${RECORD_TABLES}
     WHERE p.id = r.repo AND ${sql.dialect.among("r.mem", given.at(asked), "text")} AND ${rows}`,
    given.list,
  );
  const byId = new Map(found.map((row) => [row.mem, row]));
  return asked.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [readRecord(row)];
  });
}

/** `taken`: the id is another repository's. */
export type Written = "added" | "updated" | "taken";

/**
 * Writes records of different ids in a transaction that the caller holds; the answer is in their order.
 *
 * @param version of this write, from `tick`
 */
export async function writeRecords(
  tx: Sql,
  rows: readonly EmbeddedRecord[],
  space: EmbeddingSpace,
  version: number,
): Promise<readonly Written[]> {
  const repositories = await labelled(tx, rows, version);
  const before = await rowsOf(tx, rows);
  const fit = rows.filter(({ record }) => {
    const known = before.get(record.id);
    return known === undefined || known.repo === repositories.get(record.repo);
  });
  const ids = await writeFacts(tx, fit, repositories, version);
  const written = fit.map((row) => ({
    ...row,
    id: ids.get(row.record.id) ?? 0,
    repo: repositories.get(row.record.repo) ?? 0,
    keepsVector: row.vector === null && keepsMeaning(before.get(row.record.id)?.record, row.record),
  }));
  await writeContents(tx, written);
  await writeDecided(tx, written);
  await writeVectors(tx, written, space);
  return rows.map(({ record }) => (ids.has(record.id) ? (before.has(record.id) ? "updated" : "added") : "taken"));
}

type Written1 = EmbeddedRecord & { readonly id: number; readonly repo: number; readonly keepsVector: boolean };

/**
 * The rows of the repositories by key, made or narrowed: the stricter visibility stays, and an owner that differs from the known
 * one leaves the repository with none, so that it is in no pool until it is relabelled. A job or an export may be older than a
 * transfer or a change to private.
 */
async function labelled(
  tx: Sql,
  rows: readonly EmbeddedRecord[],
  version: number,
): Promise<ReadonlyMap<RepoKey, number>> {
  const labels = new Map(
    rows.map(({ record: { repo, ownerId, visibility, repoName } }) => [
      JSON.stringify([repo, ownerId, visibility, repoName]),
      { repo, ownerId, visibility, repoName },
    ]),
  );
  const known = new Map<RepoKey, number>();
  for (const { repo, ownerId, visibility, repoName } of labels.values()) {
    const key = splitRepoKey(repo);
    if (key === null) throw new RangeError(`not a repository key: ${JSON.stringify(repo)}`);
    const row = await tx.one<{ id: number }>(
      `INSERT INTO repositories AS p (host, github_id, owner_id, visibility, full_name, version)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (host, github_id) DO UPDATE SET
         owner_id = CASE WHEN p.owner_id = excluded.owner_id THEN p.owner_id END,
         visibility = CASE WHEN 'private' IN (p.visibility, excluded.visibility) THEN 'private'
                           WHEN 'internal' IN (p.visibility, excluded.visibility) THEN 'internal' ELSE 'public' END,
         gives = CASE WHEN p.owner_id = excluded.owner_id THEN p.gives ELSE 0 END,
         full_name = excluded.full_name, version = excluded.version
       RETURNING id`,
      [key.host, key.githubId, ownerId, visibility, repoName, version],
    );
    if (row !== null) known.set(repo, row.id);
  }
  return known;
}

/** What is known under these ids. */
async function rowsOf(
  tx: Sql,
  rows: readonly EmbeddedRecord[],
): Promise<ReadonlyMap<string, { readonly repo: number; readonly record: MemoryRecord }>> {
  const found = await tx.all<RecordRow & { readonly repo_row: number }>(
    `SELECT r.repo AS repo_row, ${RECORD_COLUMNS}
     FROM records r JOIN repositories p ON p.id = r.repo JOIN ${RECORD_TABLES} WHERE ${tx.dialect.among("r.mem", "$1", "text")}`,
    [rows.map(({ record }) => record.id)],
  );
  return new Map(found.map((row) => [row.mem, { repo: row.repo_row, record: readRecord(row) }]));
}

const FACTS = {
  repo: "int",
  mem: "text",
  stale: "int",
  pull: "int",
  at: "int",
  corpus: "text",
  language: "text",
  chunk_type: "text",
  category: "text",
  severity: "text",
  outcome: "text",
  path: "text",
  changed: "int",
} as const;

/** The rows' ids by the records' ids. */
async function writeFacts(
  tx: Sql,
  rows: readonly EmbeddedRecord[],
  repositories: ReadonlyMap<RepoKey, number>,
  changed: number,
): Promise<ReadonlyMap<string, number>> {
  const given = rows.map(({ record: r }) => ({
    repo: repositories.get(r.repo),
    mem: r.id,
    stale: r.stale,
    pull: r.provenance.pull,
    at: r.provenance.at,
    corpus: r.corpus,
    language: r.language,
    chunk_type: r.chunkType,
    category: r.category,
    severity: r.severity,
    outcome: r.outcome,
    path: r.path,
    changed,
  }));
  const found = await tx.all<{ id: number; mem: string }>(
    `INSERT INTO records (${Object.keys(FACTS).join(", ")})
     SELECT ${Object.keys(FACTS).join(", ")} FROM ${tx.dialect.rows("$1", FACTS)} WHERE true
     ON CONFLICT (mem) DO UPDATE SET ${overwritten(FACTS, ["mem", "repo"])} RETURNING id, mem`,
    [jsonRows(given)],
  );
  return new Map(found.map(({ id, mem }) => [mem, id]));
}

function overwritten(columns: object, kept: readonly string[]): string {
  const names = Object.keys(columns).filter((name) => !kept.includes(name));
  return names.map((name) => `${name} = excluded.${name}`).join(", ");
}

const CONTENTS = {
  id: "int",
  source_id: "text",
  repo_name: "text",
  text: "text",
  replies: "text",
  situation: "text",
  lesson: "text",
  tags: "text",
  symbol: "text",
  hunk: "text",
  url: "text",
  author: "text",
  author_is_bot: "int",
  sha: "text",
  flagged_code: "text",
  fixed_code: "text",
  record_hash: "text",
  embedded_hash: "text",
  described: "text",
} as const;

async function writeContents(tx: Sql, rows: readonly Written1[]): Promise<void> {
  const given = rows.map(({ id, record: r, hashes }) => ({
    id,
    source_id: r.sourceId,
    repo_name: r.repoName,
    text: r.text,
    replies: JSON.stringify(r.replies),
    situation: r.situation,
    lesson: r.lesson,
    tags: JSON.stringify(r.tags),
    symbol: r.symbol,
    hunk: r.hunk,
    url: r.provenance.url,
    author: r.provenance.author,
    author_is_bot: r.provenance.authorIsBot,
    sha: r.provenance.sha,
    flagged_code: r.flaggedCode ?? null,
    fixed_code: r.fixedCode ?? null,
    record_hash: hashes?.record ?? null,
    embedded_hash: hashes?.embedded ?? null,
    described: r.described === undefined ? null : JSON.stringify(r.described),
  }));
  const names = Object.keys(CONTENTS).join(", ");
  // What became of the code is learnt later than what was said, and unknown to whoever writes that again.
  await tx.run(
    `INSERT INTO contents AS c (${names}) SELECT ${names} FROM ${tx.dialect.rows("$1", CONTENTS)} WHERE true
     ON CONFLICT (id) DO UPDATE SET ${overwritten(CONTENTS, ["id", "flagged_code", "fixed_code"])},
       flagged_code = coalesce(excluded.flagged_code, c.flagged_code),
       fixed_code = coalesce(excluded.fixed_code, c.fixed_code)`,
    [jsonRows(given)],
  );
  const terms = rows.map(({ id, record }) => ({ id, terms: Buffer.from(recordTerms(record)).toString("hex") }));
  await tx.run(
    `INSERT INTO terms (id, terms) SELECT id, terms FROM ${tx.dialect.rows("$1", { id: "int", terms: "bytes" })} WHERE true
     ON CONFLICT (id) DO UPDATE SET terms = excluded.terms`,
    [jsonRows(terms)],
  );
}

const DECIDED = {
  id: "int",
  outcome: "text",
  at: "int",
  by: "text",
  reason: "text",
  sha: "text",
  weight: "text",
} as const;

/** What was learnt here outlives a record that is written again; an import brings its own where nothing was learnt. */
async function writeDecided(tx: Sql, rows: readonly Written1[]): Promise<void> {
  const decided = rows.flatMap(({ id, record: { decided: d = null, outcome } }) =>
    d === null || outcome === null
      ? []
      : [{ id, outcome, at: d.at, by: d.by, reason: d.reason, sha: d.sha, weight: d.weight }],
  );
  const names = Object.keys(DECIDED).join(", ");
  if (decided.length > 0)
    await tx.run(
      `INSERT INTO decided (${names}) SELECT ${names} FROM ${tx.dialect.rows("$1", DECIDED)} WHERE true ON CONFLICT DO NOTHING`,
      [jsonRows(decided)],
    );
  await tx.run(
    `UPDATE records SET outcome = d.outcome FROM decided d
     WHERE d.id = records.id AND ${tx.dialect.among("records.id", "$1", "int")}`,
    [rows.map(({ id }) => id)],
  );
}

async function writeVectors(tx: Sql, rows: readonly Written1[], space: EmbeddingSpace): Promise<void> {
  const { dialect } = tx;
  const replaced = rows.filter(({ keepsVector }) => !keepsVector).map(({ id }) => id);
  await tx.run(`DELETE FROM vectors WHERE ${dialect.among("id", "$1", "int")}`, [replaced]);
  const given = rows.flatMap(({ id, repo, vector }) =>
    vector === null ? [] : [{ id, repo, code: dialect.jsonCode(encodeVector(vector)) }],
  );
  if (given.length === 0) return;
  const columns = { repo: "int", id: "int", code: "code" } as const;
  await tx.run(
    `INSERT INTO vectors (repo, space, id, code)
     SELECT repo, CAST($2 AS ${dialect.type.int}), id, code FROM ${dialect.rows("$1", columns)}`,
    [jsonRows(given), await writableSpace(tx, space)],
  );
}

async function writableSpace(tx: Sql, { model, dimension }: EmbeddingSpace): Promise<number> {
  await tx.run("INSERT INTO spaces (model, dimension) VALUES ($1, $2) ON CONFLICT DO NOTHING", [model, dimension]);
  return (await spaceId(tx, { model, dimension })) ?? 0;
}

/** Null while no vector of this space was written. */
export async function spaceId(sql: Sql, { model, dimension }: EmbeddingSpace): Promise<number | null> {
  const row = await sql.one<{ id: number }>("SELECT id FROM spaces WHERE model = $1 AND dimension = $2", [
    model,
    dimension,
  ]);
  return row?.id ?? null;
}

/** When none of these changed, a record that is written without a vector keeps the one that it has. */
const EMBEDDED = [
  "text",
  "replies",
  "situation",
  "lesson",
  "tags",
  "category",
  "path",
  "language",
  "symbol",
  "chunkType",
  "hunk",
] as const satisfies readonly (keyof MemoryRecord)[];

function keepsMeaning(before: MemoryRecord | undefined, after: MemoryRecord): boolean {
  return before !== undefined && EMBEDDED.every((name) => JSON.stringify(before[name]) === JSON.stringify(after[name]));
}

/** The next version, for one write; the first statement of every transaction that writes memory (see `clock`). */
export async function tick(tx: Sql): Promise<number> {
  const row = await tx.one<{ value: number }>("UPDATE clock SET value = value + 1 RETURNING value");
  return row?.value ?? 0;
}
