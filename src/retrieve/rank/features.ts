// What speaks for a remembered comment when a change is under review: one column of figures per signal. No weights here.

import { relatedLanguages } from "../../domain/language.ts";
import { bagOf, KEYWORDS } from "../../domain/text/bm25.ts";
import type { Background } from "../../domain/text/word-rarity.ts";
import { atOnce, eachOf, type Steps } from "./cooperative-steps.ts";
import { LANGUAGE_BOOST } from "./language.ts";
import { extensionOf, type PreparedChange, type PreparedMemory, type Window, type Words } from "./prepare-documents.ts";
import type { Lexicon } from "./term-ids.ts";
import {
  type Bm25Index,
  bagsOf,
  buildIndex,
  buildSpace,
  everywhereWeights,
  mixedWeights,
  nearness,
  scoreAll,
  type VectorSpace,
  type Vectors,
  vectorsOf,
  type Weights,
} from "./term-vectors.ts";

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

// Issues that recur have been said before, in other words, on other pull requests: how much company a comment has.

/** Keeps the logarithm finite for a comment that stands alone: about the weight of one distant neighbour. */
const ALONE_RELEVANT = 0.002;
const ALONE = 0.01;
/** Comments of one step. */
const PIECE = 150;

interface Density {
  /** ln of the summed squared nearness to comments of other pull requests, in the same language. */
  readonly recurrence: Float64Array;
  /** The same over all languages, each neighbour counting by how well it fits the change. */
  readonly echo: Float64Array;
}

/**
 * @param weights rarity over many repositories, so that a comment's vector never changes with its company
 * @param relevance one first guess per memory, in units of log-odds; only differences count
 */
function* densityOf(memories: readonly PreparedMemory[], weights: Weights, relevance: Float64Array): Steps<Density> {
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

// Where a remembered comment stood, and where the change stands: file, folder, language.

/**
 * - sameFile: 1 when the change touches the comment's file
 * - pathPrefix: shared leading folders of the nearest changed file, as a share of the longer path, 0–1
 * - sameLanguage: 1 when the change touches the comment's language, half of that for a related one (C and C++)
 * - languageShare: root of the language's share of changed lines, or half that root for a related language, 0–1
 * - languageCrowd: share of the memories that have the comment's language, 0–1
 */
function placeSignals(change: PreparedChange, memories: readonly PreparedMemory[]) {
  const paths = new Set(change.files.map((file) => file.path));
  const folders = [...new Set(change.files.map((file) => file.path))].map((path) => path.split("/"));
  const shares = languageShares(change);
  const near = relatedShares(shares);
  const { relatedRatio } = LANGUAGE_BOOST;
  const crowd = new Map<string, number>();
  for (const memory of memories) crowd.set(memory.language, (crowd.get(memory.language) ?? 0) + 1);
  const column = (figure: (memory: PreparedMemory) => number) => {
    const figures = new Float64Array(memories.length);
    for (const [at, memory] of memories.entries()) figures[at] = figure(memory);
    return figures;
  };
  return {
    sameFile: column((memory) => (paths.has(memory.path) ? 1 : 0)),
    pathPrefix: column((memory) => nearestPrefix(memory.path.split("/"), folders)),
    sameLanguage: column(({ language }) => (shares.has(language) ? 1 : near.has(language) ? relatedRatio : 0)),
    languageShare: column(({ language }) => {
      const share = shares.get(language);
      return share === undefined ? relatedRatio * Math.sqrt(near.get(language) ?? 0) : Math.sqrt(share);
    }),
    languageCrowd: column((memory) => (crowd.get(memory.language) ?? 0) / memories.length),
  };
}

/** Each language that is related to one of the change → the largest such share. */
function relatedShares(shares: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const near = new Map<string, number>();
  for (const [language, share] of shares) {
    for (const related of relatedLanguages(language)) near.set(related, Math.max(share, near.get(related) ?? 0));
  }
  return near;
}

/** language → share of changed lines; every file counts one line more, so that a rename counts too. */
function languageShares(change: PreparedChange): Map<string, number> {
  const lines = new Map<string, number>();
  let total = 0;
  for (const file of change.files) {
    const weight = file.additions + file.deletions + 1;
    total += weight;
    lines.set(file.language, (lines.get(file.language) ?? 0) + weight);
  }
  for (const [language, weight] of lines) lines.set(language, weight / total);
  return lines;
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
