// BM25 over inverted indexes of one scope. Every figure it weighs by is of exactly the rows that the scope admits.
import { addWord, inverseFrequency, KEYWORDS, markdowns } from "../../domain/bm25.ts";
import { codeAt, piecesOf, rowsWith } from "./coded-postings.ts";
import { shareTable } from "./length-classes.ts";
import { IN_SCOPE, type SeenRows } from "./row-mask.ts";
import { columnHas } from "./word-columns.ts";
import { inWords, type WordIndex } from "./word-index.ts";

/** One index and what may be seen of its rows. */
export interface Bm25Part extends SeenRows {
  readonly index: WordIndex;
}

/**
 * Scores by the words of a query, for each part a score ≥ 0 for each row; rows out of scope have meaningless scores, and
 * the next query writes over them. What queries share is worked out once.
 *
 * The number of texts, the mean length and how many texts hold a word are counted over IN_SCOPE rows of all parts.
 */
export function partScorer(
  parts: readonly Bm25Part[],
): (query: ReadonlyMap<string, number>) => readonly Float64Array[] {
  const { longer, termsOf } = weighing(parts);
  const scores = longer.map(({ length }) => new Float64Array(length));
  return (query) => {
    for (const ofPart of scores) ofPart.fill(0);
    for (const { ids, gain } of termsOf(query)) addToParts(parts, scores, ids, gain, longer);
    return scores;
  };
}

/** A word of a query that stands in some row in scope. */
export interface Term {
  /** Its number in the index of each part, −1 where it is not. */
  readonly ids: readonly number[];
  /** Its weight in the query times its inverse frequency times k1 + 1. */
  readonly gain: number;
}

export interface Weighing {
  /** In words. */
  readonly meanLength: number;
  /** Markdowns of each part's rows. */
  readonly longer: readonly Float64Array[];
  /** Of each part what a count says by the class of the row's length: see shareTable. */
  readonly shares: readonly Uint16Array[];
  /** In the order of the query; each word is looked up once for all queries. */
  termsOf(query: ReadonlyMap<string, number>): readonly Term[];
}

/** All that BM25 weighs by, from the rows in scope. */
export function weighing(parts: readonly Bm25Part[]): Weighing {
  const { count, meanLength } = statistics(parts);
  const marked = parts.map(({ index }) => markedDownBy(index, meanLength));
  const known = new Map<string, SoughtWord>();
  const lookedUp = (word: string) => {
    const ids = parts.map((part) => part.index.vocabulary.find(word));
    const inScope = parts.reduce((sum, part, at) => sum + rowsInScope(part, ids[at] ?? -1), 0);
    const found = { ids, rarity: inScope === 0 ? 0 : inverseFrequency(count, inScope) };
    known.set(word, found);
    return found;
  };
  const termsOf = (query: ReadonlyMap<string, number>) =>
    [...query].flatMap(([word, weight]) => {
      const { ids, rarity } = known.get(word) ?? lookedUp(word);
      return rarity > 0 ? [{ ids, gain: weight * rarity * (KEYWORDS.k1 + 1) }] : [];
    });
  return {
    meanLength,
    longer: marked.map(({ longer }) => longer),
    shares: marked.map(({ shares }) => shares),
    termsOf,
  };
}

/** A word's number in the index of each part, −1 where it is not, and how rare it is in scope; 0 when it is in no row. */
interface SoughtWord {
  readonly ids: readonly number[];
  readonly rarity: number;
}

function addToParts(
  parts: readonly Bm25Part[],
  scores: readonly Float64Array[],
  ids: readonly number[],
  gain: number,
  longer: readonly Float64Array[],
): void {
  for (const [at, { index }] of parts.entries()) {
    const [id = -1, ofPart = NONE, markdown = NONE] = [ids[at], scores[at], longer[at]];
    if (id === -1) continue;
    for (const { rows, counts, size } of piecesOf(index, id)) {
      addWord(ofPart, { starts: Uint32Array.of(0, size), rows, counts }, 0, gain, markdown);
    }
  }
}

const NONE = new Float64Array();

interface MarkedDown {
  readonly meanLength: number;
  readonly longer: Float64Array;
  readonly shares: Uint16Array;
}

const markedDown = new WeakMap<WordIndex, MarkedDown>();

/** The same for every question until the mean changes. */
function markedDownBy(index: WordIndex, meanLength: number): MarkedDown {
  const known = markedDown.get(index);
  if (known?.meanLength === meanLength) return known;
  const ofClasses = markdowns({ lengths: index.classes.lengths, parts: index.parts }, meanLength, KEYWORDS);
  const made = { meanLength, longer: markdowns(index, meanLength, KEYWORDS), shares: shareTable(index, ofClasses) };
  markedDown.set(index, made);
  return made;
}

interface Sums {
  readonly index: WordIndex;
  readonly count: number;
  readonly length: number;
}

const sums = new WeakMap<SeenRows["mask"], Sums>();

function statistics(parts: readonly Bm25Part[]): { readonly count: number; readonly meanLength: number } {
  const all = parts.map(sumsOf);
  const count = all.reduce((sum, part) => sum + part.count, 0);
  const length = all.reduce((sum, part) => sum + part.length, 0);
  return { count, meanLength: Math.max(1e-9, length / Math.max(1, count)) };
}

function sumsOf({ index, mask }: Bm25Part): Sums {
  const known = sums.get(mask);
  if (known?.index === index) return known;
  let count = 0;
  let length = 0;
  for (let row = 0; row < mask.length; row += 1) {
    if (((mask[row] ?? 0) & IN_SCOPE) === 0) continue;
    count += 1;
    length += inWords(index.lengths[row] ?? 0);
  }
  const summed = { index, count, length };
  sums.set(mask, summed);
  return summed;
}

/** Steps that finding one row among a word's rows takes, about, and beginning to read them. */
const [STEPS, BEGINNING] = [8, 64];

/** How many rows in scope have the word: all of its rows but those outside. */
function rowsInScope({ index, mask, outside }: Bm25Part, word: number): number {
  if (word === -1) return 0;
  const all = rowsWith(index, word);
  let found = 0;
  if (outside.length * STEPS < all + BEGINNING) {
    for (const row of outside) found += hasWord(index, word, row) ? 1 : 0;
    return all - found;
  }
  for (const { rows, size } of piecesOf(index, word)) {
    for (let at = 0; at < size; at += 1) found += (mask[rows[at] ?? 0] ?? 0) & IN_SCOPE;
  }
  return found;
}

/** Whether a word stands in a row: of a common word its column tells at once. */
export function hasWord(index: WordIndex, word: number, row: number): boolean {
  const column = index.columns?.columnOf.get(word);
  // Columns are empty until the first question.
  if (column !== undefined && index.columns !== null && index.columns.meanLength > 0)
    return columnHas(index.columns, column, row);
  return codeAt(index, word, row) >= 0;
}
