// Questions that a review asks at once become one: one pass over the memory measures against all of its vectors.
import type { VectorHit } from "../../domain/retrieval.ts";
import type { Recall, TellDegraded } from "../../ports/memory.ts";
import type { MemorySearch } from "./search-memory.ts";
import { vectorProblem } from "./vector-problem.ts";

type NearestAll = (
  question: Parameters<MemorySearch["nearestAll"]>,
  tell: TellDegraded,
) => Promise<readonly (readonly VectorHit[])[]>;

interface Together {
  readonly vectors: Float32Array[];
  /** Of those who want to be told: what makes the one answer poorer makes each poorer. */
  readonly tells: TellDegraded[];
  readonly answer: Promise<readonly (readonly VectorHit[])[]>;
}

/**
 * `nearest` over `nearestAll`: what is asked in one turn of the event loop with the same scope, space, k and filter goes
 * in one question. A vector that is refused (RangeError) does not spoil the others; any other failure is of all.
 */
export function nearestTogether(nearestAll: NearestAll): Recall["nearest"] {
  const open = new Map<string, Together>();
  return async (scope, vector, space, k, filter, tell) => {
    const problem = vectorProblem(vector, space.dimension);
    if (problem !== null) throw new RangeError(problem);
    const key = JSON.stringify([scope, space, k, filter]);
    const known = open.get(key);
    const [vectors, tells] = [known?.vectors ?? [], known?.tells ?? []];
    const asked = async () => {
      await null;
      open.delete(key);
      return nearestAll([scope, vectors, space, k, filter], (part, reason) => {
        for (const one of tells) one(part, reason);
      });
    };
    // A copy of its own: a view is sent with the whole buffer behind it, and embedders answer with views of one buffer.
    const at = vectors.push(vector.slice()) - 1;
    if (tell !== undefined) tells.push(tell);
    const together = known ?? { vectors, tells, answer: asked() };
    open.set(key, together);
    return (await together.answer)[at] ?? [];
  };
}
