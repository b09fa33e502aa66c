// Code chunks are also scored by the terms of their whole file, which shows the chunk's purpose. Nothing extra is stored: a file's
// terms are those of its chunks.
import { inverseFrequency, KEYWORDS } from "../domain/text/bm25.ts";
import type { ScopedPostings } from "./postings.ts";
import { PARTS } from "./terms.ts";

/**
 * Weight of the file's score. On eval/code-search (737 chunks, 248 queries) Pass@5/10/20 is .812/.856/.885 without it,
 * .845/.899/.925 at .5, .848/.906/.929 at 1, .852/.907/.931 at 1.4.
 */
const FILE_WEIGHT = 1;

/** The postings of a repository, and the file number of each code row over all parts; −1 for other rows. */
type FilePart = ScopedPostings & { readonly fileOf: Int32Array };

/**
 * Adds the BM25 score of its file to each code row. So a chunk that shares no term with the query can be found through its file, which
 * gains two more points.
 *
 * @param files the number of files
 * @returns null without files; otherwise a function of a query and of the scores of each part
 */
export function fileScorer(
  parts: readonly FilePart[],
  files: number,
): ((query: ReadonlyMap<number, number>, scores: readonly Float64Array[]) => void) | null {
  if (files === 0) return null;
  const lengths = new Float64Array(files);
  eachRow(parts, (part, row, file) => {
    lengths[file] = (lengths[file] ?? 0) + (part.postings.lengths[row] ?? 0) / PARTS;
  });
  const meanLength = Math.max(1e-9, lengths.reduce((sum, length) => sum + length, 0) / files);
  const markdown = lengths.map((length) => KEYWORDS.k1 * (1 - KEYWORDS.b + (KEYWORDS.b * length) / meanLength));
  const ofFiles = new Float64Array(files);
  const counts = new Float64Array(files);
  return (query, scores) => {
    ofFiles.fill(0);
    for (const [hash, weight] of query) {
      counts.fill(0);
      const found = countTerm(parts, hash, counts);
      if (found === 0) continue;
      const gain = weight * inverseFrequency(files, found) * (KEYWORDS.k1 + 1);
      for (let file = 0; file < files; file += 1) {
        const count = counts[file] ?? 0;
        if (count > 0) ofFiles[file] = (ofFiles[file] ?? 0) + (gain * count) / (count + (markdown[file] ?? 0));
      }
    }
    eachRow(parts, (part, row, file) => {
      const ofPart = scores[parts.indexOf(part)];
      if (ofPart !== undefined) ofPart[row] = (ofPart[row] ?? 0) + FILE_WEIGHT * (ofFiles[file] ?? 0);
    });
  };
}

/** Returns how many files have the term, and adds its frequencies to their counts. */
function countTerm(parts: readonly FilePart[], hash: number, counts: Float64Array): number {
  let found = 0;
  for (const { postings, fileOf } of parts) {
    const term = postings.vocabulary.find(hash);
    if (term < 0) continue;
    for (let at = postings.starts[term] ?? 0; at < (postings.starts[term + 1] ?? 0); at += 1) {
      const file = fileOf[postings.rows[at] ?? 0] ?? -1;
      if (file < 0) continue;
      if (counts[file] === 0) found += 1;
      counts[file] = (counts[file] ?? 0) + (postings.counts[at] ?? 0) / PARTS;
    }
  }
  return found;
}

function eachRow(parts: readonly FilePart[], visit: (part: FilePart, row: number, file: number) => void): void {
  for (const part of parts) {
    for (let row = 0; row < part.fileOf.length; row += 1) {
      const file = part.fileOf[row] ?? -1;
      if (file >= 0) visit(part, row, file);
    }
  }
}
