// A piece of code speaks of little; the file that it was cut from says what it is for. So of code the file's words count
// beside the piece's own. Needs nothing stored: a file's words are those of its pieces.
import { KEYWORDS } from "../../domain/bm25.ts";
import type { Bm25Part } from "./bm25.ts";
import { type PostingPiece, piecesOf } from "./coded-postings.ts";
import { ADMITTED } from "./row-mask.ts";
import type { Segment } from "./segment.ts";
import { inWords } from "./word-index.ts";

/**
 * How much the file counts beside the piece. On eval/code-search (737 pieces, 248 questions) Pass@5/10/20 is
 * .812/.856/.885 without the file, .845/.899/.925 with half of it, .848/.906/.929 with all, .852/.907/.931 with 1.4 of it.
 */
const FILE_WEIGHT = 1;
const NO_FILE = 0xffff_ffff;

export interface FilePart extends Bm25Part {
  readonly segment: Pick<Segment, "repo" | "facets" | "facetOf" | "paths" | "pathOf">;
}

/**
 * The BM25 of whole files among all files with admitted rows of code, for each such row; k1 and b as in bm25.ts. Rows of
 * other corpora, and code without a path, get none. A piece that shares no word with the query is found by its file: of all
 * pieces that counts a further two points.
 *
 * @returns null where there is no such row; else to be called with each query
 */
export function fileScores(parts: readonly FilePart[]): ((query: ReadonlyMap<string, number>) => FileScore) | null {
  const { fileOf, lengths } = filesOf(parts);
  if (lengths.length === 0) return null;
  return (query) => {
    const ofFiles = scoreFiles(parts, fileOf, lengths, query);
    return (part, row) => {
      const file = fileOf[part]?.[row] ?? NO_FILE;
      return file === NO_FILE ? 0 : FILE_WEIGHT * (ofFiles[file] ?? 0);
    };
  };
}

/** What a row's file adds to its score, ≥ 0. */
export type FileScore = (part: number, row: number) => number;

/** Each row's file as a number, and each file's length in words. The same path of two repositories is two files. */
function filesOf(parts: readonly FilePart[]): { readonly fileOf: readonly Uint32Array[]; readonly lengths: number[] } {
  const numbers = new Map<string, number>();
  const lengths: number[] = [];
  const fileOf = parts.map((part) => {
    const { segment, mask, index } = part;
    if (!segment.facets.some(({ corpus }) => corpus === "code")) return new Uint32Array();
    const files = new Uint32Array(mask.length).fill(NO_FILE);
    const numberOf = fileNumbers(segment, numbers);
    for (const row of codeRows(part)) {
      const file = numberOf(segment.pathOf[row] ?? 0);
      files[row] = file;
      if (file !== NO_FILE) lengths[file] = (lengths[file] ?? 0) + inWords(index.lengths[row] ?? 0);
    }
    return files;
  });
  return { fileOf, lengths };
}

function* codeRows({ segment, mask }: FilePart): Generator<number> {
  const isCode = segment.facets.map(({ corpus }) => corpus === "code");
  if (!isCode.includes(true)) return;
  for (let row = 0; row < mask.length; row += 1) {
    if (((mask[row] ?? 0) & ADMITTED) !== 0 && isCode[segment.facetOf[row] ?? 0] === true) yield row;
  }
}

/** The number of the file at a position in a segment's paths; each is looked up once. */
function fileNumbers({ repo, paths }: FilePart["segment"], numbers: Map<string, number>): (path: number) => number {
  const known = new Map<number, number>();
  return (at) => {
    let file = known.get(at);
    if (file === undefined) {
      const path = paths[at] ?? null;
      const key = `${repo} ${path}`;
      file = path === null ? NO_FILE : (numbers.get(key) ?? numbers.size);
      if (path !== null) numbers.set(key, file);
      known.set(at, file);
    }
    return file;
  };
}

function scoreFiles(
  parts: readonly FilePart[],
  fileOf: readonly Uint32Array[],
  lengths: readonly number[],
  query: ReadonlyMap<string, number>,
): Float64Array {
  const scores = new Float64Array(lengths.length);
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const norms = lengths.map(
    (length) => KEYWORDS.k1 * (1 - KEYWORDS.b + (KEYWORDS.b * length) / Math.max(1e-9, meanLength)),
  );
  for (const [word, weight] of query) {
    const counts = countsOf(word, parts, fileOf);
    const idf = Math.log(1 + (lengths.length - counts.size + 0.5) / (counts.size + 0.5));
    for (const [file, count] of counts) {
      const share = (count * (KEYWORDS.k1 + 1)) / (count + (norms[file] ?? 0));
      scores[file] = (scores[file] ?? 0) + weight * idf * share;
    }
  }
  return scores;
}

/** How often a word stands in each file that has it. */
function countsOf(word: string, parts: readonly FilePart[], fileOf: readonly Uint32Array[]): Map<number, number> {
  const found = new Map<number, number>();
  parts.forEach(({ index }, part) => {
    const id = index.vocabulary.find(word);
    const files = fileOf[part];
    if (id === -1 || files === undefined) return;
    for (const piece of piecesOf(index, id)) addCounts(found, piece, files);
  });
  return found;
}

function addCounts(found: Map<number, number>, { rows, counts, size }: PostingPiece, files: Uint32Array): void {
  for (let at = 0; at < size; at += 1) {
    const file = files[rows[at] ?? 0] ?? NO_FILE;
    if (file !== NO_FILE) found.set(file, (found.get(file) ?? 0) + inWords(counts[at] ?? 0));
  }
}
