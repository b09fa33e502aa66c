// Searches memory over one read-only connection: the whole of Recall, but synchronous. Runs in a thread of its own
// (see recall-worker.ts), because a search may take tens of milliseconds and SQLite does not wait aside.
import { existsSync } from "node:fs";
import BetterSqlite from "better-sqlite3";
import { LRUCache } from "lru-cache";
import type { EmbeddingSpace, RepoKey } from "../../domain/memory.ts";
import type { KeywordHit, MemoryCounts, MemoryFilter, Scope, VectorHit } from "../../domain/retrieval.ts";
import type { TellDegraded } from "../../ports/memory.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import { rotatedSize, rotateVector } from "../memory/rotate-vector.ts";
import { pathMatcher } from "../memory/row-filter.ts";
import type { AdmittedRepository } from "../memory/segment.ts";
import { staleText } from "../memory/stale-text.ts";
import { vectorProblem } from "../memory/vector-problem.ts";
import { bytesFor } from "./bytes-for.ts";
import type { Database } from "./database.ts";
import { matchingInFile, matchingInMemory } from "./matching.ts";
import { countsInFile, countsInMemory } from "./memory-counts.ts";
import { inWords } from "./memory-file.ts";
import { MEMORY_MIGRATIONS } from "./memory-schema.ts";
import { nearestInFile, nearestInMemory } from "./nearest.ts";
import { otherSpaces } from "./other-spaces.ts";
import { prepared } from "./prepared.ts";
import { RECORD_COLUMNS, RECORD_CONTENTS, type RecordRow } from "./read-record.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Search } from "./search.ts";
import { openShelves } from "./shelves.ts";
import { loadSqliteVec } from "./sqlite-vec.ts";
import { storedSpace } from "./stored-space.ts";
import { type SearchPart, type Warmth, type WarmUp, warmUp } from "./warm-up.ts";

export interface SearchLimits {
  /** Bytes that words, sign bits and vectors may take in memory between searches. */
  readonly memoryBytes: number;
  /** Scopes with more rows than this are searched by bits in memory, smaller ones in SQL. */
  readonly rowsInSql: number;
  /** Rows that are read into memory on the way to an answer; with more missing, the file answers until they are read. */
  readonly coldRows: number;
  /** What this search is asked for and keeps in memory: a thread for vectors and one for words hold nothing twice but facts. */
  readonly part: SearchPart;
  /** False for a search without sqlite-vec: by words only. */
  readonly vectors: boolean;
  /** The file of sqlite-vec; null for the installed package's. */
  readonly extension: string | null;
}

/**
 * 512 MB hold about 670,000 records, or 270,000 with their vectors. In SQL a question takes about a millisecond per 1,000
 * rows and needs nothing loaded; a review asks eleven (see bench/retrieval.ts). Words are read into memory at 20–100 µs a
 * row, more for longer texts: 5,000 rows hold up an answer for at most half a second.
 */
export const DEFAULT_LIMITS: SearchLimits = {
  memoryBytes: 512e6,
  rowsInSql: 1_000,
  coldRows: 5_000,
  part: "all",
  vectors: true,
  extension: null,
};

/** What is held in memory stays there until it is so many times too large, so that rows that come and go change nothing. */
const STAYS = 1.1;

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
  /** By each text; what they share is worked out once. */
  matchingAll(scope: Scope, texts: readonly string[], k: number, filter: MemoryFilter): KeywordHit[][];
  /** For `readRecord`. */
  records(scope: Scope, ids: readonly string[]): RecordRow[];
  counts(scope: Scope): MemoryCounts;
  version(repo: RepoKey): number;
  /** Begins to read the repositories into memory that were written to last, as many as fit. */
  warm(): Warmth;
  /** Reads a little more of what is wanted in memory. False when nothing is left to read. */
  readMore(): boolean;
  warmth(): Warmth;
  close(): void;
}

/**
 * Opens the memory for reading.
 *
 * @param tell told of what makes an answer poorer than it should be
 * @throws Error in words for the operator when the file is missing, damaged or of another schema
 */
