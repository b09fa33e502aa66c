// Records into the tables of memory, many at a time, inside a transaction that the caller holds.
import type { EmbeddedRecord, EmbeddingSpace, RepoKey } from "../../domain/memory.ts";
import { keptSource } from "../memory/embedded-fields.ts";
import { recordWords } from "../memory/record-words.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import { asJson } from "./database.ts";
import { RECORD_COLUMNS, readRecord } from "./read-record.ts";
import type { Sql } from "./sql.ts";
import { writeBits } from "./vector-bits.ts";

/** `taken`: the id is another repository's. */
export type Written = "added" | "updated" | "taken";

/**
 * Writes records of different ids; the answer is in their order. Rows that several processes write at once wait for each other by
 * repository, always in the order of the repositories' names.
 */
export async function writeRecords(
  sql: Sql,
  rows: readonly EmbeddedRecord[],
  space: EmbeddingSpace,
): Promise<readonly Written[]> {
  const repositories = await labelled(sql, rows);
  const kept = await keptVectors(sql, rows);
  const found = await writeFacts(sql, rows, repositories);
  const written = rows.flatMap((row) => {
    const at = found.get(row.record.id);
    return at === undefined ? [] : [{ ...row, id: at.id, repo: repositories.get(row.record.repo)?.id ?? 0 }];
  });
  await writeContents(sql, written);
  await writeWords(sql, written);
  await writeMarks(sql, written);
  await writeDecided(sql, written);
  await writeVectors(sql, written, kept, space);
  return rows.map(({ record }) => {
    const at = found.get(record.id);
    return at === undefined ? "taken" : at.added ? "added" : "updated";
  });
}

type WrittenRow = EmbeddedRecord & { readonly id: number; readonly repo: number };
type Labelled = ReadonlyMap<RepoKey, { readonly id: number; readonly version: number }>;

/**
 * The rows of the repositories, made or narrowed: the stricter visibility stays, and an owner that differs from the known one
 * leaves the repository with none, so that it is in nobody's pool until somebody who knows relabels it. A job or an export may
 * be older than a transfer or a change to private.
 */
async function labelled(sql: Sql, rows: readonly EmbeddedRecord[]): Promise<Labelled> {
  const labels = new Map(
    rows.map(({ record: { repo, ownerId, visibility, repoName } }) => [
      JSON.stringify([repo, ownerId, visibility, repoName]),
      { repo, ownerId, visibility, repoName },
    ]),
  );
  const inOrder = [...labels.values()].sort((one, other) =>
    one.repo < other.repo ? -1 : one.repo > other.repo ? 1 : 0,
  );
  const known = new Map<RepoKey, { id: number; version: number }>();
  for (const { repo, ownerId, visibility, repoName } of inOrder) {
    const key = splitRepoKey(repo);
    if (key === null) throw new RangeError(`not a repository key: ${JSON.stringify(repo)}`);
    const row = await sql.one<{ id: number; version: number }>(
      `INSERT INTO repositories AS p (host, github_id, owner_id, visibility, full_name, version)
       VALUES ($1, $2, $3, $4, $5, nextval('memory_clock'))
       ON CONFLICT (host, github_id) DO UPDATE SET
         owner_id = CASE WHEN p.owner_id = excluded.owner_id THEN p.owner_id END,
         visibility = CASE WHEN 'private' IN (p.visibility, excluded.visibility) THEN 'private'
                           WHEN 'internal' IN (p.visibility, excluded.visibility) THEN 'internal' ELSE 'public' END,
         gives = CASE WHEN p.owner_id = excluded.owner_id THEN p.gives ELSE false END,
         full_name = excluded.full_name, version = nextval('memory_clock')
       RETURNING id, version`,
      [key.host, key.githubId, ownerId, visibility, repoName],
    );
    if (row !== null) known.set(repo, row);
  }
  return known;
}

/** The ids of records that are written without a vector and keep theirs, because none of what it was made from changed. */
async function keptVectors(sql: Sql, rows: readonly EmbeddedRecord[]): Promise<ReadonlySet<string>> {
  const without = new Map(
    rows.flatMap(({ record, vector }) => (vector === null ? [[record.id, record] as const] : [])),
  );
  if (without.size === 0) return new Set();
  const before = await sql.all(
    `SELECT ${RECORD_COLUMNS} FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
     WHERE r.mem = ANY ($1::text[])`,
    [[...without.keys()]],
  );
  const same = before.map(readRecord).filter((record) => {
    const after = without.get(record.id);
    return after !== undefined && keptSource(record, after);
  });
  return new Set(same.map(({ id }) => id));
}

