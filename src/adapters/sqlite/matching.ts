// Matching by words. In memory: exact BM25 over the scope. In the file: FTS5, when the scope does not fit into memory;
// its k1 and b are fixed and it weighs words by the whole file, so it finds the same rows in a poorer order.
import { bagOf } from "../../domain/bm25.ts";
import type { KeywordHit } from "../../domain/retrieval.ts";
import { tokenise } from "../../domain/tokenise.ts";
import { scoreParts } from "./bm25.ts";
import { filterSql } from "./filter-rows.ts";
import { prepared } from "./prepared.ts";
import { WORD_COLUMNS } from "./record-words.ts";
import { ADMITTED, rowMask } from "./row-mask.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Search } from "./search.ts";
import { segmentWords } from "./segment.ts";
import type { AdmittedRepository, Shelves } from "./shelves.ts";
import { topK } from "./top-k.ts";
import { addFileScores } from "./whole-file.ts";
import { COLUMN_WEIGHTS } from "./word-index.ts";

/** Distinct words that FTS5 is asked for, the rarest: all of a long text take a second; 60 find as much. */
const MOST_WORDS_IN_FILE = 60;

/** The k best by BM25 over the words of the admitted repositories; of code by those of its file too. */
export function matchingInMemory(
  search: Search,
  text: string,
  repositories: readonly AdmittedRepository[],
  shelves: Shelves,
): KeywordHit[] {
  const query = bagOf(tokenise(text));
  if (query.size === 0 || search.k < 1) return [];
  const parts = repositories.flatMap((repository) =>
    shelves.segments(repository).map((segment) => ({
      segment,
      mask: rowMask(segment, search.scope, search.filter, repository.own),
      index: segmentWords(search.db, segment),
    })),
  );
  const scores = scoreParts(parts, query);
  addFileScores(parts, query, scores);
  const best = topK(scored(parts, scores), search.k, better);
  return admittedOnly(search, best);
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

function* scored(
  parts: readonly { readonly segment: { readonly mems: readonly string[] }; readonly mask: Uint8Array }[],
  scores: readonly Float64Array[],
): Generator<KeywordHit> {
  for (const [at, { segment, mask }] of parts.entries()) {
    const ofPart = scores[at];
    if (ofPart === undefined) continue;
    for (let row = 0; row < ofPart.length; row += 1) {
      const score = ofPart[row] ?? 0;
      if (score > 0 && ((mask[row] ?? 0) & ADMITTED) !== 0) yield { id: segment.mems[row] ?? "", score };
    }
  }
}

function better(one: KeywordHit, other: KeywordHit): boolean {
  return one.score > other.score || (one.score === other.score && one.id < other.id);
}

/** Asks the file whether the scope really admits what is about to be told. */
function admittedOnly(search: Search, hits: readonly KeywordHit[]): KeywordHit[] {
  const scope = scopeSql(search.scope);
  const filter = filterSql(search.filter);
  const admits = prepared(
    search.db,
    `SELECT r.mem FROM json_each(@ids) j CROSS JOIN records r ON r.mem = j.value CROSS JOIN repositories p ON p.id = r.repo
       WHERE ${scope.rows} AND ${filter.rows}`,
  )
    .pluck()
    .all({ ...scope.values, ...filter.values, ids: JSON.stringify(hits.map((hit) => hit.id)) });
  const admitted = new Set(admits as string[]);
  return hits.filter((hit) => admitted.has(hit.id));
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
