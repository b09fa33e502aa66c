// What speaks for a remembered comment when a change is under review: one column of figures per signal. No weights here.
import { bagOf, KEYWORDS } from "../domain/bm25.ts";
import type { Background } from "../domain/word-rarity.ts";
import { bagsOf } from "./bags.ts";
import { type Bm25Index, buildIndex, scoreAll } from "./bm25.ts";
import { densityOf } from "./density.ts";
import { atOnce, type Steps } from "./in-turns.ts";
import type { Lexicon } from "./lexicon.ts";
import { placeSignals } from "./place.ts";
import { extensionOf, type PreparedChange, type PreparedMemory, type Window, type Words } from "./prepare.ts";
import { buildSpace, nearness, type VectorSpace, type Vectors, vectorsOf } from "./vector-space.ts";
import { everywhereWeights, mixedWeights, type Weights } from "./word-weight.ts";

/** One figure per memory, in the memories' order. */
export type Signals = Readonly<Record<string, Float64Array>>;

const DAY_MS = 86_400_000;
const BODY_KEYWORDS = { k1: 1.2, b: 0.9 };
const HUNK_KEYWORDS = { k1: 1.2, b: 0.8 };

/** What every signal is worked out from. */
interface Compared {
  readonly change: PreparedChange;
  readonly memories: readonly PreparedMemory[];
  /** Of all words of both. */
  readonly everywhere: Weights;
  /** Whether a signal is asked for. */
  readonly wants: (...signals: readonly string[]) => boolean;
}

/**
 * All signals of all memories for one change. Deterministic; no signal looks at anything but its arguments.
 *
 * @param memories of one repository, all written before the change; quadratic only in how many share a word, so hand
 *   over a few hundred
 * @param lexicon with which change and memories were prepared
 */
export function signalsOf(
  change: PreparedChange,
  memories: readonly PreparedMemory[],
  background: Background,
  lexicon: Lexicon,
): Signals {
  return atOnce(signalSteps(change, memories, background, lexicon));
}

/**
 * The same in steps.
 *
 * @param wanted names of signals; the others may be missing. Null for all
 */
export function* signalSteps(
  change: PreparedChange,
  memories: readonly PreparedMemory[],
  background: Background,
  lexicon: Lexicon,
  wanted: ReadonlySet<string> | null = null,
): Steps<Signals> {
  const named = (signals: readonly string[]) => wanted === null || signals.some((signal) => wanted.has(signal));
  const isDense = named(["recurrence", "echo"]);
  const wants = (...signals: readonly string[]) =>
    named(signals) || (isDense && signals.some((signal) => GUESSED.has(signal)));
  const everywhere = everywhereWeights(background, lexicon);
  const text = yield* textSteps({ change, memories, everywhere, wants });
  const place = placeSignals(change, memories);
  const lowInformation = Float64Array.from(memories, (memory) => (memory.lowInformation ? 1 : 0));
  const told = {
    ...text,
    ...place,
    lowInformation,
    age: Float64Array.from(memories, (memory) => Math.log(1 + Math.max(0, change.now - memory.createdAt) / DAY_MS)),
  };
  if (!isDense) return told;
  yield;
  const guess = firstGuess(told, memories.length);
  return { ...told, ...(yield* densityOf(memories, everywhere, guess)) };
}

/** The signals that need nothing but the memories' text. */
export function textSignals(
  change: PreparedChange,
  memories: readonly PreparedMemory[],
  background: Background,
  lexicon: Lexicon,
): Signals {
  const everywhere = everywhereWeights(background, lexicon);
  return atOnce(textSteps({ change, memories, everywhere, wants: () => true }));
}

