import type { VectorHit } from "../../domain/retrieval.ts";
import { nthSmallest } from "../memory/nth-smallest.ts";
import { topK } from "../memory/top-k.ts";
import type { Search } from "./search.ts";
import { toldRows } from "./told-rows.ts";

export interface MeasuredRows {
  /** The rows' ids. */
  readonly ids: Float64Array;
  /** Cosine distances; NaN where a vector is damaged. */
  readonly distances: Float64Array;
}

/** Of each list the k nearest, as the file names them; what it does not admit is not told. */
export function nearestTold(search: Search, measured: readonly MeasuredRows[]): VectorHit[][] {
  const nearest = measured.map((rows) => placesOfNearest(rows.distances, search.k));
  const wanted = new Set<number>();
  nearest.forEach((places, list) => {
    for (const at of places) wanted.add(measured[list]?.ids[at] ?? 0);
  });
  const names = toldRows(search, wanted);
  return measured.map(({ ids, distances }, list) => {
    const hits: VectorHit[] = [];
    for (const at of nearest[list] ?? []) {
      const id = names.get(ids[at] ?? 0);
      if (id !== undefined) hits.push({ id, distance: distances[at] ?? 0 });
    }
    return topK(hits, search.k, nearer);
  });
}

/** With all that are as near as the last one wanted: among equals names decide, which only the file knows. */
function placesOfNearest(distances: Float64Array, k: number): number[] {
  const last = k <= distances.length ? nthSmallest(distances, k - 1) : Number.POSITIVE_INFINITY;
  const places: number[] = [];
  for (let at = 0; at < distances.length; at += 1) if ((distances[at] ?? 0) <= last) places.push(at);
  return places;
}

/** Among equals the smaller name. */
export function nearer(one: VectorHit, other: VectorHit): boolean {
  return one.distance < other.distance || (one.distance === other.distance && one.id < other.id);
}
