// What speaks for a remembered comment when a change is under review: one column of figures per signal. No weights here.
import { bagOf, KEYWORDS } from "../domain/bm25.ts";
import { type Background, rarity, type WordWeight } from "../domain/word-rarity.ts";
import { type Bm25Index, buildIndex, scoreAll } from "./bm25.ts";
import { densityOf } from "./density.ts";
import { atOnce, eachOf, type Steps } from "./in-turns.ts";
import { placeSignals } from "./place.ts";
import { extensionOf, type PreparedChange, type PreparedMemory, type Window } from "./prepare.ts";
import { buildSpace, nearness, type Vector, type VectorSpace, vectorOf } from "./vector-space.ts";
import { mixedWeight } from "./word-weight.ts";

/** One figure per memory, in the memories' order. */
export type Signals = Readonly<Record<string, Float64Array>>;

const DAY_MS = 86_400_000;
const BODY_KEYWORDS = { k1: 1.2, b: 0.9 };
const HUNK_KEYWORDS = { k1: 1.2, b: 0.8 };

/**
 * All signals of all memories for one change. Deterministic; no signal looks at anything but its arguments.
 *
 * @param memories of one repository, all written before the change; quadratic only in how many share a word, so hand
 *   over a few hundred
 */
export function signalsOf(
  change: PreparedChange,
  memories: readonly PreparedMemory[],
  background: Background,
): Signals {
  return atOnce(signalSteps(change, memories, background));
}

/** The same in steps. */
export function* signalSteps(
  change: PreparedChange,
  memories: readonly PreparedMemory[],
  background: Background,
): Steps<Signals> {
  const text = yield* textSteps(change, memories, background);
  const place = placeSignals(change, memories);
  const lowInformation = Float64Array.from(memories, (memory) => (memory.lowInformation ? 1 : 0));
  const guess = firstGuess({ ...text, ...place, lowInformation }, memories.length);
  yield;
  return {
    ...text,
    ...place,
    ...(yield* densityOf(memories, rarity(background), guess)),
    lowInformation,
    age: Float64Array.from(memories, (memory) => Math.log(1 + Math.max(0, change.now - memory.createdAt) / DAY_MS)),
  };
}

/** The signals that need nothing but the memories' text. */
export function textSignals(
  change: PreparedChange,
  memories: readonly PreparedMemory[],
  background: Background,
): Signals {
  return atOnce(textSteps(change, memories, background));
}

/** Texts that are weighed in one step. */
const PIECE = 50;

function* textSteps(
  change: PreparedChange,
  memories: readonly PreparedMemory[],
  background: Background,
): Steps<Signals> {
  const index = buildIndex(memories.map((memory) => memory.words));
  yield;
  const weigh = mixedWeight(background, index);
  const texts = buildSpace(yield* eachOf(memories, PIECE, ({ words }) => vectorOf(words, weigh)));
  yield;
  const lines = buildSpace(yield* eachOf(memories, PIECE, ({ lineWords }) => vectorOf(lineWords, weigh)));
  yield;
  const extensions = memories.map((memory) => extensionOf(memory.path));
  const windowVectors = weighed(change.windows, weigh);
  const windows = nearest(texts, windowVectors, extensions);
  yield;
  const pairs = nearest(texts, weighed(change.pairs, weigh), extensions);
  yield;
  const windowLines = nearest(lines, windowVectors, extensions).same;
  yield;
  return {
    windowText: windows.same,
    windowTextAnywhere: windows.any,
    pairText: pairs.same,
    pairTextAnywhere: pairs.any,
    windowLines,
    allText: nearness(texts, vectorOf(change.all, weigh)),
    talkText: nearness(texts, vectorOf(change.talk, weigh)),
    titleText: nearness(texts, vectorOf(change.title, weigh)),
    addedText: nearness(texts, vectorOf(change.added, weigh)),
    bodyKeywords: scoreAll(index, bagOf(change.body), BODY_KEYWORDS),
    addedKeywords: scoreAll(index, bagOf(change.added), KEYWORDS),
    contextKeywords: scoreAll(index, bagOf(change.context), KEYWORDS),
    windowKeywords: bestKeywords(change, index),
    spans: spanShare(change, memories, rarity(background)),
  };
}

/** The nearest of a change's windows to each text: among all, and among those in files of the text's extension. */
function nearest(space: VectorSpace, windows: readonly WeighedWindow[], extensions: readonly string[]) {
  const any = new Float64Array(space.size);
  const same = new Float64Array(space.size);
  for (const { vector, extension } of windows) {
    nearness(space, vector).forEach((near, text) => {
      if (near > (any[text] ?? 0)) any[text] = near;
      if (near > (same[text] ?? 0) && extensions[text] === extension) same[text] = near;
    });
  }
  return { any, same };
}

interface WeighedWindow {
  readonly extension: string;
  readonly vector: Vector;
}

function weighed(windows: readonly Window[], weigh: WordWeight): WeighedWindow[] {
  return windows.map(({ extension, words }) => ({ extension, vector: vectorOf(words, weigh) }));
}

/** BM25 of the best window. */
function bestKeywords(change: PreparedChange, index: Bm25Index): Float64Array {
  const best = new Float64Array(index.size);
  for (const window of change.windows) {
    scoreAll(index, bagOf(window.words), HUNK_KEYWORDS).forEach((score, at) => {
      if (score > (best[at] ?? 0)) best[at] = score;
    });
  }
  return best;
}

/** Of the words in a comment's backticks, the weighted share that the change touches. */
function spanShare(change: PreparedChange, memories: readonly PreparedMemory[], weigh: WordWeight): Float64Array {
  const touched = new Set([...change.added, ...change.removed]);
  return Float64Array.from(memories, (memory) => {
    let hit = 0;
    let total = 1;
    for (const word of new Set(memory.spanWords)) {
      const weight = weigh(word);
      total += weight;
      if (touched.has(word)) hit += weight;
    }
    return hit / total;
  });
}

/** How well a memory fits before its company is known; round figures, set once by hand, that the density rests on. */
function firstGuess(signals: Signals, size: number): Float64Array {
  const parts: readonly (readonly [string, number])[] = [
    ["sameLanguage", 2],
    ["windowText", 10],
    ["windowLines", 5],
    ["sameFile", 0.7],
    ["pathPrefix", 1],
    ["lowInformation", -3],
  ];
  const guess = new Float64Array(size);
  for (const [name, weight] of parts) {
    signals[name]?.forEach((value, at) => {
      guess[at] = (guess[at] ?? 0) + weight * value;
    });
  }
  return guess;
}
