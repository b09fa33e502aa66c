// An inverted index in typed arrays: for each term, in which rows it is and how often. It is not changed once it is made: a write
// to the repository makes another one from it.
import { addWord, inverseFrequency, KEYWORDS, markdowns } from "../domain/text/bm25.ts";
import { PARTS, TERM_BYTES } from "./terms.ts";

/** Postings of term number t are `starts[t]` … `starts[t + 1]`. Counts and lengths are in PARTS of a word. */
export interface Postings {
  readonly vocabulary: Vocabulary;
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly counts: Uint16Array;
  /** Of each row. */
  readonly lengths: Uint32Array;
}

/** Terms by number, in an open-addressed table: a Map of numbers takes three times the time and space. */
export interface Vocabulary {
  size(): number;
  /** −1 when it is not there. */
  find(hash: number): number;
  add(hash: number): number;
  bytes(): number;
}

export function vocabulary(): Vocabulary {
  let hashes = new Uint32Array(1_024);
  let numbers = new Uint32Array(1_024);
  let size = 0;
  const placeOf = (hash: number): number => {
    const mask = hashes.length - 1;
    let at = hash & mask;
    // No term hashes to 0, so 0 is an empty place.
    while (hashes[at] !== 0 && hashes[at] !== hash) at = (at + 1) & mask;
    return at;
  };
  const grow = () => {
    const before = { hashes, numbers };
    hashes = new Uint32Array(hashes.length * 2);
    numbers = new Uint32Array(hashes.length);
    for (let at = 0; at < before.hashes.length; at += 1) {
      const hash = before.hashes[at] ?? 0;
      if (hash === 0) continue;
      const place = placeOf(hash);
      hashes[place] = hash;
      numbers[place] = before.numbers[at] ?? 0;
    }
  };
  return {
    size: () => size,
    find(hash) {
      const at = placeOf(hash);
      return hashes[at] === 0 ? -1 : (numbers[at] ?? -1);
    },
    add(hash) {
      let at = placeOf(hash);
      if (hashes[at] !== 0) return numbers[at] ?? 0;
      if (size * 2 >= hashes.length) {
        grow();
        at = placeOf(hash);
      }
      hashes[at] = hash;
      numbers[at] = size;
      size += 1;
      return size - 1;
    },
    bytes: () => hashes.byteLength + numbers.byteLength,
  };
}

/** Rows whose terms are not in postings yet, in the order in which they were added. */
export interface AddedTerms {
  /** @param terms of one row, as `recordTerms` gives them */
  add(terms: Uint8Array): void;
  readonly rows: () => number;
  /** Calls back with each term of each row. */
  each(visit: (row: number, term: number, count: number) => void): void;
}

export function addedTerms(into: Vocabulary): AddedTerms {
  // Numbers of terms and their counts, row after row.
  let terms = new Uint32Array(4_096);
  let counts = new Uint16Array(4_096);
  const ends: number[] = [];
  let used = 0;
  return {
    rows: () => ends.length,
    add(bytes) {
      const more = Math.floor(bytes.length / TERM_BYTES);
      if (used + more > terms.length) {
        const size = Math.max(terms.length * 2, used + more);
        terms = grown(terms, new Uint32Array(size));
        counts = grown(counts, new Uint16Array(size));
      }
      for (let at = 0; at + TERM_BYTES <= bytes.length; at += TERM_BYTES) {
        const hash =
          ((bytes[at] ?? 0) |
            ((bytes[at + 1] ?? 0) << 8) |
            ((bytes[at + 2] ?? 0) << 16) |
            ((bytes[at + 3] ?? 0) << 24)) >>>
          0;
        terms[used] = into.add(hash || 1);
        counts[used] = (bytes[at + 4] ?? 0) | ((bytes[at + 5] ?? 0) << 8);
        used += 1;
      }
      ends.push(used);
    },
    each(visit) {
      let at = 0;
      for (let row = 0; row < ends.length; row += 1) {
        for (; at < (ends[row] ?? 0); at += 1) visit(row, terms[at] ?? 0, counts[at] ?? 0);
      }
    },
  };
}

function grown<Numbers extends Uint32Array | Uint16Array>(from: Numbers, into: Numbers): Numbers {
  into.set(from);
  return into;
}

/**
 * The postings of rows that were there before and of added ones.
 *
 * @param rows how many there are afterwards
 * @param keptAt of each row of `before` its number afterwards, −1 when it went
 * @param addedAt of each added row its number afterwards
 */
