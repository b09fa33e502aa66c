// Signals to one score by a small table of weights, fitted by eval/fit-fusion.ts.
import type { Signals } from "./features.ts";

export interface FusionWeight {
  readonly signal: string;
  /**
   * `within`: distance from the mean of this change's candidates, in standard deviations; `as-is`: shares and yes-no
   * signals, whose size means the same for every change.
   */
  readonly scale: "within" | "as-is";
  readonly weight: number;
}

/**
 * Weighted sum of scaled signals, in units of log-odds between candidates of one change: the scores order, and mean
 * nothing across changes.
 *
 * @returns one score per candidate, in the signals' order; a signal that is absent counts nothing
 */
export function fuseLearned(signals: Signals, size: number, weights: readonly FusionWeight[]): Float64Array {
  const scores = new Float64Array(size);
  for (const { signal, scale, weight } of weights) {
    const values = signals[signal];
    if (values === undefined) continue;
    scaled(values, scale).forEach((value, at) => {
      scores[at] = (scores[at] ?? 0) + weight * value;
    });
  }
  return scores;
}

/** A signal as the weights see it. A signal that is the same for all candidates is 0 `within`. */
export function scaled(values: Float64Array, scale: FusionWeight["scale"]): Float64Array {
  if (scale === "as-is") return values;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const deviation = Math.sqrt(variance) + 1e-6;
  return values.map((value) => (value - mean) / deviation);
}
