// Nearest of several vectors at once: one pass over the memory measures against all of them.
import type { EmbeddingSpace } from "../../domain/memory.ts";
import type { MemoryFilter, Scope, VectorHit } from "../../domain/retrieval.ts";
import type { Recall, TellDegraded } from "../../ports/memory.ts";
import { askedTogether } from "./asked-together.ts";
import { vectorProblem } from "./vector-problem.ts";

type Question = [
  scope: Scope,
  vectors: readonly Float32Array[],
  space: EmbeddingSpace,
  k: number,
  filter: MemoryFilter,
];
type Common = readonly [Question[0], Question[2], Question[3], Question[4]];

/**
 * `nearest` over `nearestAll`: what is asked in one turn of the event loop with the same scope, space, k and filter goes
 * in one question. A vector that is refused (RangeError) does not spoil the others; any other failure is of all.
 */
export function nearestTogether(
  nearestAll: (question: Question, tell: TellDegraded) => Promise<readonly (readonly VectorHit[])[]>,
): Recall["nearest"] {
  const ask = askedTogether((vectors: readonly Float32Array[], [scope, space, k, filter]: Common, tell) =>
    nearestAll([scope, vectors, space, k, filter], tell),
  );
  return async (scope, vector, space, k, filter, tell) => {
    const problem = vectorProblem(vector, space.dimension);
    if (problem !== null) throw new RangeError(problem);
    // A copy of its own: a view is sent with the whole buffer behind it, and embedders answer with views of one buffer.
    return (await ask(vector.slice(), [scope, space, k, filter], tell)) ?? [];
  };
}
