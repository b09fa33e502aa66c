// The learned scoring: a dozen readable weights over signals of change and memory, fitted and
// cross-validated by repository (eval/fit-fusion.ts). Beats the fixed fusion of ranks on the
// development data with an interval that excludes zero.

import type { MemoryRecord } from "../../domain/memory.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { ScoreTerm } from "../../domain/retrieval.ts";
import { BACKGROUND } from "../../domain/text/word-rarity.ts";
import { pathsOf } from "./factors.ts";
import { featureSignals, type Signals } from "./features.ts";
import type { FusedHit, RetrieverWeights } from "./fusion.ts";
import table from "./fusion-table.json" with { type: "json" };
import { type Change, type PreparedChange, prepareChange, prepareMemory } from "./prepare-documents.ts";
import { type Lexicon, lexicon } from "./term-ids.ts";

/**
 * For a change and memories of which some have a path; for memories that are text only; for a
 * question without a change.
 */
const COMMENTS = table.memory as FusionTable;
const BARE_TEXT = table.text as FusionTable;
const QUESTION = table.question as FusionTable;
const SIGNALS = new Map(
  [COMMENTS, BARE_TEXT, QUESTION].map((one) => [one, new Set(one.weights.map(({ signal }) => signal))]),
);

export interface AskedChange {
  readonly words: Lexicon;
  readonly change: PreparedChange;
}

/** Needs no records, so it runs while they are read. */
export function askedChange(context: PullRequestContext): AskedChange {
  const words = lexicon();
  return { words, change: prepareChange(changeOf(context), words) };
}

/** What text, place and vector say about a candidate. */
export interface Learned {
  readonly terms: readonly ScoreTerm[];
  /**
   * That it is to the point, by text and place alone, 0–1: comparable between changes and stores.
   */
  readonly probability: number;
}

/**
 * The evidence for each candidate.
 *
 * @param weights of meaning and words
 * @param embedderThreshold the cosine distance at which the embedder calls two texts similar; null
 * ignores distances
 * @returns one per candidate, in their order
 */
export function learnedEvidence(
  candidates: readonly (Pick<FusedHit, "distance"> & { readonly record: MemoryRecord })[],
  { words, change }: AskedChange,
  { weights, embedderThreshold }: { readonly weights: RetrieverWeights; readonly embedderThreshold: number | null },
): readonly Learned[] {
  const memories = candidates.map(({ record }) => prepareMemory(asComment(record), words));
  const weighed =
    change.paths.length === 0 ? QUESTION : memories.some(({ path }) => path !== "") ? COMMENTS : BARE_TEXT;
  const signals = featureSignals(change, memories, BACKGROUND, words, SIGNALS.get(weighed) ?? null);
  const similarity = similarityOf(candidates, embedderThreshold);
  return fuseLearned({ ...signals, similarity }, memories.length, weighed, weights);
}

/** @param calibration ascending by score, not empty */
function probabilityOf(score: number, calibration: FusionTable["calibration"]): number {
  return (calibration.findLast(({ from }) => score >= from) ?? calibration[0])?.probability ?? 0;
}

/**
 * The similarity of each vector, in units that are comparable between embedders: 1 for equal texts,
 * ½ at the distance at which it calls two texts similar, 0 from twice that on and without a vector.
 */
function similarityOf(
  candidates: readonly Pick<FusedHit, "distance">[],
  embedderThreshold: number | null,
): Float64Array {
  return Float64Array.from(candidates, ({ distance }) =>
    distance === null || embedderThreshold === null ? 0 : Math.max(0, 1 - distance / (2 * embedderThreshold)),
  );
}

function asComment({ id, provenance, path, text, hunk }: MemoryRecord) {
  return { id, pr: provenance.pull ?? 0, path: path ?? "", text, hunk: hunk ?? "" };
}

function changeOf({ pull, files }: PullRequestContext): Change {
  return {
    title: pull.title,
    body: pull.body ?? "",
    paths: pathsOf(files),
    hunks: files.flatMap(({ hunks }) => hunks),
  };
}

// Combines signals into one score by a small table of weights, fitted by eval/fit-fusion.ts.

export interface FusionWeight {
  readonly signal: string;
  /** The score term that it adds to; the strategy and the embedder weigh `words` and `meaning`. */
  readonly kind: EvidenceKind;
  /**
   * `within`: deviation from the mean of this change's candidates, in standard deviations; `as-is`:
   * shares and yes-no signals, which are comparable between changes.
   */
  readonly scale: "within" | "as-is";
  /** Of the signal over the development data; 0 and 1 for `as-is`. */
  readonly mean: number;
  readonly deviation: number;
  readonly weight: number;
}

export interface FusionTable {
  readonly weights: readonly FusionWeight[];
  /** Measured share of labelled memories from this score to the next; ascending in both. */
  readonly calibration: readonly { readonly from: number; readonly probability: number }[];
}

type EvidenceKind = "words" | "place" | "meaning";

/**
 * Weighted sums of scaled signals, in units of log-odds between candidates of one change: they
 * order, and cannot be compared across changes. Probabilities can.
 *
 * @returns one sum per kind for each candidate, in the signals' order; an absent signal counts
 * nothing. The probability is the same for all strategies, embedders and other candidates
 */
export function fuseLearned(
  signals: Signals,
  size: number,
  { weights: table, calibration }: FusionTable,
  { keyword, vector }: RetrieverWeights,
): readonly Learned[] {
  const counts: Readonly<Record<EvidenceKind, number>> = { words: keyword, place: 1, meaning: vector };
  const evidence = new Float64Array(size);
  const sums = [...Map.groupBy(table, ({ kind }) => kind)].map(([kind, weights]) => {
    const sum = new Float64Array(size);
    for (const { signal, weight, ...scaling } of weights) {
      const values = signals[signal];
      if (values === undefined) continue;
      scaled(values, scaling).forEach((value, at) => {
        sum[at] = (sum[at] ?? 0) + counts[kind] * weight * value;
      });
      if (kind === "meaning") continue;
      standardised(values, scaling).forEach((value, at) => {
        evidence[at] = (evidence[at] ?? 0) + weight * value;
      });
    }
    return { kind, sum };
  });
  return Array.from({ length: size }, (_, at) => ({
    terms: sums.map(({ kind, sum }) => ({ name: kind, value: sum[at] ?? 0 })),
    probability: probabilityOf(evidence[at] ?? 0, calibration),
  }));
}

/** A signal by mean and deviation over the development data: independent of other candidates. */
export function standardised(
  values: Float64Array,
  { mean, deviation }: Pick<FusionWeight, "mean" | "deviation">,
): Float64Array {
  return values.map((value) => (value - mean) / deviation);
}

/** A signal scaled for the weights. A signal that is the same for all candidates is 0 `within`. */
export function scaled(values: Float64Array, { scale }: Pick<FusionWeight, "scale">): Float64Array {
  if (scale === "as-is") return values;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const deviation = Math.sqrt(variance) + 1e-6;
  return values.map((value) => (value - mean) / deviation);
}
