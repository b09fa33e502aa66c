// The learned scoring: a dozen readable weights over signals of change and memory, fitted and cross-validated by
// repository (eval/fit-fusion.ts). Beats the fixed fusion of ranks on the development data with an interval that
// excludes zero.

import type { MemoryRecord } from "../../domain/memory.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { ScoreTerm } from "../../domain/retrieval.ts";
import { BACKGROUND } from "../../domain/text/word-rarity.ts";
import { eachOf, type Steps } from "./cooperative-steps.ts";
import { type Signals, signalSteps } from "./features.ts";
import type { FusedHit, RetrieverWeights } from "./fusion.ts";
import table from "./fusion-table.json" with { type: "json" };
import { type Change, type PreparedChange, prepareChange, prepareMemory } from "./prepare-documents.ts";
import { type Lexicon, lexicon } from "./term-ids.ts";

/**
 * For a change and memories of which some have a path; for memories that are text only; for a question without a
 * change.
 */
const COMMENTS = table.memory.weights as readonly FusionWeight[];
const BARE_TEXT = table.text.weights as readonly FusionWeight[];
const QUESTION = table.question.weights as readonly FusionWeight[];
const SIGNALS = new Map(
  [COMMENTS, BARE_TEXT, QUESTION].map((weights) => [weights, new Set(weights.map(({ signal }) => signal))]),
);

/** Memories prepared in one step, each split into words: half a millisecond for uncached ones. */
const PIECE = 25;

/** A change in the words of one search. */
export interface AskedChange {
  readonly words: Lexicon;
  readonly change: PreparedChange;
}

/** Needs no records, so it runs while they are read. */
export function askedChange(context: PullRequestContext): AskedChange {
  const words = lexicon();
  return { words, change: prepareChange(changeOf(context), words) };
}

/**
 * The score terms of text, place and vector for each candidate, in steps.
 *
 * @param weights of meaning and words
 * @param alike the cosine distance at which the embedder calls two texts similar; null ignores distances
 * @returns one list per candidate, in their order
 */
export function* learnedSteps(
  candidates: readonly (Pick<FusedHit, "distance"> & { readonly record: MemoryRecord })[],
  { words, change }: AskedChange,
  { weights, alike }: { readonly weights: RetrieverWeights; readonly alike: number | null },
): Steps<readonly (readonly ScoreTerm[])[]> {
  const memories = yield* eachOf(candidates, PIECE, ({ record }) => prepareMemory(asComment(record), words));
  yield;
  const weighed =
    change.paths.length === 0 ? QUESTION : memories.some(({ path }) => path !== "") ? COMMENTS : BARE_TEXT;
  const signals = yield* signalSteps(change, memories, BACKGROUND, words, SIGNALS.get(weighed) ?? null);
  const nearness = nearnessOf(candidates, alike);
  return fuseLearned({ ...signals, nearness }, memories.length, weighed, weights);
}

/**
 * The nearness of each vector, in units that are comparable between embedders: 1 for equal texts, ½ at the distance at
 * which it calls two texts similar, 0 from twice that on and without a vector.
 */
function nearnessOf(candidates: readonly Pick<FusedHit, "distance">[], alike: number | null): Float64Array {
  return Float64Array.from(candidates, ({ distance }) =>
    distance === null || alike === null ? 0 : Math.max(0, 1 - distance / (2 * alike)),
  );
}

function asComment({ id, provenance, path, text, hunk }: MemoryRecord) {
  return { id, pr: provenance.pull ?? 0, path: path ?? "", text, hunk: hunk ?? "" };
}

function changeOf({ pull, files }: PullRequestContext): Change {
  return {
    title: pull.title,
    body: pull.body ?? "",
    paths: files.map(({ path }) => path),
    hunks: files.flatMap(({ hunks }) => hunks),
  };
}

// Combines signals into one score by a small table of weights, fitted by eval/fit-fusion.ts.

export interface FusionWeight {
  readonly signal: string;
  /** The score term that it adds to; the strategy and the embedder weigh `words` and `meaning`. */
  readonly kind: EvidenceKind;
  /**
   * `within`: deviation from the mean of this change's candidates, in standard deviations; `as-is`: shares and yes-no
   * signals, which are comparable between changes.
   */
  readonly scale: "within" | "as-is";
  readonly weight: number;
}

type EvidenceKind = "words" | "place" | "meaning";

/**
 * Weighted sums of scaled signals, in units of log-odds between candidates of one change: they order, and cannot be
 * compared across changes.
 *
 * @returns one sum per kind for each candidate, in the signals' order; an absent signal counts nothing
 */
export function fuseLearned(
  signals: Signals,
  size: number,
  table: readonly FusionWeight[],
  { keyword, vector }: RetrieverWeights,
): readonly (readonly ScoreTerm[])[] {
  const counts: Readonly<Record<EvidenceKind, number>> = { words: keyword, place: 1, meaning: vector };
  const sums = [...Map.groupBy(table, ({ kind }) => kind)].map(([kind, weights]) => {
    const sum = new Float64Array(size);
    for (const { signal, scale, weight } of weights) {
      const values = signals[signal];
      if (values === undefined) continue;
      scaled(values, scale).forEach((value, at) => {
        sum[at] = (sum[at] ?? 0) + counts[kind] * weight * value;
      });
    }
    return { kind, sum };
  });
  return Array.from({ length: size }, (_, at) => sums.map(({ kind, sum }) => ({ name: kind, value: sum[at] ?? 0 })));
}

/** A signal scaled for the weights. A signal that is the same for all candidates is 0 `within`. */
export function scaled(values: Float64Array, scale: FusionWeight["scale"]): Float64Array {
  if (scale === "as-is") return values;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const deviation = Math.sqrt(variance) + 1e-6;
  return values.map((value) => (value - mean) / deviation);
}
