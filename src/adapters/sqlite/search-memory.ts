// Searches memory over one read-only connection: the whole of Recall, but synchronous. Runs in a thread of its own
// (see recall-worker.ts), because a search may take tens of milliseconds and SQLite does not wait aside.
import { existsSync } from "node:fs";
import BetterSqlite from "better-sqlite3";
import { LRUCache } from "lru-cache";
import { load } from "sqlite-vec";
import type { EmbeddingSpace, MemoryRecord, RepoKey } from "../../domain/memory.ts";
import type { KeywordHit, MemoryCounts, MemoryFilter, Scope, VectorHit } from "../../domain/retrieval.ts";
import type { Database } from "./database.ts";
import { pathMatcher } from "./filter-rows.ts";
import { matchingInFile, matchingInMemory } from "./matching.ts";
import { countsInFile, countsInMemory } from "./memory-counts.ts";
import { inWords } from "./memory-file.ts";
import { MEMORY_MIGRATIONS } from "./memory-schema.ts";
import { nearestInFile, nearestInMemory } from "./nearest.ts";
import { prepared } from "./prepared.ts";
import { RECORD_COLUMNS, readRecord } from "./read-record.ts";
import { splitRepoKey } from "./repo-key.ts";
import { rotatedSize, rotateVector } from "./rotate-vector.ts";
import { scopeSql } from "./scope-sql.ts";
import { type AdmittedRepository, openShelves } from "./shelves.ts";
import { storedSpace } from "./stored-space.ts";
import { vectorProblem } from "./vector-problem.ts";

export interface SearchLimits {
  /** Bytes that words and sign bits may take in memory between searches. */
  readonly memoryBytes: number;
  /** Scopes with more rows than this are searched by bits in memory, smaller ones in SQL. */
  readonly rowsInSql: number;
  /** False for a search without sqlite-vec: by words only. */
  readonly vectors: boolean;
}

/**
 * 512 MB hold about 600,000 records, or 250,000 with their vectors. In SQL a question takes about a millisecond per 1,000
 * rows and needs nothing loaded; a review asks eleven (see bench/retrieval.ts).
 */
export const DEFAULT_LIMITS: SearchLimits = { memoryBytes: 512e6, rowsInSql: 1_000, vectors: true };

/** What a row takes in memory with its words, about; decides whether a scope is searched in memory at all. */
const BYTES_PER_ROW = 900;

/** Recall without the waiting; `close` gives the file back. */
export interface MemorySearch {
  nearest(scope: Scope, vector: Float32Array, space: EmbeddingSpace, k: number, filter: MemoryFilter): VectorHit[];
  /** Of each vector, all in one pass over the memory. */
  nearestAll(
    scope: Scope,
    vectors: readonly Float32Array[],
    space: EmbeddingSpace,
    k: number,
    filter: MemoryFilter,
  ): VectorHit[][];
  matching(scope: Scope, text: string, k: number, filter: MemoryFilter): KeywordHit[];
  records(scope: Scope, ids: readonly string[]): MemoryRecord[];
  counts(scope: Scope): MemoryCounts;
  version(repo: RepoKey): number;
  close(): void;
}

/**
 * Opens the memory for reading.
 *
 * @throws Error in words for the operator when the file is missing, damaged or of another schema
 */
export function openSearch(path: string, limits: SearchLimits): MemorySearch {
  const db = openForReading(path);
  const vectorsMissing = limits.vectors ? loadVectors(db) : "sqlite-vec is switched off";
  const shelves = openShelves(db, limits.memoryBytes);
  const admitted = (scope: Scope) => admittedRepositories(db, scope);
  const admitPaths = pathFunction(db);
  let seen = -1;
  /** One snapshot for one answer, so that no part of it belongs to another version. */
  const inSnapshot = <T>(filter: MemoryFilter | null, work: () => T): T => {
    admitPaths(filter);
    const answer = db.transaction(() => {
      const clock = prepared(db, "SELECT value FROM clock").pluck().get() as number;
      if (clock !== seen) shelves.keep(new Set(prepared(db, "SELECT id FROM repositories").pluck().all() as number[]));
      seen = clock;
      return work();
    })();
    shelves.shrink();
    return answer;
  };
  const rowsIn = rowCounter(db);
  const nearestAll: MemorySearch["nearestAll"] = (scope, vectors, space, k, filter) => {
    for (const vector of vectors) {
      const problem = vectorProblem(vector, space.dimension);
      if (problem !== null) throw new RangeError(problem);
    }
    if (vectorsMissing !== null) throw new Error(`vector search is not available: ${vectorsMissing}`);
    return inSnapshot(filter, () => {
      const stored = storedSpace(db, space);
      if (stored === null || k < 1) return vectors.map(() => []);
      const queries = vectors.map(rotateVector);
      const of = { db, scope, filter, k };
      const repositories = admitted(scope);
      const rows = rowsIn(repositories);
      if (rows <= limits.rowsInSql) return nearestInFile(of, queries, stored);
      const vectorsFit = rows * (BYTES_PER_ROW + rotatedSize(space.dimension)) <= limits.memoryBytes;
      return nearestInMemory(of, queries, stored, repositories, shelves, vectorsFit);
    });
  };
  return {
    nearest: (scope, vector, ...rest) => nearestAll(scope, [vector], ...rest)[0] ?? [],
    nearestAll,
    matching(scope, text, k, filter) {
      return inSnapshot(filter, () => {
        const of = { db, scope, filter, k };
        const repositories = admitted(scope);
        return rowsIn(repositories) * BYTES_PER_ROW > limits.memoryBytes
          ? matchingInFile(of, text)
          : matchingInMemory(of, text, repositories, shelves);
      });
    },
    records: (scope, ids) => inSnapshot(null, () => recordsOf(db, scope, ids)),
    counts: (scope) =>
      inSnapshot(null, () => {
        const repositories = admitted(scope);
        return repositories.every(shelves.holds)
          ? countsInMemory(scope, repositories, shelves)
          : countsInFile(db, scope);
      }),
    version(repo) {
      const key = splitRepoKey(repo);
      if (key === null) return 0;
      const find = prepared(db, "SELECT version FROM repositories WHERE host = ? AND github_id = ?").pluck();
      return (find.get(key.host, key.githubId) as number | undefined) ?? 0;
    },
    close: () => db.close(),
  };
}

