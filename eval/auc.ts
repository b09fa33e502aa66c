// How well a score separates two kinds, over items that give one or more of each and are drawn
// whole.
import { type Interval, randomFrom } from "../src/domain/figures/bootstrap-interval.ts";

export interface Scored {
  /** Which item it belongs to: a whole number from 0. */
  readonly item: number;
  readonly positive: boolean;
  readonly score: number;
}

/**
 * Probability that a positive scores higher than a negative, ties half (Mann and Whitney, 1947),
 * with its 95 % interval over items drawn whole; .5 when one kind is missing.
 */
export function aucOf(scored: readonly Scored[], seed = 1, rounds = 2_000): Interval {
  const ordered = scored.toSorted((a, b) => a.score - b.score);
  const items = Math.max(-1, ...scored.map(({ item }) => item)) + 1;
  const random = randomFrom(seed);
  const draws = Array.from({ length: items === 0 ? 1 : rounds }, () => {
    const drawn = new Uint16Array(items);
    for (let at = 0; at < items; at += 1) {
      const item = Math.floor(random() * items);
      drawn[item] = (drawn[item] ?? 0) + 1;
    }
    return weighed(ordered, ({ item }) => drawn[item] ?? 0);
  }).sort((a, b) => a - b);
  const at = (part: number) => draws[Math.min(draws.length - 1, Math.floor(part * draws.length))] ?? 0.5;
  return { mean: weighed(ordered, () => 1), low: at(0.025), high: at(0.975) };
}

/** @param ordered by score, ascending */
function weighed(ordered: readonly Scored[], weight: (scored: Scored) => number): number {
  let [below, wins, positives] = [0, 0, 0];
  for (let at = 0; at < ordered.length; ) {
    let [up, down] = [0, 0];
    const score = ordered[at]?.score;
    for (; at < ordered.length && ordered[at]?.score === score; at += 1) {
      const one = ordered[at];
      if (one === undefined) continue;
      if (one.positive) up += weight(one);
      else down += weight(one);
    }
    wins += up * (below + down / 2);
    below += down;
    positives += up;
  }
  return positives * below === 0 ? 0.5 : wins / (positives * below);
}
