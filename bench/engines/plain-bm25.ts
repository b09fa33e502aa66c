// BM25 over typed arrays, as plainly as it can be written: what each word adds to each text is
// worked out when the index is made, and a search adds these up.
import { tokenise } from "../../src/domain/text/tokenise.ts";
import { batchesOf, type Maker } from "./engine.ts";

const [K1, B] = [2, 1];
const BATCH = 5_000;

/** The postings of word w are those from starts[w] to starts[w + 1]. */
interface Index {
  readonly texts: number;
  readonly words: ReadonlyMap<string, number>;
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly gains: Float32Array;
}

export const plainBm25: Maker = {
  name: "plain BM25",
  // The terms of a million texts do not fit into memory while the index is made.
  mostRows: 250_000,
  make({ rows, texts }) {
    const bags: Map<string, number>[] = [];
    for (const [first, count] of batchesOf(rows, BATCH)) bags.push(...texts(first, count).map(bagOf));
    const index = indexOf(bags);
    return Promise.resolve({
      filters: false,
      matching: (text, k) => best(scoresOf(index, text), k),
      diskBytes: null,
      close: () => {},
    });
  },
};

function bagOf(text: string): Map<string, number> {
  const bag = new Map<string, number>();
  for (const word of tokenise(text)) bag.set(word, (bag.get(word) ?? 0) + 1);
  return bag;
}

function indexOf(bags: readonly ReadonlyMap<string, number>[]): Index {
  const found: number[] = [];
  const words = new Map<string, number>();
  const lengths = bags.map((bag) => bag.values().reduce((sum, count) => sum + count, 0));
  for (const word of bags.flatMap((bag) => [...bag.keys()])) {
    const number = words.get(word) ?? words.size;
    words.set(word, number);
    found[number] = (found[number] ?? 0) + 1;
  }
  const starts = new Uint32Array(words.size + 1);
  for (const [word, count] of found.entries()) starts[word + 1] = (starts[word] ?? 0) + count;
  const next = starts.slice();
  const [rows, gains] = [new Uint32Array(starts.at(-1) ?? 0), new Float32Array(starts.at(-1) ?? 0)];
  const mean = lengths.reduce((sum, length) => sum + length, 0) / bags.length;
  for (const [row, bag] of bags.entries()) {
    const markdown = K1 * (1 - B + (B * (lengths[row] ?? 0)) / mean);
    for (const [name, count] of bag) {
      const word = words.get(name) ?? 0;
      const rarity = Math.log(1 + (bags.length - (found[word] ?? 0) + 0.5) / ((found[word] ?? 0) + 0.5));
      const at = next[word] ?? 0;
      next[word] = at + 1;
      rows[at] = row;
      gains[at] = (rarity * count * (K1 + 1)) / (count + markdown);
    }
  }
  return { texts: bags.length, words, starts, rows, gains };
}

function scoresOf({ texts, words, starts, rows, gains }: Index, text: string): Float32Array {
  const scores = new Float32Array(texts);
  for (const [name, count] of bagOf(text)) {
    const word = words.get(name);
    if (word === undefined) continue;
    const weight = 1 + Math.log(count);
    const end = starts[word + 1] ?? 0;
    for (let at = starts[word] ?? 0; at < end; at += 1) {
      const row = rows[at] ?? 0;
      scores[row] = (scores[row] ?? 0) + weight * (gains[at] ?? 0);
    }
  }
  return scores;
}

/** Rows of the k best scores above 0, best first, ties in order. */
function best(scores: Float32Array, k: number): number[] {
  const found: number[] = [];
  let least = 0;
  for (let row = 0; row < scores.length; row += 1) {
    const score = scores[row] ?? 0;
    if (score <= least) continue;
    let place = found.length;
    while (place > 0 && (scores[found[place - 1] ?? 0] ?? 0) < score) place -= 1;
    found.splice(place, 0, row);
    if (found.length > k) found.pop();
    if (found.length === k) least = scores[found[k - 1] ?? 0] ?? 0;
  }
  return found;
}
