// The best rows by BM25 without scoring every row exactly: a sum in whole numbers for each row, common words by columns and
// the others by their postings, and the exact score of those that may be among the best. A few tiles at a time, so that what is
// added up stays in the cache; all questions at once, since they share their common words.
import { addPostings, HIGHEST, readWords, type Use, type WeighedIndex, weightOf } from "./add-postings.ts";
import { type BestSums, bestSums, rowsOf } from "./best-sums.ts";
import { type Bm25Part, type Term, weighing } from "./bm25.ts";
import { BLOCK, GROUP, MOST_QUESTIONS, TILE, WHOLE } from "./column-kernel.ts";
import { exactScores } from "./exact-scores.ts";
import { ADMITTED } from "./row-mask.ts";
import type { FileScore } from "./whole-file.ts";
import { tuneColumns } from "./word-columns.ts";

export interface BestRow {
  readonly part: number;
  readonly row: number;
  readonly score: number;
}

/**
 * For each query at least the k best of the admitted rows, with their exact scores, in no order. Null where fewer than k are
 * found and one that has nothing but a common word may have been missed.
 *
 * @param files what files add to the scores of code, for each query; null where there is no code
 */
export function bestByWords(
  parts: readonly Bm25Part[],
  queries: readonly ReadonlyMap<string, number>[],
  k: number,
  files: ((query: ReadonlyMap<string, number>) => FileScore) | null,
): (BestRow[] | null)[] {
  const { meanLength, longer, shares, termsOf } = weighing(parts);
  const all = queries.map((query) => asked(termsOf(query), parts, files?.(query) ?? null, k));
  const drift = driftOf(
    parts.map(({ index }, at) =>
      index.columns === null ? 1 : tuneColumns(index, index.columns, meanLength, longer[at] ?? NONE),
    ),
  );
  for (let first = 0; first < all.length; first += MOST_QUESTIONS) {
    const together = all.slice(first, first + MOST_QUESTIONS);
    for (const [at, part] of parts.entries()) {
      const weighed = { index: part.index, longer: longer[at] ?? NONE, shares: shares[at] ?? new Uint16Array() };
      addPart(part, at, together, weighed, drift);
    }
  }
  return all.map((question) => exactly(question, parts, longer, drift));
}

const NONE = new Float64Array();

interface Question {
  readonly terms: readonly Term[];
  readonly files: FileScore | null;
  /** Units of a sum that make a score of one. */
  readonly units: number;
  /**
   * By how many units a sum may be too high, since columns are rounded up and lengths down, and from how many too low to how
   * many too high it may be by rounding.
   */
  readonly tooHigh: number;
  readonly rounded: number;
  /** Whether there are common words: a row that has nothing else may have a sum of 0. */
  readonly hasCommon: boolean;
  readonly best: BestSums;
}

function asked(terms: readonly Term[], parts: readonly Bm25Part[], files: FileScore | null, k: number): Question {
  const most = terms.reduce((sum, { gain }) => sum + gain, 0);
  const largest = terms.reduce((largest, { gain }) => Math.max(largest, gain), 0);
  // No row has all words of a long question to the full: twice the units are the finer measure, and what passes the highest
  // number counts as the highest.
  const units = most === 0 ? 1 : Math.min((HIGHEST * 2) / most, HIGHEST / LARGER / largest);
  const isCommon = ({ ids }: Term) => parts.some(({ index }, at) => index.columns?.columnOf.has(ids[at] ?? -1));
  const common = terms.filter(isCommon).reduce((sum, { gain }) => sum + gain, 0);
  // A word may be common in one part and read by its postings in another.
  const excess = Math.max(0, ...parts.map(({ index }) => index.classes.excess));
  return {
    terms,
    files,
    units,
    tooHigh: (common * units) / WHOLE + most * units * excess,
    rounded:
      ROUNDED.always + terms.reduce((sum, term) => sum + (isCommon(term) ? ROUNDED.column : ROUNDED.postings), 0),
    hasCommon: common > 0,
    best: bestSums(k),
  };
}

/**
 * Units from too low to too high: of a column its weight and its sum are rounded to the nearest. Of postings each sum is
 * rounded up; their weights and shares are so fine that all together make no more than the rest.
 */
const ROUNDED = { column: 2, postings: 1, always: 10 };

/** A column's byte counts 127 as the whole, and is divided by 128. */
const LARGER = 128 / WHOLE;

/** How much lower and higher a score may be than columns say that were made for another mean length: at most 1, at least 1. */
interface Drift {
  readonly low: number;
  readonly high: number;
}

/** @param means see tuneColumns, of each part */
function driftOf(means: readonly number[]): Drift {
  const apart = means.map((one) => 1 / one);
  return { low: Math.min(1, ...apart), high: Math.max(1, ...apart) };
}

/** The least sum with which a row may still be among the k best of the exact scores. */
function leastOf({ best, tooHigh, rounded }: Question, { low, high }: Drift): number {
  return Math.max(1, Math.floor((best.kth() * low - tooHigh - rounded) / high));
}

