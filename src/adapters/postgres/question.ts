// A question to memory as the parts of a search share it.
import type { MemoryFilter, Scope } from "../../domain/retrieval.ts";

export interface Asked {
  readonly scope: Scope;
  readonly k: number;
  readonly filter: MemoryFilter;
  /** The paths in scope that the filter admits; null when it does not ask. */
  readonly paths: readonly string[] | null;
}

export interface NearestQuestion extends Asked {
  /** Of the embedding space: the row, and components. */
  readonly space: number;
  readonly dimension: number;
}

export interface KeywordQuestion extends Asked {
  readonly texts: readonly string[];
}