export function mergePostings(
  vocabulary: Vocabulary,
  rows: number,
  before: Postings | null,
  keptAt: Int32Array,
  added: AddedTerms,
  addedAt: Int32Array,
): Postings {
  const starts = new Uint32Array(vocabulary.size() + 1);
  const lengths = new Uint32Array(rows);
  eachKept(before, keptAt, (_, term) => {
    starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  });
  added.each((_, term) => {
    starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  });
  for (let term = 1; term < starts.length; term += 1) starts[term] = (starts[term] ?? 0) + (starts[term - 1] ?? 0);
  const next = starts.slice();
  const all = { rows: new Uint32Array(starts.at(-1) ?? 0), counts: new Uint16Array(starts.at(-1) ?? 0) };
  const put = (row: number, term: number, count: number) => {
    const at = next[term] ?? 0;
    next[term] = at + 1;
    all.rows[at] = row;
    all.counts[at] = count;
    lengths[row] = (lengths[row] ?? 0) + count;
  };
  eachKept(before, keptAt, put);
  added.each((row, term, count) => put(addedAt[row] ?? 0, term, count));
  return { vocabulary, starts, ...all, lengths };
}

function eachKept(
  before: Postings | null,
  keptAt: Int32Array,
  visit: (row: number, term: number, count: number) => void,
): void {
  if (before === null) return;
  const { starts, rows, counts } = before;
  for (let term = 0; term + 1 < starts.length; term += 1) {
    for (let at = starts[term] ?? 0; at < (starts[term + 1] ?? 0); at += 1) {
      const row = keptAt[rows[at] ?? 0] ?? -1;
      if (row >= 0) visit(row, term, counts[at] ?? 0);
    }
  }
}

export function postingBytes({ vocabulary, starts, rows, counts, lengths }: Postings): number {
  return vocabulary.bytes() + [starts, rows, counts, lengths].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The postings of one repository, and which of its rows are in scope: 1 for each that is. */
export interface ScopedPostings {
  readonly postings: Postings;
  readonly inScope: Uint8Array;
}

/**
 * BM25 of every row against a query, for each part; rows out of scope have meaningless scores, and the next query writes over
 * them. The number of texts, their mean length and how many hold a term are of exactly the rows in scope of all parts.
 *
 * @returns a function of a query: terms with their weights, as `queryTerms` gives them
 */
export function termScorer(
  parts: readonly ScopedPostings[],
): (query: ReadonlyMap<number, number>) => readonly Float64Array[] {
  const { texts, meanLength } = statistics(parts);
  const longer = parts.map(({ postings: { lengths } }) => markdowns({ lengths, parts: PARTS }, meanLength, KEYWORDS));
  const scores = parts.map(({ postings }) => new Float64Array(postings.lengths.length));
  // Queries of one review share most of their terms.
  const known = new Map<number, { readonly terms: readonly number[]; readonly gain: number }>();
  const sought = (hash: number) => {
    const terms = parts.map(({ postings }) => postings.vocabulary.find(hash));
    const found = parts.reduce((sum, part, at) => sum + rowsInScope(part, terms[at] ?? -1), 0);
    const one = { terms, gain: found === 0 ? 0 : inverseFrequency(texts, found) * (KEYWORDS.k1 + 1) };
    known.set(hash, one);
    return one;
  };
  return (query) => {
    for (const ofPart of scores) ofPart.fill(0);
    for (const [hash, weight] of query) {
      const { terms, gain } = known.get(hash) ?? sought(hash);
      if (gain === 0) continue;
      parts.forEach(({ postings }, at) => {
        const term = terms[at] ?? -1;
        if (term >= 0) addWord(scores[at] ?? NONE, postings, term, weight * gain, longer[at] ?? NONE);
      });
    }
    return scores;
  };
}

const NONE = new Float64Array();

function statistics(parts: readonly ScopedPostings[]): { readonly texts: number; readonly meanLength: number } {
  let [texts, length] = [0, 0];
  for (const { postings, inScope } of parts) {
    for (let row = 0; row < inScope.length; row += 1) {
      if (inScope[row] !== 1) continue;
      texts += 1;
      length += postings.lengths[row] ?? 0;
    }
  }
  return { texts, meanLength: Math.max(1e-9, length / PARTS / Math.max(1, texts)) };
}

function rowsInScope({ postings: { starts, rows }, inScope }: ScopedPostings, term: number): number {
  if (term < 0) return 0;
  let found = 0;
  const end = starts[term + 1] ?? 0;
  for (let at = starts[term] ?? 0; at < end; at += 1) found += inScope[rows[at] ?? 0] ?? 0;
  return found;
}
