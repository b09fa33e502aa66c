// The system to beat: three rankings with nothing fitted, joined by reciprocal rank.

import { bagOf } from "../src/domain/text/bm25.ts";
import type { Words } from "../src/retrieve/rank/prepare-documents.ts";
import type { Lexicon } from "../src/retrieve/rank/term-ids.ts";
import { bagsOf, buildIndex, scoreAll } from "../src/retrieve/rank/term-vectors.ts";
import { type RetrievalMemory, type RetrievalQuery, rank } from "./retrieval-rows.ts";

const BM25 = { k1: 1.2, b: 0.75 };
const RRF_K = 60;

/**
 * G: same file, then folder, then language, then recency; BM25 of the whole change against text,
 * path and lines; BM25 of title, body and paths against text and path. S: BM25 of the whole change
 * against the text alone.
 */
export function untunedFusion(
  query: RetrievalQuery,
  memories: readonly RetrievalMemory[],
  task: "G" | "S",
  { numbersOf, size }: Lexicon,
): string[] {
  const ids = memories.map((memory) => memory.id);
  const { all, added } = query.change;
  const keyword = (texts: (memory: RetrievalMemory) => Words, words: Words) => {
    const read = memories.map(texts);
    // As published: rarity in this memory alone.
    const rarityHere = (_: number, found: number) => Math.log(1 + (read.length - found + 0.5) / (found + 0.5));
    return rank(ids, scoreAll(buildIndex(bagsOf(read, size()), size()), bagOf(words), rarityHere, BM25));
  };
  if (task === "S") return keyword((memory) => memory.words, all);
  const lists = [
    rank(ids, memories.map(placeOf(query))),
    keyword((memory) => [...memory.words, ...numbersOf(memory.path), ...memory.lineWords], all),
    keyword((memory) => [...memory.words, ...numbersOf(memory.path)], all.slice(0, all.length - added.length)),
  ];
  const scores = new Map<string, number>();
  for (const list of lists) {
    for (const [at, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (RRF_K + at + 1));
  }
  return rank(
    ids,
    ids.map((id) => scores.get(id) ?? 0),
  );
}

function placeOf({ change, languages }: RetrievalQuery): (memory: RetrievalMemory) => number {
  const paths = new Set(change.paths);
  const folders = new Set(change.paths.map(folderOf));
  return (memory) => {
    const near = paths.has(memory.path)
      ? 3
      : folders.has(folderOf(memory.path))
        ? 2
        : languages.has(memory.language)
          ? 1
          : 0;
    return near + memory.createdAt / 1e14;
  };
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);
