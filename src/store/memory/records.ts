// Converts records of memory to rows and back.
import type { Decided, EmbeddedRecord, EmbeddingSpace, MemoryRecord, RepoKey } from "../../domain/memory.ts";
import type { Scope } from "../../domain/retrieval.ts";
import { encodeVector } from "../../search/code.ts";
import { recordTerms } from "../../search/terms.ts";
import { type Columns, insertRows, insertText, objectOf, rowOf, rowTypes } from "../columns.ts";
import { jsonRows } from "../dialect.ts";
import type { Sql } from "../sql.ts";
import { insert, oneValue, overwritten, select } from "../statement.ts";
import { scopeSql, splitRepoKey } from "./scope.ts";

/**
 * A record's columns, in the order of exports: `r` is `records`, for scopes and filters; `c` is
 * `contents`. Owner and visibility are the repository's (`p`) of now, not of the time of writing.
 */
const RECORD: Columns = {
  mem: ["text", "id", "r"],
  repo: ["text", "repo", "p"],
  repo_name: ["text", "repoName", "c"],
  owner_id: ["int", "ownerId", "p"],
  visibility: ["text", "visibility", "p"],
  corpus: ["text", "corpus", "r"],
  source_id: ["text", "sourceId", "c"],
  text: ["text", "text", "c"],
  situation: ["text", "situation", "c"],
  lesson: ["text", "lesson", "c"],
  severity: ["text", "severity", "r"],
  category: ["text", "category", "r"],
  path: ["text", "path", "r"],
  language: ["text", "language", "r"],
  symbol: ["text", "symbol", "c"],
  chunk_type: ["text", "chunkType", "r"],
  hunk: ["text", "hunk", "c"],
  outcome: ["text", "outcome", "r"],
  flagged_code: ["text", "flaggedCode", "c"],
  fixed_code: ["text", "fixedCode", "c"],
  replies: ["json", "replies", "c"],
  tags: ["json", "tags", "c"],
  url: ["text", "provenance.url", "c"],
  author: ["text", "provenance.author", "c"],
  author_is_bot: ["flag", "provenance.authorIsBot", "c"],
  sha: ["text", "provenance.sha", "c"],
  pull: ["int", "provenance.pull", "r"],
  at: ["int", "provenance.at", "r"],
  stale: ["flag", "stale", "r"],
  described: ["json", "described", "c"],
};
const FACTS = columnsOf("r");
const CONTENTS = columnsOf("c");

function columnsOf(table: string): Columns {
  return Object.fromEntries(Object.entries(RECORD).filter(([, [, , of]]) => of === table));
}

/** The columns of `decided`, which explain an outcome; selected as `decided_at` and so on. */
const DECIDED: Columns = {
  at: ["int", "at"],
  by: ["text", "by"],
  reason: ["text", "reason"],
  sha: ["text", "sha"],
  weight: ["text", "weight"],
};
const READ_DECIDED: Columns = Object.fromEntries(
  Object.entries(DECIDED).map(([name, column]) => [`decided_${name}`, column]),
);

/** For `readRecord`, over `p` (repositories), `r`, RECORD_TABLES. In doubt the owner id is 0. */
export const RECORD_COLUMNS = [
  "p.host || '/' || p.github_id AS repo, coalesce(p.owner_id, 0) AS owner_id, p.visibility, p.gives",
  ...Object.keys(FACTS).map((name) => `r.${name}`),
  ...Object.keys(CONTENTS).map((name) => `c.${name}`),
  ...Object.keys(DECIDED).map((name) => `d.${name} AS decided_${name}`),
].join(", ");

/** To be joined to `r`. */
export const RECORD_TABLES = "contents c ON c.id = r.id LEFT JOIN decided d ON d.id = r.id";

export type RecordRow = Readonly<Record<string, unknown>>;

export function readRecord(row: RecordRow): MemoryRecord {
  return {
    ...objectOf<MemoryRecord>(RECORD, row),
    decided: row.decided_weight === null ? null : objectOf<Decided>(READ_DECIDED, row),
    sharing: row.gives === 1 ? "given" : null,
  };
}

/** The records of these ids that the scope admits, in the order of the ids, each once. */
export async function storedRecords(sql: Sql, scope: Scope, ids: readonly string[]): Promise<readonly MemoryRecord[]> {
  const wanted = [...new Set(ids)];
  const found = await select<RecordRow>(
    sql,
    // CROSS JOIN fixes the order: SQLite would begin with the repository, and read all its rows.
    (at) => `SELECT ${RECORD_COLUMNS} FROM records r CROSS JOIN repositories p JOIN ${RECORD_TABLES}
     WHERE p.id = r.repo AND ${sql.dialect.among("r.mem", at(wanted), "text")} AND ${scopeSql(scope, { at }).rows}`,
  );
  const byId = new Map(found.map((row) => [row.mem, readRecord(row)]));
  return wanted.flatMap((id) => byId.get(id) ?? []);
}

/** `taken`: the id belongs to another repository. */
type Written = "added" | "updated" | "taken";

/**
 * Writes records with distinct ids in the caller's transaction; the results are in their order.
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

type WrittenRow = EmbeddedRecord & { readonly id: number; readonly repo: number; readonly keepsVector: boolean };

/**
 * Creates or narrows the repositories' rows: the stricter visibility wins, and a different owner
 * resets it to none, in no pool until relabelled. A job or an export may be older than a transfer
 * or a change to private.
 */
