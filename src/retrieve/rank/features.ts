// Computes the signals that relate memories to a change: one column of figures per signal. No
// weights here. No signal depends on the language of a memory or the extension of its path: the
// factor `language` alone weighs these.

import { withoutExtension } from "../../domain/code/paths.ts";
import { bagOf, KEYWORDS } from "../../domain/text/bm25.ts";
import type { Background } from "../../domain/text/word-rarity.ts";
import type { PreparedChange, PreparedMemory, Words } from "./prepare-documents.ts";
import type { Lexicon } from "./term-ids.ts";
import {
  type Bm25Index,
  bagsOf,
  buildIndex,
  buildSpace,
  everywhereWeights,
  mixedWeights,
  rarityIn,
  scoreAll,
  similarities,
  type VectorSpace,
  type Vectors,
  vectorsOf,
  type Weights,
  type WordRarity,
} from "./term-vectors.ts";

/** One figure per memory, in the memories' order. */
export type Signals = Readonly<Record<string, Float64Array>>;

const BODY_KEYWORDS = { k1: 1.2, b: 0.9 };
const HUNK_KEYWORDS = { k1: 1.2, b: 0.8 };

/**
 * The signals of all memories for one change. A signal depends only on its arguments.
 *
 * @param memories of one repository, all written before the change; quadratic only in how many
 * share a word, so pass a few hundred
 * @param lexicon the one that change and memories were prepared with
 * @param wanted names of signals; others may be missing. Null for all
 */
export function featureSignals(
  change: PreparedChange,
  memories: readonly PreparedMemory[],
  background: Background,
  lexicon: Lexicon,
  wanted: ReadonlySet<string> | null = null,
): Signals {
  const named = (signals: readonly string[]) => wanted === null || signals.some((signal) => wanted.has(signal));
  const isDense = named(["recurrence"]);
  const wants = (...signals: readonly string[]) =>
    named(signals) || (isDense && signals.some((signal) => GUESSED.has(signal)));
  const everywhere = everywhereWeights(background, lexicon);
  const text = textSignals(change, memories, everywhere, rarityIn(memories.length, background, lexicon), wants);
  const place = placeSignals(change, memories);
  const lowInformation = Float64Array.from(memories, (memory) => (memory.lowInformation ? 1 : 0));
  const base = { ...text, ...place, lowInformation };
  if (!isDense) return base;
  const guess = firstGuess(base, memories.length);
  return { ...base, recurrence: recurrenceOf(memories, everywhere, guess) };
}

/** @param everywhere weights of all words of both */
function textSignals(
  change: PreparedChange,
  memories: readonly PreparedMemory[],
  everywhere: Weights,
  rarityOf: WordRarity,
  wants: (...signals: readonly string[]) => boolean,
): Signals {
  const signals: Record<string, Float64Array> = {};
  const bags = (texts: readonly Words[]) => bagsOf(texts, everywhere.length);
  const said = bags(memories.map(({ words }) => words));
  const index = buildIndex(said, everywhere.length);
  const weights = mixedWeights(everywhere, index, rarityOf);
  const texts = buildSpace(vectorsOf(said, weights), weights);
  const weighed = (windows: readonly Words[]) => vectorsOf(bags(windows), weights);
  const windows = weighed(change.windows);
  if (wants("windowText")) signals.windowText = nearest(texts, windows);
  if (wants("pairText")) {
    signals.pairText = nearest(texts, weighed(change.pairs()));
  }
  if (wants("windowLines")) {
    const about = vectorsOf(bags(memories.map(({ lineWords }) => lineWords)), weights);
    signals.windowLines = nearest(buildSpace(about, weights), windows);
  }
  const { all, title, body, added, context } = change;
  const wholes = { allText: all, titleText: title };
  for (const [name, words] of Object.entries(wholes)) {
    if (!wants(name)) continue;
    const near = new Float64Array(memories.length);
    similarities(texts, vectorsOf(bags([words]), weights), 0, near);
    signals[name] = near;
  }
  const keywords = [
    ["titleKeywords", title, KEYWORDS],
    ["bodyKeywords", body, BODY_KEYWORDS],
    ["addedKeywords", added, KEYWORDS],
    ["contextKeywords", context, KEYWORDS],
  ] as const;
  for (const [name, words, options] of keywords)
    if (wants(name)) signals[name] = scoreAll(index, bagOf(words), rarityOf, options);
  if (wants("windowKeywords")) signals.windowKeywords = bestKeywords(change, index, rarityOf);
  if (wants("spans")) signals.spans = spanShare(change, memories, everywhere);
  return signals;
}