async function writeFacts(
  sql: Sql,
  rows: readonly EmbeddedRecord[],
  repositories: Labelled,
): Promise<ReadonlyMap<string, { readonly id: number; readonly added: boolean }>> {
  const given = rows.map(({ record: r }) => ({
    ...{ repo: repositories.get(r.repo)?.id, mem: r.id, stale: r.stale, pull: r.provenance.pull, at: r.provenance.at },
    ...{ corpus: r.corpus, language: r.language, chunk_type: r.chunkType, category: r.category, severity: r.severity },
    ...{ outcome: r.outcome, path: r.path, changed: repositories.get(r.repo)?.version },
  }));
  const names = "repo, mem, stale, pull, at, corpus, language, chunk_type, category, severity, outcome, path, changed";
  const kept = new Set(["repo", "mem"]);
  const set = names.split(", ").flatMap((name) => (kept.has(name) ? [] : [`${name} = excluded.${name}`]));
  const found = await sql.all<{ id: number; mem: string; added: boolean }>(
    `INSERT INTO records (${names})
     SELECT ${names} FROM jsonb_to_recordset($1::jsonb) AS x (repo bigint, mem text, stale boolean, pull bigint, at bigint,
       corpus text, language text, chunk_type text, category text, severity text, outcome text, path text, changed bigint)
     ON CONFLICT (mem) DO UPDATE SET ${set.join(", ")} WHERE records.repo = excluded.repo
     RETURNING id, mem, xmax = 0 AS added`,
    [asJson(given)],
  );
  return new Map(found.map(({ mem, ...row }) => [mem, row]));
}

/** What code became is learnt later than what was said, and not known to whoever writes that again. */
async function writeContents(sql: Sql, rows: readonly WrittenRow[]): Promise<void> {
  const given = rows.map(({ id, record: r }) => ({
    ...{ id, source_id: r.sourceId, repo_name: r.repoName, text: r.text, replies: r.replies, situation: r.situation },
    ...{ lesson: r.lesson, tags: r.tags, symbol: r.symbol, hunk: r.hunk, url: r.provenance.url },
    ...{ author: r.provenance.author, author_is_bot: r.provenance.authorIsBot, sha: r.provenance.sha },
    ...{ flagged_code: r.flaggedCode ?? null, fixed_code: r.fixedCode ?? null },
  }));
  const names = [
    ...["source_id", "repo_name", "text", "replies", "situation", "lesson", "tags", "symbol", "hunk", "url", "author"],
    ...["author_is_bot", "sha"],
  ];
  await sql.run(
    `INSERT INTO contents AS c (id, ${names.join(", ")}, flagged_code, fixed_code)
     SELECT id, ${names.join(", ")}, flagged_code, fixed_code FROM jsonb_to_recordset($1::jsonb) AS x (id bigint, source_id text,
       repo_name text, text text, replies jsonb, situation text, lesson text, tags jsonb, symbol text, hunk text, url text,
       author text, author_is_bot boolean, sha text, flagged_code text, fixed_code text)
     ON CONFLICT (id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(", ")},
       flagged_code = coalesce(excluded.flagged_code, c.flagged_code),
       fixed_code = coalesce(excluded.fixed_code, c.fixed_code)`,
    [asJson(given)],
  );
}

/** Postgres refuses a text vector of more than a megabyte; its index is the poorer one and may miss the end of a long text. */
export const MOST_INDEXED = 200_000;

/** What Postgres's own index has of words, from the columns that the ranker reads. */
export const LEXEMES = `setweight(to_tsvector('simple', left(text || ' ' || path || ' ' || symbol, ${MOST_INDEXED})), 'A')
  || setweight(to_tsvector('simple', left(hunk, ${MOST_INDEXED})), 'D')`;

/** An update that changes no word leaves the index alone: most updates only learn an outcome. */
async function writeWords(sql: Sql, rows: readonly WrittenRow[]): Promise<void> {
  const given = rows.map(({ id, repo, record }) => ({ id, repo, ...recordWords(record) }));
  await sql.run(
    `INSERT INTO words AS w (id, repo, text, path, symbol, hunk, lexemes)
     SELECT id, repo, text, path, symbol, hunk,
       ${LEXEMES}
     FROM jsonb_to_recordset($1::jsonb) AS x (id bigint, repo bigint, text text, path text, symbol text, hunk text)
     ON CONFLICT (id) DO UPDATE SET text = excluded.text, path = excluded.path, symbol = excluded.symbol,
       hunk = excluded.hunk, lexemes = excluded.lexemes
     WHERE (w.text, w.path, w.symbol, w.hunk) IS DISTINCT FROM (excluded.text, excluded.path, excluded.symbol, excluded.hunk)`,
    [asJson(given)],
  );
}