function addPart(
  part: Bm25Part,
  at: number,
  questions: readonly Question[],
  weighedIndex: WeighedIndex,
  drift: Drift,
): void {
  const { index, mask } = part;
  const { kernel } = index;
  const { weighed, words } = sorted(part, at, questions);
  const sums = questions.map((_, question) => kernel?.sums(question) ?? new Int16Array(BLOCK * TILE));
  const ofTiles = sums.map(inTiles);
  kernel?.ask(
    weighed.map((columns, question) => ({ columns, words: words.inKernel?.get(question) ?? [] })),
    weighedIndex.shares,
  );
  const tiles = Math.ceil(mask.length / TILE);
  for (let tile = 0; tile < tiles; tile += 1) {
    if (tile % BLOCK === 0) {
      for (const ofQuestion of sums) ofQuestion.fill(0);
      addPostings(words, weighedIndex, tile, Math.min(tiles, tile + BLOCK), sums);
    }
    const first = tile * TILE;
    const place = { part: at, first, rows: Math.min(TILE, mask.length - first), mask, drift };
    for (const [question, one] of questions.entries()) {
      const of = ofTiles[question]?.[tile % BLOCK] ?? NO_SUMS;
      addFiles(one, place, of);
      const groups = kernel?.addColumns(question, tile, one.best.least) ?? groupsOf(of, one.best.least);
      takeUp(one, groups, of, place);
    }
  }
}

const NO_SUMS = new Int16Array();

function inTiles(sums: Int16Array): Int16Array[] {
  return Array.from({ length: BLOCK }, (_, tile) => sums.subarray(tile * TILE, (tile + 1) * TILE));
}

/** Each question's words: with a column, and those without. */
function sorted({ index }: Bm25Part, at: number, questions: readonly Question[]) {
  const words = new Map<number, Use[]>();
  const weighed = questions.map(({ terms, units }, question) =>
    terms.flatMap(({ ids, gain }) => {
      const id = ids[at] ?? -1;
      if (id === -1) return [];
      const column = index.columns?.columnOf.get(id);
      if (column !== undefined) return [{ column, weight: Math.min(HIGHEST, Math.round(gain * units * LARGER)) }];
      const uses = words.get(id) ?? [];
      words.set(id, uses);
      uses.push({ question, ...weightOf(gain * units) });
      return [];
    }),
  );
  return { weighed, words: readWords(index, words) };
}

function addFiles({ files, units }: Question, { part, first, rows }: Place, sums: Int16Array): void {
  if (files === null) return;
  for (let at = 0; at < rows; at += 1) {
    const score = files(part, first + at);
    if (score > 0) sums[at] = Math.min(HIGHEST, (sums[at] ?? 0) + Math.round(score * units));
  }
}

/** As the kernel tells them. */
function groupsOf(sums: Int16Array, least: number): Uint16Array {
  const groups = new Uint16Array(TILE / GROUP);
  let count = 0;
  for (let at = 0; at < sums.length; at += 1) {
    if ((sums[at] ?? 0) < least) continue;
    groups[count] = at - (at % GROUP);
    count += 1;
    at += GROUP - 1 - (at % GROUP);
  }
  return groups.subarray(0, count);
}

/** Candidates taken up before it is worked out anew how good one must be. */
const PATIENCE = 64;

interface Place {
  readonly part: number;
  readonly first: number;
  readonly rows: number;
  readonly mask: Uint8Array;
  readonly drift: Drift;
}

function takeUp(question: Question, groups: Uint16Array, sums: Int16Array, place: Place): void {
  const { best } = question;
  let since = 0;
  for (const group of groups) {
    since += takeGroup(best, group, sums, place);
    if (since < PATIENCE) continue;
    since = 0;
    best.least = leastOf(question, place.drift);
  }
  if (since > 0) best.least = leastOf(question, place.drift);
}

/** Returns how many were taken. */
function takeGroup(best: BestSums, group: number, sums: Int16Array, { part, first, rows, mask }: Place): number {
  const end = Math.min(group + GROUP, rows);
  let taken = 0;
  for (let at = group; at < end; at += 1) {
    const sum = sums[at] ?? 0;
    if (sum < best.least || ((mask[first + at] ?? 0) & ADMITTED) === 0) continue;
    best.take(part, first + at, sum);
    taken += 1;
  }
  return taken;
}

/** The exact scores of all rows that may be among the best. */
function exactly(
  question: Question,
  parts: readonly Bm25Part[],
  longer: readonly Float64Array[],
  drift: Drift,
): BestRow[] | null {
  if (question.best.kth() === 0 && question.hasCommon) return null;
  const least = leastOf(question, drift);
  const { best } = question;
  const found: BestRow[] = [];
  for (const [at, part] of parts.entries()) {
    const rows = rowsOf(best, at, least);
    const scores = exactScores(question.terms, part, at, rows, longer[at] ?? NONE);
    for (const [place, row] of rows.entries()) {
      const score = (scores[place] ?? 0) + (question.files?.(at, row) ?? 0);
      if (score > 0) found.push({ part: at, row, score });
    }
  }
  return found;
}
