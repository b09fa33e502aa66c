// Matching by words. In memory: exact BM25 over the scope. In the file: FTS5, when the scope does not fit into memory;
// its k1 and b are fixed and it weighs words by the whole file, so it finds the same rows in a poorer order.
import { bagOf } from "../../domain/bm25.ts";
import type { KeywordHit } from "../../domain/retrieval.ts";
import { tokenise } from "../../domain/tokenise.ts";
import { type BestRow, bestByWords } from "./best-by-words.ts";
import { type Bm25Part, partScorer } from "./bm25.ts";
import { filterSql } from "./filter-rows.ts";
import { prepared } from "./prepared.ts";
import { WORD_COLUMNS } from "./record-words.ts";
import { ADMITTED, seenRows } from "./row-mask.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Search } from "./search.ts";
import { type Segment, segmentWords } from "./segment.ts";
import type { AdmittedRepository, Shelves } from "./shelves.ts";
import { toldRows } from "./told-rows.ts";
import { topK } from "./top-k.ts";
import { fileScores } from "./whole-file.ts";
import { COLUMN_WEIGHTS } from "./word-index.ts";

/** Distinct words that FTS5 is asked for, the rarest: all of a long text take a second; 60 find as much. */
const MOST_WORDS_IN_FILE = 60;

/**
 * Of each text the k best by BM25 over the words of the admitted repositories; of code by those of its file too. What the
 * texts share is worked out once.
 */
export function matchingInMemory(
  search: Search,
  texts: readonly string[],
  repositories: readonly AdmittedRepository[],
  shelves: Shelves,
): KeywordHit[][] {
  if (search.k < 1) return texts.map(() => []);
  const parts = repositories.flatMap((repository) =>
    shelves.segments(repository).map((segment) => ({
      segment,
      ...seenRows(segment, search.scope, search.filter, repository),
      index: segmentWords(search.db, segment),
    })),
  );
  const files = fileScores(parts);
  const queries = texts.map((text) => bagOf(tokenise(text)));
  const chosen = bestByWords(parts, queries, search.k, files);
  const found = queries.map((query, at) => {
    const best = chosen[at] ?? everyScore(parts, query, files);
    return topK(
      best.map((row) => named(parts, row)),
      search.k,
      better,
    );
  });
  const told = toldRows(search, new Set(found.flat().map(({ row }) => row)));
  return found.map((hits) => hits.flatMap(({ row, id, score }) => (told.get(row) === id ? [{ id, score }] : [])));
}

/** The same question to FTS5. Scores are its BM25 with the sign turned, so that higher is better. */
export function matchingInFile(search: Search, text: string): KeywordHit[] {
  const words = rarest(search, new Set(tokenise(text)));
  if (words.length === 0 || search.k < 1) return [];
  const scope = scopeSql(search.scope);
  const filter = filterSql(search.filter);
  const weights = WORD_COLUMNS.map((column) => COLUMN_WEIGHTS[column]).join(", ");
  // Words hold letters and digits only; the quotes keep AND, NEAR and the like from being operators.
  const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" OR ");
  return prepared(
    search.db,
    `SELECT r.mem AS id, -bm25(word_index, ${weights}) AS score
       FROM word_index CROSS JOIN records r ON r.id = word_index.rowid CROSS JOIN repositories p ON p.id = r.repo
       WHERE word_index MATCH @match AND ${scope.rows} AND ${filter.rows}
       ORDER BY bm25(word_index, ${weights}), r.mem LIMIT @limit`,
  ).all({ ...scope.values, ...filter.values, match, limit: search.k }) as KeywordHit[];
}

interface ScoredRow extends KeywordHit {
  /** The row's id. */
  readonly row: number;
}

function named(parts: readonly { readonly segment: Segment }[], { part, row, score }: BestRow): ScoredRow {
  const segment = parts[part]?.segment;
  return { row: segment?.ids[row] ?? 0, id: segment?.mems[row] ?? "", score };
}

/** All admitted rows that score, row by row. */
function everyScore(
  parts: readonly Bm25Part[],
  query: ReadonlyMap<string, number>,
  files: ReturnType<typeof fileScores>,
): BestRow[] {
  const scores = partScorer(parts)(query);
  const ofFiles = files?.(query);
  return parts.flatMap(({ mask }, part) => {
    const found: BestRow[] = [];
    for (let row = 0; row < mask.length; row += 1) {
      if (((mask[row] ?? 0) & ADMITTED) === 0) continue;
      const score = (scores[part]?.[row] ?? 0) + (ofFiles?.(part, row) ?? 0);
      if (score > 0) found.push({ part, row, score });
    }
    return found;
  });
}

function better(one: KeywordHit, other: KeywordHit): boolean {
  return one.score > other.score || (one.score === other.score && one.id < other.id);
}

function rarest(search: Search, words: ReadonlySet<string>): string[] {
  if (words.size <= MOST_WORDS_IN_FILE) return [...words];
  search.db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_counts USING fts5vocab ('main', 'word_index', 'row')");
  const count = prepared(search.db, "SELECT doc FROM temp.word_counts WHERE term = ?").pluck();
  return [...words]
    .flatMap((word) => {
      const rows = count.get(word) as number | undefined;
      return rows === undefined ? [] : [{ word, rows }];
    })
    .sort((one, other) => one.rows - other.rows || (one.word < other.word ? -1 : 1))
    .slice(0, MOST_WORDS_IN_FILE)
    .map(({ word }) => word);
}
