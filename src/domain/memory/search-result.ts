// Query and result of a manual search of memory.
import type { Repo } from "../job.ts";
import type { MemoryFilter, RankedMemory } from "../retrieval.ts";
import { compareTexts } from "../text/compare-texts.ts";

export interface HandSearch {
  readonly repo: Repo;
  readonly method: "semantic" | "keyword" | "hybrid";
  /** Without corpora: all of them. */
  readonly filter: MemoryFilter;
  /** Memories at most, ≥ 1. */
  readonly topK: number;
  /**
   * Least cosine similarity, 0–1; memories below it, or without a known similarity, are left out. 0
   * accepts everything; null takes the embedder's own threshold, plus keyword-only hits.
   */
  readonly threshold: number | null;
  /**
   * `model`: the operator's small model reorders the best. `auto`: the reranker, if there is one.
   */
  readonly rerank: "auto" | "model";
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What a person may set. */
export type SearchWish = Omit<HandSearch, "repo" | "now" | "rerank">;

export interface FoundMemory {
  readonly memory: RankedMemory;
  /** The query text that found it best. */
  readonly text: string;
}

/**
 * Merges the lists of several texts: each memory once, with its best score; highest first, ties by
 * id.
 */
export function mergeFound(lists: readonly (readonly FoundMemory[])[]): readonly FoundMemory[] {
  const byId = Map.groupBy(lists.flat(), ({ memory }) => memory.record.id);
  const best = [...byId.values()].map((all) => all.reduce((a, b) => (b.memory.score > a.memory.score ? b : a)));
  // A single list keeps its order, which breaks ties of the score.
  if (lists.length === 1) return best;
  return best.sort((a, b) => b.memory.score - a.memory.score || compareTexts(a.memory.record.id, b.memory.record.id));
}
