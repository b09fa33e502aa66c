// Issues that recur have been said before, in other words, on other pull requests: how much company a comment has.
import { bagsOf } from "./bags.ts";
import { eachOf, type Steps } from "./in-turns.ts";
import type { PreparedMemory } from "./prepare.ts";
import { buildSpace, nearness, vectorsOf } from "./vector-space.ts";
import type { Weights } from "./word-weight.ts";

/** Keeps the logarithm finite for a comment that stands alone: about the weight of one distant neighbour. */
const ALONE_RELEVANT = 0.002;
const ALONE = 0.01;
/** Comments of one step. */
const PIECE = 150;

export interface Density {
  /** ln of the summed squared nearness to comments of other pull requests, in the same language. */
  readonly recurrence: Float64Array;
  /** The same over all languages, each neighbour counting by how well it fits the change. */
  readonly echo: Float64Array;
}

/**
 * @param weights rarity over many repositories, so that a comment's vector never changes with its company
 * @param relevance one first guess per memory, in units of log-odds; only differences count
 */
export function* densityOf(
  memories: readonly PreparedMemory[],
  weights: Weights,
  relevance: Float64Array,
): Steps<Density> {
  const said = memories.map(({ proseWords }) => proseWords);
  const vectors = vectorsOf(bagsOf(said, weights.length), weights);
  const space = buildSpace(vectors, weights);
  const share = softmax(relevance);
  const recurrence = new Float64Array(memories.length);
  const echo = new Float64Array(memories.length);
  const near = new Float64Array(memories.length);
  const of = { languages: numbered(memories.map(({ language }) => language)), pulls: memories.map(({ pr }) => pr) };
  yield* eachOf(memories, PIECE, (_, at) => {
    nearness(space, vectors, at, near);
    const sums = company(at, near, of, share);
    recurrence[at] = Math.log(sums.sameLanguage + ALONE);
    echo[at] = Math.log(sums.relevant + ALONE_RELEVANT);
  });
  return { recurrence, echo };
}

/** Each by the number of the first that is the same. */
function numbered(names: readonly string[]): Uint32Array {
  const numbers = new Map<string, number>();
  return Uint32Array.from(names, (name, at) => {
    const known = numbers.get(name) ?? at;
    numbers.set(name, known);
    return known;
  });
}

interface CompanyOf {
  readonly languages: Uint32Array;
  readonly pulls: readonly number[];
}

function company(memory: number, near: Float64Array, { languages, pulls }: CompanyOf, share: Float64Array) {
  const [language, pull] = [languages[memory], pulls[memory]];
  let sameLanguage = 0;
  let relevant = 0;
  for (let other = 0; other < near.length; other += 1) {
    const likeness = near[other] ?? 0;
    if (likeness === 0 || pulls[other] === pull) continue;
    const square = likeness * likeness;
    relevant += square * (share[other] ?? 0);
    if (languages[other] === language) sameLanguage += square;
  }
  return { sameLanguage, relevant };
}

function softmax(values: Float64Array): Float64Array {
  const top = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const powers = values.map((value) => Math.exp(value - top));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}