/** Hashes and descriptions: with the record, or not at all. */
async function writeMarks(sql: Sql, rows: readonly WrittenRow[]): Promise<void> {
  const ids = (wanted: (row: WrittenRow) => boolean) => rows.filter(wanted).map(({ id }) => id);
  await sql.run("DELETE FROM hashes WHERE id = ANY ($1::bigint[])", [ids(({ hashes }) => hashes === undefined)]);
  const hashes = rows.flatMap(({ id, hashes }) => (hashes === undefined ? [] : [{ id, ...hashes }]));
  if (hashes.length > 0)
    await sql.run(
      `INSERT INTO hashes SELECT * FROM jsonb_to_recordset($1::jsonb) AS x (id bigint, record text, embedded text)
       ON CONFLICT (id) DO UPDATE SET record = excluded.record, embedded = excluded.embedded`,
      [asJson(hashes)],
    );
  await sql.run("DELETE FROM descriptions WHERE id = ANY ($1::bigint[])", [
    ids(({ record }) => record.described === undefined),
  ]);
  const described = rows.flatMap(({ id, record }) =>
    record.described === undefined ? [] : [{ id, ...record.described }],
  );
  if (described.length > 0)
    await sql.run(
      `INSERT INTO descriptions SELECT * FROM jsonb_to_recordset($1::jsonb)
         AS x (id bigint, by text, source text, confidence double precision, problems jsonb)
       ON CONFLICT (id) DO UPDATE SET by = excluded.by, source = excluded.source, confidence = excluded.confidence,
         problems = excluded.problems`,
      [asJson(described)],
    );
}

/** What was learnt here outlives a record that is written again; an import brings its own where nothing was learnt. */
async function writeDecided(sql: Sql, rows: readonly WrittenRow[]): Promise<void> {
  const decided = rows.flatMap(({ id, record: { decided: d = null, outcome } }) =>
    d === null || outcome === null
      ? []
      : [{ id, outcome, at: d.at, by: d.by, reason: d.reason, sha: d.sha, weight: d.weight }],
  );
  if (decided.length > 0)
    await sql.run(
      `INSERT INTO decided SELECT * FROM jsonb_to_recordset($1::jsonb)
         AS x (id bigint, outcome text, at bigint, by text, reason text, sha text, weight text) ON CONFLICT DO NOTHING`,
      [asJson(decided)],
    );
  await sql.run(
    `UPDATE records SET outcome = d.outcome FROM decided d
     WHERE d.id = records.id AND records.id = ANY ($1::bigint[]) AND records.outcome IS DISTINCT FROM d.outcome`,
    [rows.map(({ id }) => id)],
  );
}

async function writeVectors(
  sql: Sql,
  rows: readonly WrittenRow[],
  kept: ReadonlySet<string>,
  space: EmbeddingSpace,
): Promise<void> {
  await sql.run("DELETE FROM vectors WHERE id = ANY ($1::bigint[])", [
    rows.filter(({ record }) => !kept.has(record.id)).map(({ id }) => id),
  ]);
  const given = rows.flatMap(({ id, repo, vector }) => (vector === null ? [] : [{ id, repo, v: halfvec(vector) }]));
  if (given.length === 0) return;
  const at = await writableSpace(sql, space);
  await sql.run(
    `INSERT INTO vectors (repo, space, id, v)
     SELECT repo, $2, id, v::halfvec FROM jsonb_to_recordset($1::jsonb) AS x (id bigint, repo bigint, v text)`,
    [asJson(given), at],
  );
  await writeBits(
    sql,
    at,
    rows.flatMap(({ id, repo, vector }) => (vector === null ? [] : [{ id, repo, vector }])),
  );
}

async function writableSpace(sql: Sql, { model, dimension }: EmbeddingSpace): Promise<number> {
  const values = [model, dimension];
  await sql.run("INSERT INTO spaces (model, dimension) VALUES ($1, $2) ON CONFLICT DO NOTHING", values);
  const row = await sql.one<{ id: number }>("SELECT id FROM spaces WHERE model = $1 AND dimension = $2", values);
  return row?.id ?? 0;
}

/** A vector as pgvector reads it. Six digits: half a float tells about three. Only its direction counts. */
export function halfvec(vector: Float32Array): string {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const scale = 1 / Math.sqrt(squares);
  return `[${Array.from(vector, (value) => Number((value * scale).toPrecision(6))).join(",")}]`;
}
