// Writes memory in short, ordered transactions, so that nothing else waits long.

import { setImmediate } from "node:timers/promises";
import { failPoint } from "../../adapters/fail-point.ts";
import type {
  Corpus,
  Described,
  EmbeddedRecord,
  EmbeddingSpace,
  FieldCounts,
  KnownSource,
  MemoryRecord,
  RepoKey,
  WrittenFields,
} from "../../domain/memory.ts";
import { oneAtATime } from "../../domain/one-at-a-time.ts";
import type { Memory } from "../../ports/memory.ts";
import { vectorProblem } from "../../search/code.ts";
import { type Columns, objectOf, withoutRepeats } from "../columns.ts";
import { storable } from "../dialect.ts";
import type { Database } from "../sql.ts";
import { oneValue } from "../statement.ts";
import { tick, writeRecords } from "./records.ts";
import { repoValues, splitRepoKey } from "./scope.ts";

/** Rows per transaction: on SQLite a transaction blocks the event loop. */
const CHUNK = 100;

/**
 * Memory over an open database. Every method may throw `Transient`; another call completes it.
 *
 * @param reclaim frees the space of deleted rows
 */
export function storedMemory(db: Database, reclaim: () => Promise<void>): Memory {
  const inTurn = oneAtATime();
  const sweep = async () => {
    if ((await removeForgotten(db)) > 0) await purge(db, reclaim);
  };
  // First finishes the removals of a stopped process; on a lock, the next start does.
  const swept = inTurn(sweep).catch(() => {});
  return {
    remember: (rows, space) => swept.then(() => inTurn(() => remember(db, rows, space))),
    known: (repo, corpus, space, sourceIds) => swept.then(() => knownSources(db, repo, corpus, space, sourceIds)),
    fields: (repo, ids) => swept.then(() => writtenFields(db, repo, ids)),
    fieldCounts: (repo) => swept.then(() => fieldCounts(db, repo)),
    forget: (repo, ids) => swept.then(() => inTurn(() => forgetRecords(db, repo, ids, reclaim))),
    forgetRepository: (repo) => swept.then(() => inTurn(() => forgetWholeRepository(db, repo, reclaim))),
  };
}

async function remember(
  db: Database,
  rows: readonly EmbeddedRecord[],
  space: EmbeddingSpace,
): ReturnType<Memory["remember"]> {
  failPoint("before-remember");
  const refused: { id: string; reason: string }[] = [];
  const fit: EmbeddedRecord[] = [];
  for (const row of rows) {
    const reason = refusalReason(row, space);
    if (reason === null) fit.push({ ...row, record: storableRecord(row.record) });
    else refused.push({ id: row.record.id, reason });
  }
  let [added, updated] = [0, 0];
  for (const chunk of withoutRepeats(fit, ({ record }) => record.id, CHUNK)) {
    const written = await db.transaction(async (tx) => writeRecords(tx, chunk, space, await tick(tx)));
    added += written.filter((end) => end === "added").length;
    updated += written.filter((end) => end === "updated").length;
    const taken = chunk.filter((_, at) => written[at] === "taken");
    refused.push(...taken.map(({ record }) => ({ id: record.id, reason: "id belongs to another repository" })));
  }
  failPoint("after-remember");
  return { added, updated, refused };
}

const VISIBILITIES: ReadonlySet<string> = new Set(["public", "internal", "private"]);

/** Why a row is refused, so that one bad row does not fail the others; null when it is valid. */
function refusalReason({ record, vector }: EmbeddedRecord, space: EmbeddingSpace): string | null {
  if (record.id === "") return "id is empty";
  if (splitRepoKey(record.repo) === null) return `not a repository key: ${JSON.stringify(record.repo)}`;
  if (!VISIBILITIES.has(record.visibility)) return `visibility is ${JSON.stringify(record.visibility)}`;
  if (!Number.isSafeInteger(record.ownerId)) return `owner id is not a whole number: ${record.ownerId}`;
  if (!Number.isSafeInteger(record.provenance.at)) return `time is not whole milliseconds: ${record.provenance.at}`;
  const pull = record.provenance.pull;
  if (pull !== null && !Number.isSafeInteger(pull)) return `pull request number is not a whole number: ${pull}`;
  return vector === null ? null : vectorProblem(vector, space.dimension);
}

/** The record with storable texts; terms and hashes must be computed from these. */
function storableRecord(record: MemoryRecord): MemoryRecord {
  return JSON.parse(JSON.stringify(record), (_, value: unknown) =>
    typeof value === "string" ? storable(value) : value,
  ) as MemoryRecord;
}

type KnownRow = Omit<KnownSource, "hashes"> & { source: string; record: string | null; embedded: string | null };

