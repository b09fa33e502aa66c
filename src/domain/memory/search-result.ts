// A search of memory by hand: what is asked for, and what is found.
import type { Repo } from "../job.ts";
import type { MemoryFilter, RankedMemory } from "../retrieval.ts";

export interface HandSearch {
  readonly repo: Repo;
  readonly method: "semantic" | "keyword" | "hybrid";
  /** Without corpora: all of them. */
  readonly filter: MemoryFilter;
  /** Memories at most, ≥ 1. */
  readonly topK: number;
  /**
   * Least cosine similarity, 0–1: nothing that is less alike, or of which that is not known. 0 admits whatever is found;
   * null takes the embedder's own threshold, and what words alone found beside it.
   */
  readonly threshold: number | null;
  /** `model`: the operator's small model puts the best in order. Absent: the reranker, where there is one. */
  readonly rerank?: "model";
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface FoundMemory {
  readonly memory: RankedMemory;
  /** The text that found it best. */
  readonly text: string;
}

/** The lists of several texts as one: each memory once, with its best score; highest first, ties by id. */
export function mergeFound(lists: readonly (readonly FoundMemory[])[]): readonly FoundMemory[] {
  const best = new Map<string, FoundMemory>();
  for (const found of lists.flat()) {
    const { id } = found.memory.record;
    const known = best.get(id);
    if (known === undefined || found.memory.score > known.memory.score) best.set(id, found);
  }
  // One list stays as it is: what the score cannot tell apart, its order can.
  if (lists.length === 1) return [...best.values()];
  return [...best.values()].sort(
    (a, b) => b.memory.score - a.memory.score || (a.memory.record.id < b.memory.record.id ? -1 : 1),
  );
}