/** The similarity of each text to the most similar of a change's windows. */
function nearest(space: VectorSpace, windows: Vectors): Float64Array {
  const best = new Float64Array(space.size);
  const near = new Float64Array(space.size);
  for (let which = 0; which + 1 < windows.starts.length; which += 1) {
    similarities(space, windows, which, near);
    for (let text = 0; text < near.length; text += 1) best[text] = Math.max(best[text] ?? 0, near[text] ?? 0);
  }
  return best;
}

function bestKeywords(change: PreparedChange, index: Bm25Index, rarityOf: WordRarity): Float64Array {
  const best = new Float64Array(index.size);
  for (const window of change.windows) {
    const scores = scoreAll(index, bagOf(window), rarityOf, HUNK_KEYWORDS);
    for (let at = 0; at < scores.length; at += 1) best[at] = Math.max(best[at] ?? 0, scores[at] ?? 0);
  }
  return best;
}

/** The weighted share of the words in a comment's backticks that the change touches. */
function spanShare(change: PreparedChange, memories: readonly PreparedMemory[], weights: Weights): Float64Array {
  const touched = new Set([...change.added, ...change.removed]);
  return Float64Array.from(memories, (memory) => {
    let hit = 0;
    let total = 1;
    for (const word of new Set(memory.spanWords)) {
      const weight = weights[word] ?? 0;
      total += weight;
      if (touched.has(word)) hit += weight;
    }
    return hit / total;
  });
}

/** Round weights, set once by hand, for the first guess of `recurrence`. */
const GUESSED: ReadonlyMap<string, number> = new Map([
  ["windowText", 10],
  ["windowLines", 5],
  ["sameFile", 0.7],
  ["pathPrefix", 1],
  ["lowInformation", -3],
]);

/** How well a memory fits, before its neighbours are considered. */
function firstGuess(signals: Signals, size: number): Float64Array {
  const guess = new Float64Array(size);
  for (const [name, weight] of GUESSED) {
    signals[name]?.forEach((value, at) => {
      guess[at] = (guess[at] ?? 0) + weight * value;
    });
  }
  return guess;
}

/** Keeps the logarithm finite without neighbours: about the weight of one distant neighbour. */
const ALONE = 0.002;

/**
 * Recurring issues have similar comments on other pull requests: ln of the summed squared
 * similarity to these, each weighted by how well it fits the change.
 *
 * @param weights rarity over many repositories: a vector never depends on its neighbours
 * @param relevance one first guess per memory, in units of log-odds; only differences count
 */
function recurrenceOf(memories: readonly PreparedMemory[], weights: Weights, relevance: Float64Array): Float64Array {
  const said = memories.map(({ proseWords }) => proseWords);
  const vectors = vectorsOf(bagsOf(said, weights.length), weights);
  const space = buildSpace(vectors, weights);
  const share = softmax(relevance);
  const recurrence = new Float64Array(memories.length);
  const near = new Float64Array(memories.length);
  for (const [at, { pr }] of memories.entries()) {
    similarities(space, vectors, at, near);
    let sum = 0;
    for (let other = 0; other < near.length; other += 1) {
      const likeness = near[other] ?? 0;
      if (likeness !== 0 && memories[other]?.pr !== pr) sum += likeness * likeness * (share[other] ?? 0);
    }
    recurrence[at] = Math.log(sum + ALONE);
  }
  return recurrence;
}

function softmax(values: Float64Array): Float64Array {
  const top = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const powers = values.map((value) => Math.exp(value - top));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}

/**
 * - sameFile: 1 when the change touches the comment's file, or one that differs only by its
 * extension (`cart.h`, `cart.cpp`)
 * - pathPrefix: shared leading folders of the nearest changed file, as a share of the longer path,
 * 0–1
 */
function placeSignals({ paths }: PreparedChange, memories: readonly PreparedMemory[]) {
  const changed = new Set(paths.map(withoutExtension));
  const folders = [...changed].map((path) => path.split("/"));
  return {
    sameFile: Float64Array.from(memories, ({ path }) => (changed.has(withoutExtension(path)) ? 1 : 0)),
    pathPrefix: Float64Array.from(memories, ({ path }) => nearestPrefix(path.split("/"), folders)),
  };
}

function nearestPrefix(path: readonly string[], others: readonly (readonly string[])[]): number {
  let best = 0;
  for (const other of others) {
    let shared = 0;
    const most = Math.min(path.length, other.length) - 1;
    while (shared < most && path[shared] === other[shared]) shared += 1;
    best = Math.max(best, (shared + 1) / Math.max(path.length, other.length));
  }
  return best;
}
