// From the scores of all rows to the few best of those that may be told.
import type { KeywordHit } from "../../domain/retrieval.ts";
import type { Bm25Part } from "./bm25.ts";
import { ADMITTED } from "./row-mask.ts";
import type { Segment } from "./segment.ts";
import { topK } from "./top-k.ts";

export interface ScoredRow extends KeywordHit {
  /** The row's id. */
  readonly row: number;
}

/** The k best of the admitted rows with a score above 0; among equals the smaller name. */
export function bestRows(
  parts: readonly (Bm25Part & { readonly segment: Segment })[],
  scores: readonly Float64Array[],
  k: number,
): ScoredRow[] {
  const highest = new Float64Array(k);
  const candidates = parts.flatMap(({ segment, mask }, at) => {
    const ofPart = scores[at] ?? new Float64Array();
    return worthwhile(ofPart, mask, highest).map((row) => {
      return { row: segment.ids[row] ?? 0, id: segment.mems[row] ?? "", score: ofPart[row] ?? 0 };
    });
  });
  return topK(candidates, k, better);
}

/**
 * Admitted rows that score no lower than the k-th of the rows before them: of a hundred thousand a few hundred, so that
 * most rows cost one comparison.
 *
 * @param highest the k highest scores so far, ascending, at first 0; brought up to date
 */
function worthwhile(scores: Float64Array, mask: Uint8Array, highest: Float64Array): number[] {
  const rows: number[] = [];
  let lowest = highest[0] ?? 0;
  for (let row = 0; row < scores.length; row += 1) {
    const score = scores[row] ?? 0;
    if (score < lowest || score === 0 || ((mask[row] ?? 0) & ADMITTED) === 0) continue;
    rows.push(row);
    if (score > lowest) lowest = insert(highest, score);
  }
  return rows;
}

/** Puts a number that is larger than the first among ascending ones, in place of the first. Returns the new first. */
function insert(ascending: Float64Array, value: number): number {
  let at = 0;
  for (; at + 1 < ascending.length && (ascending[at + 1] ?? 0) < value; at += 1) ascending[at] = ascending[at + 1] ?? 0;
  ascending[at] = value;
  return ascending[0] ?? 0;
}

function better(one: KeywordHit, other: KeywordHit): boolean {
  return one.score > other.score || (one.score === other.score && one.id < other.id);
}
