// Matching by words. In memory: exact BM25 over the scope. In the file: FTS5, when the scope does not fit into memory;
// its k1 and b are fixed and it weighs words by the whole file, so it finds the same rows in a poorer order.
import type { KeywordHit } from "../../domain/retrieval.ts";
import { tokenise } from "../../domain/tokenise.ts";
import { bestRows } from "../memory/best-rows.ts";
import { WORD_COLUMNS } from "../memory/record-words.ts";
import { seenRows } from "../memory/row-mask.ts";
import type { AdmittedRepository } from "../memory/segment.ts";
import { COLUMN_WEIGHTS } from "../memory/word-index.ts";
import { filterSql } from "./filter-rows.ts";
import { prepared } from "./prepared.ts";
import { segmentWords } from "./read-segment.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Search } from "./search.ts";
import type { Shelves } from "./shelves.ts";
import { toldRows } from "./told-rows.ts";

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
  const found = bestRows(parts, texts, search.k);
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
