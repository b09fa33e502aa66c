// Matching by words: exact BM25 over the scope, by an index in memory that is filled from the database. Where that does not fit or is
// still being read, Postgres's own index is asked, which knows no rare words and ranks less well; that is told.
import { totalmem } from "node:os";
import type { KeywordHit, MemoryFilter, Scope } from "../../domain/retrieval.ts";
import type { TellDegraded } from "../../ports/memory.ts";
import { bestRows } from "../memory/best-rows.ts";
import type { Bm25Part } from "../memory/bm25.ts";
import { memoryFor } from "../memory/memory-for.ts";
import { seenRows } from "../memory/row-mask.ts";
import type { AdmittedRepository, Segment } from "../memory/segment.ts";
import { bytesOfRows } from "../memory/word-index.ts";
import { type CountedRepository, repositoryLookUp, toldRows } from "./admitted.ts";
import { matchingInDatabase } from "./matching-in-database.ts";
import type { KeywordQuestion } from "./question.ts";
import { admittedPaths } from "./scope-sql.ts";
import { openShelves, type Shelves } from "./shelves.ts";
import type { Postgres, Sql } from "./sql.ts";

export interface KeywordLimits {
  /** Bytes that words may take in memory between searches. */
  readonly memoryBytes: number;
  /** Rows that are read on the way to an answer; with more missing, Postgres answers until they are read. */
  readonly coldRows: number;
}

/** As much memory as an embedded store would take; 5,000 rows hold up an answer for at most half a second. */
export const KEYWORD_LIMITS: KeywordLimits = { memoryBytes: memoryFor(totalmem()), coldRows: 5_000 };

export interface KeywordSearch {
  /** By each text the k best; what they share is worked out once. */
  matchingAll(
    scope: Scope,
    texts: readonly string[],
    k: number,
    filter: MemoryFilter,
    tell: TellDegraded,
  ): Promise<readonly (readonly KeywordHit[])[]>;
  /** Reads the repositories that were written to last, as many as fit into half of the room. */
  warm(): Promise<void>;
  warmth(): KeywordWarmth;
  close(): Promise<void>;
}

export interface KeywordWarmth {
  /** Repositories that are being read. */
  readonly waiting: number;
  readonly repositories: number;
  readonly rows: number;
  readonly bytes: number;
  /** What they may take. */
  readonly limitBytes: number;
}

/** The search over an open database, in this thread (see keywordThread for one aside); closing it leaves the database open. */
export function keywordSearch(db: Postgres, limits: KeywordLimits = KEYWORD_LIMITS): KeywordSearch {
  const shelves = openShelves(limits.memoryBytes);
  const lookUp = repositoryLookUp();
  const reading = new Map<number, Promise<void>>();
  /** In the background, in a snapshot of its own. */
  const readAhead = (id: number): Promise<void> => {
    const work = reading.get(id) ?? readNow(db, shelves, id).finally(() => reading.delete(id));
    reading.set(id, work);
    return work;
  };
  return {
    matchingAll: (scope, texts, k, filter, tell) =>
      db.snapshot(async (sql) => {
        const repositories = await lookUp(sql, scope);
        if (k < 1) return texts.map(() => []);
        const of: KeywordQuestion = { scope, texts, k, filter, paths: await admittedPaths(sql, scope, filter) };
        const cold = repositories.filter((one) => !shelves.holds(one));
        const why = whyInDatabase(repositories, cold, limits);
        if (why === null) return inMemory(sql, of, repositories, shelves);
        if (why === READING) void Promise.all(cold.map(({ id }) => readAhead(id)));
        tell("keyword-search", `${why}; Postgres's index was asked instead, which ranks less well`);
        return matchingInDatabase(sql, of);
      }),
    async warm() {
      const recent = await db.all<{ id: number; rows: number }>(
        `SELECT p.id, (SELECT count(*) FROM records r WHERE r.repo = p.id) AS rows FROM repositories p
         WHERE host <> '' ORDER BY version DESC LIMIT 200`,
      );
      let room = limits.memoryBytes / 2;
      for (const { id, rows } of recent) {
        room -= bytesOfRows(rows);
        if (room < 0) return;
        await readAhead(id);
      }
    },
    warmth: () => ({ waiting: reading.size, ...shelves.held(), limitBytes: limits.memoryBytes }),
    close: async () => {},
  };
}

/** Whoever asks for what cannot be read is told then: the same rows are read on the way to an answer. */
async function readNow(db: Postgres, shelves: Shelves, id: number): Promise<void> {
  try {
    await db.snapshot(async (sql) => {
      const row = await sql.one<{ version: number }>("SELECT version FROM repositories WHERE id = $1", [id]);
      if (row !== null) await shelves.segments(sql, { id, version: row.version, own: true });
    });
    shelves.shrink();
  } catch {
    // As it was.
  }
}

const READING = "the index is still being read into memory";

function whyInDatabase(
  all: readonly CountedRepository[],
  cold: readonly CountedRepository[],
  { memoryBytes, coldRows }: KeywordLimits,
): string | null {
  const rows = (some: readonly CountedRepository[]) => some.reduce((sum, one) => sum + one.rows, 0);
  if (bytesOfRows(rows(all)) > memoryBytes) return `${rows(all)} memories are more than fit into memory`;
  return rows(cold) > coldRows ? READING : null;
}

async function inMemory(
  sql: Sql,
  { scope, texts, k, filter, paths }: KeywordQuestion,
  repositories: readonly AdmittedRepository[],
  shelves: Shelves,
): Promise<readonly (readonly KeywordHit[])[]> {
  const parts: (Bm25Part & { readonly segment: Segment })[] = [];
  for (const repository of repositories) {
    for (const segment of await shelves.segments(sql, repository)) {
      if (segment.words === null) continue;
      parts.push({ segment, ...seenRows(segment, scope, filter, repository), index: segment.words });
    }
  }
  const found = bestRows(parts, texts, k);
  shelves.shrink();
  const told = await toldRows(sql, scope, filter, paths, [...new Set(found.flat().map(({ row }) => row))]);
  return found.map((hits) => hits.flatMap(({ row, id, score }) => (told.get(row) === id ? [{ id, score }] : [])));
}
