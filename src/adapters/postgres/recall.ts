// Reads memory in Postgres: vectors are compared there, words are ranked here as every store ranks them.
import type { MemoryRecord, RepoKey } from "../../domain/memory.ts";
import type { MemoryCounts, Scope } from "../../domain/retrieval.ts";
import type { Recall } from "../../ports/memory.ts";
import { countsOf, type Group } from "../memory/counts-of.ts";
import { matchingTogether } from "../memory/matching-together.ts";
import { nearestTogether } from "../memory/nearest-together.ts";
import {
  KEYWORD_LIMITS,
  type KeywordLimits,
  type KeywordSearch,
  type KeywordWarmth,
  keywordSearch,
} from "./keyword-search.ts";
import { nearestAll } from "./nearest.ts";
import { BIT_ROWS, type BitRows } from "./nearest-by-bits.ts";
import { buildIndexes, LARGE } from "./nearest-by-index.ts";
import { RECORD_COLUMNS, readRecord } from "./read-record.ts";
import { keyOf } from "./repository-row.ts";
import { parameters, scopeSql } from "./scope-sql.ts";
import type { Postgres } from "./sql.ts";
import { fillBits } from "./vector-bits.ts";

export interface RecallLimits extends KeywordLimits {
  /** How many rows a scope of several repositories must have for an index of vectors to answer. */
  readonly indexedRows: number;
  /** How many rows a scope must have for sign bits to go first. */
  readonly bitRows: BitRows;
}

export interface PostgresRecall extends Recall {
  /** Reads the words of what was written to last into memory, and has Postgres build the indexes that pay; in the background. */
  warm(): Promise<void>;
  warmth(): KeywordWarmth;
  /** Ends the search by words; the database stays open. */
  close(): Promise<void>;
}

/**
 * Recall over an open database (see openPostgres). Questions fail with RangeError when they were wrong, else as Memory's do.
 *
 * @param words ranks by words; absent: in this thread, as a command does that asks once
 */
export function postgresRecall(
  db: Postgres,
  limits: Partial<RecallLimits> = {},
  words: KeywordSearch = keywordSearch(db, { ...KEYWORD_LIMITS, ...limits }),
): PostgresRecall {
  const large = limits.indexedRows ?? LARGE;
  const bitRows = limits.bitRows ?? BIT_ROWS;
  const nearest = nearestAll(db, large, bitRows);
  return {
    nearest: nearestTogether((question, tell) => nearest(...question, tell)),
    matching: matchingTogether((question, tell) => words.matchingAll(...question, tell)),
    records: (scope, ids) => recordsOf(db, scope, ids),
    counts: (scope) => counts(db, scope),
    version: (repo) => version(db, repo),
    async warm() {
      await words.warm();
      await fillBits(db, bitRows.below);
      await buildIndexes(db, large);
    },
    warmth: words.warmth,
    close: words.close,
  };
}

async function recordsOf(db: Postgres, scope: Scope, ids: readonly string[]): Promise<readonly MemoryRecord[]> {
  const given = parameters();
  const { rows } = scopeSql(scope, given);
  const asked = [...new Set(ids)];
  const found = await db.all(
    `SELECT ${RECORD_COLUMNS} FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
     WHERE r.mem = ANY (${given.at(asked)}::text[]) AND ${rows}`,
    given.values,
  );
  const byId = new Map(found.map(readRecord).map((record) => [record.id, record]));
  return asked.flatMap((id) => byId.get(id) ?? []);
}

async function counts(db: Postgres, scope: Scope): Promise<MemoryCounts> {
  const given = parameters();
  const { rows } = scopeSql(scope, given);
  const groups = await db.all<Group>(
    `SELECT r.language, r.corpus, coalesce(r.outcome, 'none') AS outcome, count(*) AS n
     FROM repositories p JOIN records r ON r.repo = p.id WHERE ${rows} GROUP BY 1, 2, 3`,
    given.values,
  );
  return countsOf(groups);
}

async function version(db: Postgres, repo: RepoKey): Promise<number> {
  const row = await db.one<{ version: number }>("SELECT version FROM repositories WHERE host = $1 AND github_id = $2", [
    ...keyOf(repo),
  ]);
  return row?.version ?? 0;
}
