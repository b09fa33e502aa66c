// Issues that recur have been said before, in other words, on other pull requests: how much company a comment has.
import type { WordWeight } from "../domain/word-rarity.ts";
import { eachOf, type Steps } from "./in-turns.ts";
import type { PreparedMemory } from "./prepare.ts";
import { buildSpace, nearness, type Vector, type VectorSpace, vectorOf } from "./vector-space.ts";

/** Keeps the logarithm finite for a comment that stands alone: about the weight of one distant neighbour. */
const ALONE_RELEVANT = 0.002;
const ALONE = 0.01;
/** Comments of one step. */
const PIECE = 50;

export interface Density {
  /** ln of the summed squared nearness to comments of other pull requests, in the same language. */
  readonly recurrence: Float64Array;
  /** The same over all languages, each neighbour counting by how well it fits the change. */
  readonly echo: Float64Array;
}

/**
 * @param weigh rarity over many repositories, so that a comment's vector never changes with its company
 * @param relevance one first guess per memory, in units of log-odds; only differences count
 */
export function* densityOf(
  memories: readonly PreparedMemory[],
  weigh: WordWeight,
  relevance: Float64Array,
): Steps<Density> {
  const vectors = yield* eachOf(memories, PIECE, ({ proseWords }) => vectorOf(proseWords, weigh));
  const space = buildSpace(vectors);
  yield;
  const share = softmax(relevance);
  const recurrence = new Float64Array(memories.length);
  const echo = new Float64Array(memories.length);
  yield* eachOf(memories, PIECE, (memory, at) => {
    const sums = company(memory, vectors[at], space, memories, share);
    recurrence[at] = Math.log(sums.sameLanguage + ALONE);
    echo[at] = Math.log(sums.relevant + ALONE_RELEVANT);
  });
  return { recurrence, echo };
}

function company(
  memory: PreparedMemory,
  vector: Vector | undefined,
  space: VectorSpace,
  memories: readonly PreparedMemory[],
  share: Float64Array,
) {
  let sameLanguage = 0;
  let relevant = 0;
  nearness(space, vector ?? new Map()).forEach((near, other) => {
    const neighbour = memories[other];
    if (neighbour === undefined || neighbour.pr === memory.pr) return;
    const square = near * near;
    relevant += square * (share[other] ?? 0);
    if (neighbour.language === memory.language) sameLanguage += square;
  });
  return { sameLanguage, relevant };
}

function softmax(values: Float64Array): Float64Array {
  const top = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const powers = values.map((value) => Math.exp(value - top));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}
