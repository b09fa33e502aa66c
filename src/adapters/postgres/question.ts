// A question to memory as the parts of a search share it.
import type { MemoryFilter, Scope, VectorHit } from "../../domain/retrieval.ts";
import { asks } from "../memory/row-filter.ts";

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

/** Whether it may take most rows of a repository away; a review's choice of corpora does not. */
export function isNarrow({ scope, filter, paths }: Asked): boolean {
  return scope.before !== null || paths !== null || asks(filter.languages) || asks(filter.chunkTypes);
}

/** A hit of one of several texts that are asked in one statement. */
export interface PlacedHit extends VectorHit {
  /** Which text, counted from 0. */
  readonly place: number;
}

/** Hits in their order, taken apart by text; at most k of each. */
export function byPlace(hits: readonly PlacedHit[], texts: number, k: number): readonly (readonly VectorHit[])[] {
  const found: VectorHit[][] = Array.from({ length: texts }, () => []);
  for (const { place, id, distance } of hits) {
    const own = found[place];
    if (own !== undefined && own.length < k) own.push({ id, distance });
  }
  return found;
}
