// An immutable inverted index in typed arrays: rows and counts by term. A write makes a new one.
import { addWord, inverseFrequency, KEYWORDS, markdowns } from "../domain/text/bm25.ts";
import { PARTS, shareEverywhere, TERM_BYTES } from "./terms.ts";

/** Term t has postings `starts[t]` … `starts[t + 1]`. Counts and lengths: PARTS of a word. */
export interface Postings {
  readonly vocabulary: Vocabulary;
  readonly starts: Uint32Array;
  /** 16 bits if all rows fit, as in most repositories. */
  readonly rows: Uint16Array | Uint32Array;
  readonly counts: Uint8Array;
  readonly lengths: Uint32Array;
}

/** Maximum count of a term in a row: 64 words. */
const MOST_COUNT = 255;

type Vocabulary = ReturnType<typeof vocabulary>;

/** Numbers terms in an open-addressed table: a Map takes three times the time and space. */
export function vocabulary() {
  // Each slot has a hash and the term's number. No term hashes to 0, so 0 marks an empty slot.
  let table = new Uint32Array(2_048);
  let size = 0;
  const placeOf = (hash: number): number => {
    const mask = table.length - 1;
    let at = (hash * 2) & mask;
    while (table[at] !== 0 && table[at] !== hash) at = (at + 2) & mask;
    return at;
  };
  const grow = () => {
    const before = table;
    table = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) {
      const hash = before[at] ?? 0;
      if (hash !== 0) table.set([hash, before[at + 1] ?? 0], placeOf(hash));
    }
  };
  return {
    size: () => size,
    /** −1 when it is missing. */
    find(hash: number): number {
      const at = placeOf(hash);
      return table[at] === 0 ? -1 : (table[at + 1] ?? -1);
    },
    add(hash: number): number {
      let at = placeOf(hash);
      if (table[at] !== 0) return table[at + 1] ?? 0;
      if (size * 4 >= table.length) {
        grow();
        at = placeOf(hash);
      }
      table[at] = hash;
      table[at + 1] = size;
      size += 1;
      return size - 1;
    },
    bytes: () => table.byteLength,
  };
}

/** Terms of rows not in postings yet: numbers and counts, row by row, and where each row ends. */
export type AddedTerms = ReturnType<typeof addedTerms>;

/** @param rows the terms of each, as `recordTerms` gives them */
export function addedTerms(into: Vocabulary, rows: readonly Uint8Array[]) {
  let size = 0;
  const ends = Uint32Array.from(rows, (bytes) => {
    size += Math.floor(bytes.length / TERM_BYTES);
    return size;
  });
  const added = { terms: new Uint32Array(size), counts: new Uint8Array(size), ends };
  let used = 0;
  for (const bytes of rows) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + TERM_BYTES <= bytes.length; at += TERM_BYTES) {
      added.terms[used] = into.add(view.getUint32(at, true) || 1);
      added.counts[used] = Math.min(MOST_COUNT, view.getUint16(at + 4, true));
      used += 1;
    }
  }
  return added;
}

/**
 * Merges the postings of earlier rows with added ones.
 *
 * @param before null when there were none
 * @param rows the number of rows afterwards
 * @param keptAt new row number of each row of `before`, −1 when it is left out
 * @param addedAt new row number of each added row, over all pages
 */
export function mergePostings(
  vocabulary: Vocabulary,
  rows: number,
  before: Postings | null,
  keptAt: Int32Array,
  added: readonly AddedTerms[],
  addedAt: Int32Array,
): Postings {
  const starts = new Uint32Array(vocabulary.size() + 1);
  eachKept(before, keptAt, (_, term) => {
    starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  });
  for (const { terms } of added)
    for (let at = 0; at < terms.length; at += 1) starts[(terms[at] ?? 0) + 1] = (starts[(terms[at] ?? 0) + 1] ?? 0) + 1;
  for (let term = 1; term < starts.length; term += 1) starts[term] = (starts[term] ?? 0) + (starts[term - 1] ?? 0);
  const next = starts.slice();
  const size = starts.at(-1) ?? 0;
  const merged = {
    vocabulary,
    starts,
    rows: rows > 65_536 ? new Uint32Array(size) : new Uint16Array(size),
    counts: new Uint8Array(size),
    lengths: new Uint32Array(rows),
  };
  const put = (row: number, term: number, count: number) => {
    const at = next[term] ?? 0;
    next[term] = at + 1;
    merged.rows[at] = row;
    merged.counts[at] = count;
    merged.lengths[row] = (merged.lengths[row] ?? 0) + count;
  };
  eachKept(before, keptAt, put);
  let row = 0;
  for (const { terms, counts, ends } of added) {
    let at = 0;
    for (const end of ends) {
      for (; at < end; at += 1) put(addedAt[row] ?? 0, terms[at] ?? 0, counts[at] ?? 0);
      row += 1;
    }
  }
  return merged;
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

/** The postings of one repository; 1 for each of its rows in scope. */
export type ScopedPostings = { readonly postings: Postings; readonly inScope: Uint8Array };

/**
 * Scores every row by BM25, for each part. Scores of rows out of scope are meaningless; the next
 * query overwrites all scores. Document count, mean length and document frequencies cover exactly
 * the rows in scope of all parts.
 *
 * @returns a function of a query: terms with weights, from `queryTerms`
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
    const one = {
      terms,
      gain: found === 0 ? 0 : inverseFrequency(texts, found, shareEverywhere(hash)) * (KEYWORDS.k1 + 1),
    };
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
