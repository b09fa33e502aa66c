// Of each question the few best rows by its words, of all that a scope admits and a filter lets be told.
import { bagOf } from "../../domain/bm25.ts";
import type { KeywordHit } from "../../domain/retrieval.ts";
import { tokenise } from "../../domain/tokenise.ts";
import { type BestRow, bestByWords } from "./best-by-words.ts";
import { type Bm25Part, partScorer } from "./bm25.ts";
import { ADMITTED } from "./row-mask.ts";
import type { Segment } from "./segment.ts";
import { topK } from "./top-k.ts";
import { fileScores } from "./whole-file.ts";

export interface ScoredRow extends KeywordHit {
  /** The row's id. */
  readonly row: number;
}

/**
 * Of each text the k best by BM25, among equals the smaller name; of code by the words of its file too. What the texts share
 * is worked out once. Scores are above 0.
 */
export function bestRows(
  parts: readonly (Bm25Part & { readonly segment: Segment })[],
  texts: readonly string[],
  k: number,
): ScoredRow[][] {
  const files = fileScores(parts);
  const queries = texts.map((text) => bagOf(tokenise(text)));
  const chosen = bestByWords(parts, queries, k, files);
  return queries.map((query, at) => {
    const best = chosen[at] ?? everyScore(parts, query, files);
    return topK(
      best.map((row) => named(parts, row)),
      k,
      better,
    );
  });
}

function named(parts: readonly { readonly segment: Segment }[], { part, row, score }: BestRow): ScoredRow {
  const segment = parts[part]?.segment;
  return { row: segment?.ids[row] ?? 0, id: segment?.mems.at(row) ?? "", score };
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