function openForReading(path: string): Database.Database {
  if (!existsSync(path)) throw new Error(`${path} is not there: nothing has been remembered yet.`);
  try {
    const db = new BetterSqlite(path, { readonly: true, fileMustExist: true });
    const version = Number(db.pragma("user_version", { simple: true }));
    if (version !== MEMORY_MIGRATIONS.length) {
      db.close();
      throw new Error(`${path} has schema ${version}, not ${MEMORY_MIGRATIONS.length}: open it for writing first.`);
    }
    // Reads go through the page cache without a copy: a third less for the vectors (better-sqlite3's maximum).
    db.pragma("mmap_size = 2147418112");
    db.pragma("busy_timeout = 1000");
    return db;
  } catch (error) {
    throw inWords(path, error);
  }
}

/** Null when sqlite-vec is there, else why not. */
function loadVectors(db: Database.Database): string | null {
  try {
    load(db);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Gives SQL the function `admits_path`; what it answers is set before each search. */
function pathFunction(db: Database.Database): (filter: MemoryFilter | null) => void {
  let admits: ((path: string | null) => boolean) | null = null;
  let known = new Map<unknown, number>();
  db.function("admits_path", (path: unknown) => {
    let answer = known.get(path);
    if (answer === undefined) {
      answer = admits === null || admits(typeof path === "string" ? path : null) ? 1 : 0;
      known.set(path, answer);
    }
    return answer;
  });
  return (filter) => {
    admits = filter === null ? null : pathMatcher(filter);
    known = new Map();
  };
}

/** Counts rows, once for each version of a repository: counting a hundred thousand takes as long as searching them. */
function rowCounter(db: Database.Database): (repositories: readonly AdmittedRepository[]) => number {
  const counts = new LRUCache<number, { readonly version: number; readonly rows: number }>({ max: 10_000 });
  return (repositories) =>
    repositories.reduce((sum, { id, version }) => {
      const known = counts.get(id);
      if (known?.version === version) return sum + known.rows;
      const count = prepared(db, "SELECT count(*) FROM records WHERE repo = ? AND stale = 0").pluck();
      const rows = count.get(id) as number;
      counts.set(id, { version, rows });
      return sum + rows;
    }, 0);
}

function admittedRepositories(db: Database.Database, scope: Scope): AdmittedRepository[] {
  const { repositories, values } = scopeSql({ ...scope, excludePull: null, before: null });
  const rows = prepared(
    db,
    `SELECT p.id, p.version, p.host = @host AND p.github_id = @githubId AS own FROM repositories p WHERE ${repositories} ORDER BY p.id`,
  ).all(values) as { id: number; version: number; own: number }[];
  return rows.map(({ id, version, own }) => ({ id, version, own: own === 1 }));
}

function recordsOf(db: Database.Database, scope: Scope, ids: readonly string[]): MemoryRecord[] {
  const { rows, values } = scopeSql(scope);
  // One statement for all: starting one takes longer than a row of it.
  const find = prepared(
    db,
    `SELECT ${RECORD_COLUMNS} FROM json_each(@ids) j CROSS JOIN records r ON r.mem = j.value
       CROSS JOIN repositories p ON p.id = r.repo CROSS JOIN contents c ON c.id = r.id WHERE ${rows}`,
  );
  const asked = new Set(ids);
  const found = find.all({ ...values, ids: JSON.stringify([...asked]) }).map(readRecord);
  const byId = new Map(found.map((record) => [record.id, record]));
  return [...asked].flatMap((id) => byId.get(id) ?? []);
}
