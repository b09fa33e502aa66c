// BM25 over inverted indexes of one scope. Every figure it weighs by is of exactly the rows that the scope admits.
import { addWord, inverseFrequency, KEYWORDS, markdowns } from "../../domain/bm25.ts";
import { IN_SCOPE } from "./row-mask.ts";
import { inWords, type WordIndex } from "./word-index.ts";

/** One index and, for each of its rows, IN_SCOPE and ADMITTED bits. */
export interface Bm25Part {
  readonly index: WordIndex;
  readonly mask: Uint8Array;
}

/**
 * The number of texts, the mean length and how many texts hold a word are counted over IN_SCOPE rows of all parts.
 *
 * @returns for each part a score ≥ 0 for each row; rows out of scope have meaningless scores
 */
export function scoreParts(parts: readonly Bm25Part[], query: ReadonlyMap<string, number>): Float64Array[] {
  const { count, meanLength } = statistics(parts);
  const scores = parts.map((part) => new Float64Array(part.mask.length));
  const lengths = parts.map(({ index }) => markedDownBy(index, meanLength));
  for (const [word, weight] of query) {
    const inScope = parts.reduce((sum, part) => sum + rowsInScope(part, word), 0);
    if (inScope === 0) continue;
    const gain = weight * inverseFrequency(count, inScope) * (KEYWORDS.k1 + 1);
    parts.forEach(({ index }, at) => {
      const [target, longer, id] = [scores[at], lengths[at], index.vocabulary.find(word)];
      if (target !== undefined && longer !== undefined && id !== -1) addWord(target, index, id, gain, longer);
    });
  }
  return scores;
}

const markedDown = new WeakMap<WordIndex, { readonly meanLength: number; readonly longer: Float64Array }>();

/** The same for every question until the mean changes. */
function markedDownBy(index: WordIndex, meanLength: number): Float64Array {
  const known = markedDown.get(index);
  if (known?.meanLength === meanLength) return known.longer;
  const longer = markdowns(index, meanLength, KEYWORDS);
  markedDown.set(index, { meanLength, longer });
  return longer;
}

function statistics(parts: readonly Bm25Part[]): { readonly count: number; readonly meanLength: number } {
  let count = 0;
  let length = 0;
  for (const { index, mask } of parts) {
    for (let row = 0; row < mask.length; row += 1) {
      if (((mask[row] ?? 0) & IN_SCOPE) === 0) continue;
      count += 1;
      length += inWords(index.lengths[row] ?? 0);
    }
  }
  return { count, meanLength: Math.max(1e-9, length / Math.max(1, count)) };
}

function rowsInScope(part: Bm25Part, word: string): number {
  const id = part.index.vocabulary.find(word);
  if (id === -1) return 0;
  const { starts, rows } = part.index;
  const end = starts[id + 1] ?? 0;
  let found = 0;
  for (let at = starts[id] ?? 0; at < end; at += 1) found += (part.mask[rows[at] ?? 0] ?? 0) & IN_SCOPE;
  return found;
}
