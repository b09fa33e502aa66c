// Questions that a review asks at once become one: one pass over the memory measures against all of its vectors.
import type { VectorHit } from "../../domain/retrieval.ts";
import type { Recall } from "../../ports-memory.ts";
import type { MemorySearch } from "./search-memory.ts";
import { vectorProblem } from "./vector-problem.ts";

type NearestAll = (...args: Parameters<MemorySearch["nearestAll"]>) => Promise<readonly (readonly VectorHit[])[]>;

interface Together {
  readonly vectors: Float32Array[];
  readonly answer: Promise<readonly (readonly VectorHit[])[]>;
}

/**
 * `nearest` over `nearestAll`: what is asked in one turn of the event loop with the same scope, space, k and filter goes
 * in one question. A vector that is refused (RangeError) does not spoil the others; any other failure is of all.
 */
export function nearestTogether(nearestAll: NearestAll): Recall["nearest"] {
  const open = new Map<string, Together>();
  return async (scope, vector, space, k, filter) => {
    const problem = vectorProblem(vector, space.dimension);
    if (problem !== null) throw new RangeError(problem);
    const key = JSON.stringify([scope, space, k, filter]);
    const known = open.get(key);
    const vectors = known?.vectors ?? [];
    const asked = async () => {
      await null;
      open.delete(key);
      return nearestAll(scope, vectors, space, k, filter);
    };
    // A copy of its own: a view is sent with the whole buffer behind it, and embedders answer with views of one buffer.
    const at = vectors.push(vector.slice()) - 1;
    const together = known ?? { vectors, answer: asked() };
    open.set(key, together);
    return (await together.answer)[at] ?? [];
  };
}