async function knownSources(
  db: Database,
  repo: RepoKey,
  corpus: Corpus,
  { model, dimension }: EmbeddingSpace,
  sourceIds: readonly string[] | null,
): Promise<ReadonlyMap<string, KnownSource>> {
  const only = sourceIds === null ? "" : `AND ${db.dialect.among("c.source_id", "$6", "text")}`;
  const rows = await db.all<KnownRow>(
    `SELECT c.source_id AS source, r.mem AS id, r.path, c.sha, c.record_hash AS record,
       CASE WHEN EXISTS (SELECT 1 FROM vectors v JOIN spaces s ON s.id = v.space
                         WHERE v.id = r.id AND s.model = $4 AND s.dimension = $5) THEN c.embedded_hash END AS embedded
     FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
     WHERE p.host = $1 AND p.github_id = $2 AND r.corpus = $3 ${only}`,
    [...repoValues(repo), corpus, model, dimension, ...(sourceIds === null ? [] : [sourceIds])],
  );
  return new Map(
    rows.map(({ source, record, embedded, ...row }) => {
      return [source, { ...row, hashes: record === null ? null : { record, embedded } }];
    }),
  );
}

const WRITTEN: Columns = {
  situation: ["text", "situation"],
  lesson: ["text", "lesson"],
  tags: ["json", "tags"],
  described: ["json", "described"],
};

async function writtenFields(
  db: Database,
  repo: RepoKey,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WrittenFields>> {
  const rows = await db.all<{ mem: string }>(
    `SELECT r.mem, ${Object.keys(WRITTEN).join(", ")}
     FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
     WHERE p.host = $1 AND p.github_id = $2 AND c.described IS NOT NULL AND ${db.dialect.among("r.mem", "$3", "text")}`,
    [...repoValues(repo), ids],
  );
  return new Map(rows.map(({ mem, ...row }) => [mem, objectOf<WrittenFields>(WRITTEN, row)]));
}

async function fieldCounts(db: Database, repo: RepoKey): Promise<FieldCounts> {
  const rows = await db.all<{ described: string | null; has_lesson: number; n: number }>(
    `SELECT c.described, CASE WHEN c.lesson IS NULL THEN 0 ELSE 1 END AS has_lesson, count(*) AS n
     FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
     WHERE p.host = $1 AND p.github_id = $2 AND r.stale = 0 AND r.corpus IN ('finding', 'review_comment')
     GROUP BY 1, 2`,
    repoValues(repo),
  );
  const without = new Map<string, number>();
  let [described, waiting] = [0, 0];
  for (const row of rows) {
    if (row.has_lesson === 1) described += row.n;
    else if (row.described === null) waiting += row.n;
    else {
      const { problems } = JSON.parse(row.described) as Described;
      for (const problem of problems) without.set(problem, (without.get(problem) ?? 0) + row.n);
    }
  }
  const inOrder = [...without].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return { described, without: new Map(inOrder), waiting };
}

/** Rows per transaction: on SQLite a deletion takes about as long as an insertion. */
const FORGOTTEN_AT_ONCE = 50;

/**
 * Removes these records of a repository; ignores ids of other repositories.
 *
 * @returns how many records were removed
 * @throws Transient when their bytes are still in use: call again
 */
async function forgetRecords(
  db: Database,
  repo: RepoKey,
  ids: readonly string[],
  reclaim: () => Promise<void>,
): Promise<number> {
  const wanted = [...new Set(ids)];
  let forgotten = 0;
  for (let from = 0; from < wanted.length; from += FORGOTTEN_AT_ONCE) {
    forgotten += await db.transaction(async (tx) => {
      const version = await tick(tx);
      const update = "UPDATE repositories SET version = $3 WHERE host = $1 AND github_id = $2 RETURNING id";
      const id = await oneValue(tx, update, [...repoValues(repo), version]);
      const some = wanted.slice(from, from + FORGOTTEN_AT_ONCE);
      return tx.run(`DELETE FROM records WHERE repo = $1 AND ${tx.dialect.among("mem", "$2", "text")}`, [id, some]);
    });
  }
  await purge(db, reclaim);
  return forgotten;
}

/** Removes a whole repository. Searches exclude it at once; its rows are deleted afterwards. */
async function forgetWholeRepository(db: Database, repo: RepoKey, reclaim: () => Promise<void>): Promise<number> {
  await db.transaction(async (tx) => {
    const version = await tick(tx);
    // No scope can name the empty host (see splitRepoKey), and it has no owner.
    await tx.run(
      `UPDATE repositories SET host = '', github_id = CAST(id AS text), owner_id = NULL, full_name = '',
         gives = 0, version = $3 WHERE host = $1 AND github_id = $2`,
      [...repoValues(repo), version],
    );
  });
  const forgotten = await removeForgotten(db);
  await purge(db, reclaim);
  return forgotten;
}

async function removeForgotten(db: Database): Promise<number> {
  const repositories = await db.all<{ id: number }>("SELECT id FROM repositories WHERE host = '' ORDER BY id");
  const some = "DELETE FROM records WHERE id IN (SELECT id FROM records WHERE repo = $1 LIMIT $2)";
  let forgotten = 0;
  for (const { id } of repositories) {
    for (let removed = FORGOTTEN_AT_ONCE; removed === FORGOTTEN_AT_ONCE; forgotten += removed) {
      removed = await db.run(some, [id, FORGOTTEN_AT_ONCE]);
      await setImmediate();
    }
    await db.run("DELETE FROM repositories WHERE id = $1", [id]);
  }
  return forgotten;
}

/** Also deletes cached queries, which stem from the same pull requests. May throw `Transient`. */
async function purge(db: Database, reclaim: () => Promise<void>): Promise<void> {
  await db.run("DELETE FROM embeddings");
  await reclaim();
}