export function openSearch(path: string, limits: SearchLimits, tell: TellDegraded = () => {}): MemorySearch {
  const db = openForReading(path);
  const vectorsMissing = limits.vectors ? loadSqliteVec(db, limits.extension) : "switched off";
  const shelves = openShelves(db, limits.memoryBytes * STAYS, limits.part !== "vectors");
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
  const warming = warmUp(db, shelves, { rowsIn, bytesFor: (rows: number) => bytesFor(limits.part, rows), ...limits });
  const at: Opened = { db, limits, shelves, warming, rowsIn, others: otherSpaces(db) };
  const nearestAll: MemorySearch["nearestAll"] = (scope, vectors, space, k, filter) => {
    for (const vector of vectors) {
      const problem = vectorProblem(vector, space.dimension);
      if (problem !== null) throw new RangeError(problem);
    }
    // Why, names files of this machine; `doctor` tells it.
    if (vectorsMissing !== null) throw new Error("vector search is not available: sqlite-vec could not be loaded");
    return inSnapshot(filter, () => nearestOf(at, { db, scope, filter, k, tell }, vectors, space));
  };
  const matchingAll: MemorySearch["matchingAll"] = (scope, texts, k, filter) => {
    const of = { db, scope, filter, k, tell };
    try {
      return inSnapshot(filter, () => matchingOf(at, of, texts));
    } catch (error) {
      if (error instanceof RangeError) throw error;
      // In a snapshot of its own: after a page that could not be read, SQLite does not end the old one.
      return inSnapshot(filter, () => matchingAfter(error, at, of, texts));
    }
  };
  return {
    nearest: (scope, vector, ...rest) => nearestAll(scope, [vector], ...rest)[0] ?? [],
    nearestAll,
    matching: (scope, text, ...rest) => matchingAll(scope, [text], ...rest)[0] ?? [],
    matchingAll,
    records: (scope, ids) => inSnapshot(null, () => recordsOf(db, scope, ids)),
    counts: (scope) =>
      inSnapshot(null, () => {
        const repositories = admittedRepositories(db, scope);
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
    warm() {
      inSnapshot(null, warming.wantRecent);
      return warming.warmth();
    },
    readMore: () => inSnapshot(null, warming.readMore),
    warmth: warming.warmth,
    close: () => db.close(),
  };
}

/** What every search shares. */
interface Opened {
  readonly db: Database.Database;
  readonly limits: SearchLimits;
  readonly shelves: ReturnType<typeof openShelves>;
  readonly warming: WarmUp;
  readonly rowsIn: (repositories: readonly AdmittedRepository[]) => number;
  readonly others: ReturnType<typeof otherSpaces>;
}

function nearestOf(at: Opened, of: Search, vectors: readonly Float32Array[], space: EmbeddingSpace): VectorHit[][] {
  const { db, limits, shelves, warming } = at;
  const stored = storedSpace(db, space);
  const repositories = admittedRepositories(db, of.scope);
  const others = at.others(repositories, stored?.id ?? null);
  if (others.rows > 0) of.tell("stale-vectors", staleText(others.rows, others.models));
  if (stored === null || of.k < 1) return vectors.map(() => []);
  if (stored.damaged) of.tell("damaged-vectors", "the mean of all vectors is damaged; the search finds a little less");
  const queries = vectors.map(rotateVector);
  const rows = at.rowsIn(repositories);
  const isHeld = repositories.every(shelves.holds);
  if (rows <= limits.rowsInSql / (isHeld ? STAYS : 1)) return nearestInFile(of, queries, stored);
  // What does not fit into memory with its words may still do so with its bits.
  if (fits(at, rows, isHeld) && !warming.isRead(repositories)) return nearestInFile(of, queries, stored);
  const vectorsFit = bytesFor(limits.part, rows) + rows * rotatedSize(space.dimension) <= limits.memoryBytes;
  const withVectors = vectorsFit && warming.hasVectors(repositories, stored);
  return nearestInMemory(of, queries, stored, repositories, shelves, withVectors);
}

function fits({ limits }: Opened, rows: number, isHeld: boolean): boolean {
  return bytesFor(limits.part, rows) <= limits.memoryBytes * (isHeld ? STAYS : 1);
}

/** By the index in memory; where that cannot be, by FTS5, which is said. */
function matchingOf(at: Opened, of: Search, texts: readonly string[]): KeywordHit[][] {
  const repositories = admittedRepositories(at.db, of.scope);
  const why = whyInFile(at, repositories);
  return why === null ? matchingInMemory(of, texts, repositories, at.shelves) : matchingInstead(why, of, texts);
}

/** By FTS5, after the index in memory failed. */
function matchingAfter(error: unknown, at: Opened, of: Search, texts: readonly string[]): KeywordHit[][] {
  for (const repository of admittedRepositories(at.db, of.scope)) at.shelves.drop(repository);
  const why = error instanceof Error ? error.message : String(error);
  return matchingInstead(`the index in memory failed (${why})`, of, texts);
}

function matchingInstead(why: string, of: Search, texts: readonly string[]): KeywordHit[][] {
  const hits = texts.map((text) => matchingInFile(of, text));
  of.tell("keyword-search", `${why}; SQLite's index was asked instead, which ranks less well`);
  return hits;
}

/** Why FTS5 must answer, or null. */
function whyInFile(at: Opened, repositories: readonly AdmittedRepository[]): string | null {
  const rows = at.rowsIn(repositories);
  if (!fits(at, rows, repositories.every(at.shelves.holds))) return `${rows} memories are more than fit into memory`;
  return at.warming.isRead(repositories) ? null : "the index is still being read into memory";
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

function recordsOf(db: Database.Database, scope: Scope, ids: readonly string[]): RecordRow[] {
  const { rows, values } = scopeSql(scope);
  // One statement for all: starting one takes longer than a row of it.
  const find = prepared(
    db,
    `SELECT ${RECORD_COLUMNS} FROM json_each(@ids) j CROSS JOIN records r ON r.mem = j.value
       CROSS JOIN repositories p ON p.id = r.repo CROSS JOIN ${RECORD_CONTENTS} WHERE ${rows}`,
  ).raw();
  const asked = new Set(ids);
  const found = find.all({ ...values, ids: JSON.stringify([...asked]) }) as RecordRow[];
  const byId = new Map(found.map((row) => [row[0], row]));
  return [...asked].map((id) => byId.get(id)).filter((row) => row !== undefined);
}