async function labelled(
  tx: Sql,
  rows: readonly EmbeddedRecord[],
  version: number,
): Promise<ReadonlyMap<RepoKey, number>> {
  const labelOf = ({ repo, ownerId, visibility, repoName }: MemoryRecord) =>
    JSON.stringify([repo, ownerId, visibility, repoName]);
  const labels = new Map(rows.map(({ record }) => [labelOf(record), record]));
  const known = new Map<RepoKey, number>();
  for (const { repo, ownerId, visibility, repoName } of labels.values()) {
    const key = splitRepoKey(repo);
    if (key === null) throw new RangeError(`not a repository key: ${JSON.stringify(repo)}`);
    const id = await oneValue<number>(
      tx,
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
    if (id !== null) known.set(repo, id);
  }
  return known;
}

async function rowsOf(
  tx: Sql,
  rows: readonly EmbeddedRecord[],
): Promise<ReadonlyMap<string, { readonly repo: number; readonly record: MemoryRecord }>> {
  const found = await tx.all<RecordRow & { readonly repo_row: number }>(
    `SELECT r.repo AS repo_row, ${RECORD_COLUMNS}
     FROM records r JOIN repositories p ON p.id = r.repo JOIN ${RECORD_TABLES} WHERE ${tx.dialect.among("r.mem", "$1", "text")}`,
    [rows.map(({ record }) => record.id)],
  );
  const known = found.map((row) => ({ repo: row.repo_row, record: readRecord(row) }));
  return new Map(known.map((one) => [one.record.id, one]));
}

async function writeFacts(
  tx: Sql,
  rows: readonly EmbeddedRecord[],
  repositories: ReadonlyMap<RepoKey, number>,
  changed: number,
): Promise<ReadonlyMap<string, number>> {
  const types = { repo: "int", ...rowTypes(FACTS), changed: "int" } as const;
  const given = rows.map(({ record }) => ({ repo: repositories.get(record.repo), ...rowOf(FACTS, record), changed }));
  const then = `ON CONFLICT (mem) DO UPDATE SET ${overwritten(Object.keys(types), ["mem", "repo"])} RETURNING id, mem`;
  const text = insertText(tx.dialect, "records", types, then);
  const found = await tx.all<{ id: number; mem: string }>(text, [jsonRows(given)]);
  return new Map(found.map(({ id, mem }) => [mem, id]));
}

async function writeContents(tx: Sql, rows: readonly WrittenRow[]): Promise<void> {
  const types = { id: "int", ...rowTypes(CONTENTS), record_hash: "text", embedded_hash: "text" } as const;
  const given = rows.map(({ id, record, hashes }) => ({
    id,
    ...rowOf(CONTENTS, record),
    record_hash: hashes?.record,
    embedded_hash: hashes?.embedded,
  }));
  // The fix is learnt later than the finding, and a second write of the finding does not know it.
  const then = `ON CONFLICT (id) DO UPDATE SET ${overwritten(Object.keys(types), ["id", "flagged_code", "fixed_code"])},
    flagged_code = coalesce(excluded.flagged_code, contents.flagged_code),
    fixed_code = coalesce(excluded.fixed_code, contents.fixed_code)`;
  await insertRows(tx, "contents", types, given, then);
  const terms = rows.map(({ id, record }) => ({ id, terms: Buffer.from(recordTerms(record)).toString("hex") }));
  const termsThen = "ON CONFLICT (id) DO UPDATE SET terms = excluded.terms";
  await insertRows(tx, "terms", { id: "int", terms: "bytes" }, terms, termsThen);
}

/** A stored decision survives a second write of its record; else an import's is stored. */
async function writeDecided(tx: Sql, rows: readonly WrittenRow[]): Promise<void> {
  const decided = rows.flatMap(({ id, record: { decided: how, outcome } }) =>
    how === null || outcome === null ? [] : [{ id, outcome, ...rowOf(DECIDED, how) }],
  );
  const types = { id: "int", outcome: "text", ...rowTypes(DECIDED) } as const;
  if (decided.length > 0) await insertRows(tx, "decided", types, decided);
  await tx.run(
    `UPDATE records SET outcome = d.outcome FROM decided d
     WHERE d.id = records.id AND ${tx.dialect.among("records.id", "$1", "int")}`,
    [rows.map(({ id }) => id)],
  );
}

async function writeVectors(tx: Sql, rows: readonly WrittenRow[], space: EmbeddingSpace): Promise<void> {
  const { dialect } = tx;
  const replaced = rows.filter(({ keepsVector }) => !keepsVector).map(({ id }) => id);
  await tx.run(`DELETE FROM vectors WHERE ${dialect.among("id", "$1", "int")}`, [replaced]);
  const given = rows.flatMap(({ id, repo, vector }) =>
    vector === null ? [] : [{ id, repo, code: dialect.jsonCode(encodeVector(vector)) }],
  );
  if (given.length === 0) return;
  const { model, dimension } = space;
  await insert(tx, "spaces", { model, dimension }, "ON CONFLICT DO NOTHING");
  const columns = { repo: "int", id: "int", code: "code" } as const;
  await tx.run(
    `INSERT INTO vectors (repo, space, id, code)
     SELECT repo, CAST($2 AS bigint), id, code FROM ${dialect.rows("$1", columns)}`,
    [jsonRows(given), await spaceId(tx, space)],
  );
}

/** Null when no vector of this space was written. */
export function spaceId(sql: Sql, { model, dimension }: EmbeddingSpace): Promise<number | null> {
  return oneValue(sql, "SELECT id FROM spaces WHERE model = $1 AND dimension = $2", [model, dimension]);
}

/** If none of these changed, a record without a vector keeps its stored one. */
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

/** The version of one write: the first statement of a transaction that writes memory (`clock`). */
export async function tick(tx: Sql): Promise<number> {
  return (await oneValue<number>(tx, "UPDATE clock SET value = value + 1 RETURNING value")) ?? 0;
}
