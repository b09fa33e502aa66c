// BM25 to the last bit, of a few rows: those that an estimate says may be among the best.
import type { Bm25Part, Term } from "./bm25.ts";
import { countAt, piecesOf, rowsWith } from "./coded-postings.ts";
import { columnHas } from "./word-columns.ts";

/** A word that so many times as many rows have as are asked about is looked up for each of those; another's rows are read. */
const LOOK_UP = 8;
/**
 * Word by word, so that each row's sum is added up in the order of the words.
 *
 * @param part the part's place among all
 * @param asked rows of the part, each once
 * @param longer of each row of the part, its markdown for length
 * @returns a score for each row that was asked about, in the same order; 0 where it has none of the words
 */
export function exactScores(
  terms: readonly Term[],
  { index }: Bm25Part,
  part: number,
  asked: readonly number[],
  longer: Float64Array,
): Float64Array {
  const scores = new Float64Array(asked.length);
  const places = placesOf(asked, index.lengths.length);
  for (const { ids, gain } of terms) {
    const id = ids[part] ?? -1;
    if (id === -1) continue;
    if (rowsWith(index, id) > asked.length * LOOK_UP) lookUp(index, id, gain, asked, longer, scores);
    else readAll(index, id, gain, places, longer, scores);
  }
  for (const row of asked) places[row] = 0;
  return scores;
}

/** Of each row its place among those that are asked about, from 1 on; else 0, as whoever is done leaves it. */
let scratch = new Uint32Array();

function placesOf(asked: readonly number[], rows: number): Uint32Array {
  if (scratch.length < rows) scratch = new Uint32Array(rows);
  for (const [place, row] of asked.entries()) scratch[row] = place + 1;
  return scratch;
}

function readAll(
  index: Bm25Part["index"],
  id: number,
  gain: number,
  places: Uint32Array,
  longer: Float64Array,
  scores: Float64Array,
): void {
  for (const { rows, counts, size } of piecesOf(index, id)) {
    for (let at = 0; at < size; at += 1) {
      const row = rows[at] ?? 0;
      const place = (places[row] ?? 0) - 1;
      if (place < 0) continue;
      const count = counts[at] ?? 0;
      scores[place] = (scores[place] ?? 0) + (gain * count) / (count + (longer[row] ?? 0));
    }
  }
}

function lookUp(
  index: Bm25Part["index"],
  id: number,
  gain: number,
  asked: readonly number[],
  longer: Float64Array,
  scores: Float64Array,
): void {
  const { columns } = index;
  const column = columns?.columnOf.get(id);
  for (let place = 0; place < asked.length; place += 1) {
    const row = asked[place] ?? 0;
    if (column !== undefined && columns !== null && !columnHas(columns, column, row)) continue;
    const count = countAt(index, id, row);
    if (count === 0) continue;
    scores[place] = (scores[place] ?? 0) + (gain * count) / (count + (longer[row] ?? 0));
  }
}
