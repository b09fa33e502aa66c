// A large memory is first cut to the few hundred that could matter, by keywords and place, before anything dearer is done.
import { type Bm25Index, bagOf, buildIndex, KEYWORDS, scoreAll } from "./bm25.ts";
import type { PreparedChange, PreparedMemory } from "./prepare.ts";

/** Candidates whose signals are worked out: beyond it the cut costs no development query anything. */
export const SHORTLIST = 300;

/** The index that shortlists are taken from: one per set of memories, reused for every change. */
export function shortlistIndex(memories: readonly PreparedMemory[]): Bm25Index {
  return buildIndex(memories.map((memory) => memory.words));
}

/**
 * The `most` memories that score best by keywords, doubled in the change's languages and tripled in its files. At most
 * `most` memories, in their own order; all of them when there are no more.
 *
 * @param index of the same memories in the same order
 */
export function shortlist(
  change: PreparedChange,
  memories: readonly PreparedMemory[],
  index: Bm25Index,
  most = SHORTLIST,
): readonly PreparedMemory[] {
  if (memories.length <= most) return memories;
  const paths = new Set(change.files.map((file) => file.path));
  const languages = new Set(change.files.map((file) => file.language));
  const scores = scoreAll(index, bagOf(change.all), KEYWORDS);
  const placed = memories.map((memory, at) => {
    const place = 1 + (languages.has(memory.language) ? 1 : 0) + (paths.has(memory.path) ? 1 : 0);
    return { at, score: place * (1 + (scores[at] ?? 0)) };
  });
  const best = placed.sort((a, b) => b.score - a.score || a.at - b.at).slice(0, most);
  const kept = new Set(best.map((entry) => entry.at));
  return memories.filter((_, at) => kept.has(at));
}
