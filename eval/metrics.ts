// Figures of a ranked list against the ids that matter, and how sure a difference between two
// systems is.
import { type Interval, randomFrom } from "../src/domain/figures/bootstrap-interval.ts";

/** 1 / rank of the first id that matters, 0 when none is in the list. */
export function mrr(ranked: readonly string[], truth: ReadonlySet<string>): number {
  const first = ranked.findIndex((id) => truth.has(id));
  return first < 0 ? 0 : 1 / (first + 1);
}

/**
 * Share of the truth that is among the first k, 0–1; 0 when there is no truth. A repeated id counts
 * once.
 */
export function recallAt(k: number, ranked: readonly string[], truth: ReadonlySet<string>): number {
  return truth.size === 0 ? 0 : hitsAt(k, ranked, truth) / truth.size;
}

/** Share of k places that hold what matters, 0–1: a list shorter than k is marked down. */
export function precisionAt(k: number, ranked: readonly string[], truth: ReadonlySet<string>): number {
  return k <= 0 ? 0 : hitsAt(k, ranked, truth) / k;
}

function hitsAt(k: number, ranked: readonly string[], truth: ReadonlySet<string>): number {
  return new Set(ranked.slice(0, Math.max(0, k)).filter((id) => truth.has(id))).size;
}

/**
 * Discounted gain of the first k over the best that these grades allow, 0–1. Gain is 2^grade − 1,
 * discount is log2(rank + 1); an id without a grade gains nothing.
 */
export function ndcgAt(k: number, ranked: readonly string[], grades: ReadonlyMap<string, number>): number {
  const gain = (grade: number, at: number) => (2 ** grade - 1) / Math.log2(at + 2);
  const seen = new Set<string>();
  const got = ranked.slice(0, Math.max(0, k)).reduce((sum, id, at) => {
    if (seen.has(id)) return sum;
    seen.add(id);
    return sum + gain(grades.get(id) ?? 0, at);
  }, 0);
  const ideal = [...grades.values()]
    .toSorted((a, b) => b - a)
    .slice(0, Math.max(0, k))
    .reduce((sum, grade, at) => sum + gain(grade, at), 0);
  return ideal === 0 ? 0 : got / ideal;
}

/** Of every interval that is not asked for with another. */
export const SEED = 1;

/**
 * Percentile bootstrap over items.
 *
 * @param values one figure per query; for two systems the differences of the same queries, which
 * makes it paired
 * @param seed the same seed gives the same interval
 * @returns mean and 95 % interval; all 0 when there are no values
 */
export function bootstrap(values: readonly number[], seed = SEED, rounds = 2_000): Interval {
  if (values.length === 0) return { mean: 0, low: 0, high: 0 };
  const random = randomFrom(seed);
  const means = Array.from({ length: rounds }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn += 1) sum += values[Math.floor(random() * values.length)] ?? 0;
    return sum / values.length;
  }).sort((a, b) => a - b);
  const at = (share: number) => means[Math.min(rounds - 1, Math.floor(share * rounds))] ?? 0;
  return { mean: meanOf(values), low: at(0.025), high: at(0.975) };
}

/** The interval of a − b over the same queries in the same order. */
export function pairedBootstrap(a: readonly number[], b: readonly number[], seed = SEED, rounds = 2_000): Interval {
  if (a.length !== b.length) throw new Error("a paired comparison needs the same queries on both sides");
  return bootstrap(
    a.map((value, at) => value - (b[at] ?? 0)),
    seed,
    rounds,
  );
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
