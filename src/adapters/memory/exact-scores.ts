// BM25 to the last bit, of a few rows: those that an estimate says may be among the best.
import { type Bm25Part, postingOf, type Term } from "./bm25.ts";
import { columnHas } from "./word-columns.ts";

/** A word that so many times as many rows have as are asked about is looked up for each of those; another's rows are read. */
const LOOK_UP = 8;
/** Most postings are of rows that nobody asks about: a mark, which several rows share where there are more, is quicker than a look-up. */
const MARKS = 65_536;

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
  const { rows, counts, starts } = index;
  const scores = new Float64Array(asked.length);
  const placeOf = new Map(asked.map((row, place) => [row, place]));
  const mayBeAsked = new Uint8Array(MARKS);
  for (const row of asked) mayBeAsked[row % MARKS] = 1;
  for (const { ids, gain } of terms) {
    const id = ids[part] ?? -1;
    if (id === -1) continue;
    const add = (at: number) => {
      const row = rows[at] ?? 0;
      const place = placeOf.get(row);
      if (place === undefined) return;
      const count = counts[at] ?? 0;
      scores[place] = (scores[place] ?? 0) + (gain * count) / (count + (longer[row] ?? 0));
    };
    const have = (starts[id + 1] ?? 0) - (starts[id] ?? 0);
    if (have > asked.length * LOOK_UP) lookUp(index, id, asked, add);
    else readAll(index, id, mayBeAsked, add);
  }
  return scores;
}

/** Is told where the word stands in rows that may be asked about. */
type Tell = (at: number) => void;

function readAll({ rows, starts }: Bm25Part["index"], id: number, mayBeAsked: Uint8Array, tell: Tell): void {
  const end = starts[id + 1] ?? 0;
  for (let at = starts[id] ?? 0; at < end; at += 1) if (mayBeAsked[(rows[at] ?? 0) % MARKS] === 1) tell(at);
}

function lookUp({ rows, starts, columns }: Bm25Part["index"], id: number, asked: readonly number[], tell: Tell): void {
  const column = columns?.columnOf.get(id);
  for (const row of asked) {
    if (column !== undefined && columns !== null && !columnHas(columns, column, row)) continue;
    const at = postingOf(rows, starts[id] ?? 0, starts[id + 1] ?? 0, row);
    if (at >= 0) tell(at);
  }
}