function* textSteps({ change, memories, everywhere, wants }: Compared): Steps<Signals> {
  const signals: Record<string, Float64Array> = {};
  const bags = (texts: readonly Words[]) => bagsOf(texts, everywhere.length);
  const said = bags(memories.map(({ words }) => words));
  const index = buildIndex(said, everywhere.length);
  const weights = mixedWeights(everywhere, index);
  const texts = buildSpace(vectorsOf(said, weights), weights);
  const extensions = memories.map((memory) => extensionOf(memory.path));
  const weighed = (windows: readonly Window[]): WeighedWindows => ({
    extensions: windows.map(({ extension }) => extension),
    vectors: vectorsOf(bags(windows.map(({ words }) => words)), weights),
  });
  yield;
  const windows = weighed(change.windows);
  if (wants("windowText", "windowTextAnywhere")) {
    const { same, any } = nearest(texts, windows, extensions);
    Object.assign(signals, { windowText: same, windowTextAnywhere: any });
  }
  if (wants("pairText", "pairTextAnywhere")) {
    yield;
    const { same, any } = nearest(texts, weighed(change.pairs()), extensions);
    Object.assign(signals, { pairText: same, pairTextAnywhere: any });
  }
  if (wants("windowLines")) {
    yield;
    const about = vectorsOf(bags(memories.map(({ lineWords }) => lineWords)), weights);
    signals.windowLines = nearest(buildSpace(about, weights), windows, extensions).same;
  }
  yield;
  for (const [name, words] of wholes(change)) {
    if (!wants(name)) continue;
    const near = new Float64Array(memories.length);
    nearness(texts, vectorsOf(bags([words]), weights), 0, near);
    signals[name] = near;
  }
  for (const [name, words, options] of keywords(change))
    if (wants(name)) signals[name] = scoreAll(index, bagOf(words), options);
  if (wants("windowKeywords")) signals.windowKeywords = bestKeywords(change, index);
  if (wants("spans")) signals.spans = spanShare(change, memories, everywhere);
  return signals;
}

/** Signals of likeness to a text as a whole. */
function wholes({ all, talk, title, added }: PreparedChange): readonly (readonly [string, Words])[] {
  return [
    ["allText", all],
    ["talkText", talk],
    ["titleText", title],
    ["addedText", added],
  ];
}

/** Signals of keywords, with what they are asked by. */
function keywords({ body, added, context }: PreparedChange) {
  return [
    ["bodyKeywords", body, BODY_KEYWORDS],
    ["addedKeywords", added, KEYWORDS],
    ["contextKeywords", context, KEYWORDS],
  ] as const;
}

interface WeighedWindows {
  readonly extensions: readonly string[];
  readonly vectors: Vectors;
}

/** The nearest of a change's windows to each text: among all, and among those in files of the text's extension. */
function nearest(space: VectorSpace, windows: WeighedWindows, extensions: readonly string[]) {
  const any = new Float64Array(space.size);
  const same = new Float64Array(space.size);
  const near = new Float64Array(space.size);
  for (const [which, extension] of windows.extensions.entries()) {
    nearness(space, windows.vectors, which, near);
    for (let text = 0; text < near.length; text += 1) {
      const likeness = near[text] ?? 0;
      any[text] = Math.max(any[text] ?? 0, likeness);
      if (extensions[text] === extension) same[text] = Math.max(same[text] ?? 0, likeness);
    }
  }
  return { any, same };
}

/** BM25 of the best window. */
function bestKeywords(change: PreparedChange, index: Bm25Index): Float64Array {
  const best = new Float64Array(index.size);
  for (const window of change.windows) {
    const scores = scoreAll(index, bagOf(window.words), HUNK_KEYWORDS);
    for (let at = 0; at < scores.length; at += 1) best[at] = Math.max(best[at] ?? 0, scores[at] ?? 0);
  }
  return best;
}

/** Of the words in a comment's backticks, the weighted share that the change touches. */
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

/** Round figures, set once by hand, that the density rests on. */
const GUESSED: ReadonlyMap<string, number> = new Map([
  ["sameLanguage", 2],
  ["windowText", 10],
  ["windowLines", 5],
  ["sameFile", 0.7],
  ["pathPrefix", 1],
  ["lowInformation", -3],
]);

/** How well a memory fits before its company is known. */
function firstGuess(signals: Signals, size: number): Float64Array {
  const guess = new Float64Array(size);
  for (const [name, weight] of GUESSED) {
    signals[name]?.forEach((value, at) => {
      guess[at] = (guess[at] ?? 0) + weight * value;
    });
  }
  return guess;
}
