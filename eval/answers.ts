// What one configuration answered to every query, and its figures: each with its interval, and held
// against another's.
import type { Interval } from "../src/domain/figures/bootstrap-interval.ts";
import { bootstrap, meanOf, mrr, ndcgAt, pairedBootstrap, precisionAt, recallAt } from "./metrics.ts";
import type { Gain, Row } from "./suite.ts";

/** One query's ranked list beside what should be in it. */
export interface Answer {
  readonly query: string;
  /** Best first. */
  readonly ids: readonly string[];
  /** Raw cosine distance of each id; null where only words found it. */
  readonly distances: readonly (number | null)[];
  readonly truth: ReadonlySet<string>;
  /** How much each id matters, for nDCG. */
  readonly grades: ReadonlyMap<string, number>;
  /** Wall time. */
  readonly ms: number;
}

/** A figure a query; the same queries in the same order for every figure. */
export type Figures = Readonly<Record<string, readonly number[]>>;

/** Of how many results the false-positive figures speak. */
const RETURNED = 10;

/**
 * The ranked metrics, hit rates, the share of the first ten that is no truth (`notTruth@10`) and,
 * of those of them that have a distance, the share beyond the threshold (`fpr`; left out when no
 * result of any query has a distance).
 */
export function figuresOf(answers: readonly Answer[], threshold: number): Figures {
  const of = (metric: (answer: Answer) => number) => answers.map(metric);
  const ranked = {
    mrr: of(({ ids, truth }) => mrr(ids, truth)),
    "recall@5": of(({ ids, truth }) => recallAt(5, ids, truth)),
    "recall@10": of(({ ids, truth }) => recallAt(10, ids, truth)),
    "recall@20": of(({ ids, truth }) => recallAt(20, ids, truth)),
    "precision@5": of(({ ids, truth }) => precisionAt(5, ids, truth)),
    "ndcg@10": of(({ ids, grades }) => ndcgAt(10, ids, grades)),
    "hitRate@10": of(({ ids, truth }) => (recallAt(RETURNED, ids, truth) > 0 ? 1 : 0)),
    "notTruth@10": of(({ ids, truth }) => shareOf(ids.slice(0, RETURNED), (id) => !truth.has(id))),
  };
  const near = answers.map(({ distances }) => distances.slice(0, RETURNED).filter((distance) => distance !== null));
  if (near.every((list) => list.length === 0)) return ranked;
  return {
    ...ranked,
    fpr: near.map((list) => shareOf(list, (distance) => distance > threshold)),
    distance: near.map(meanOf),
  };
}

/** What a prompt would hold, which may be nothing at all. */
export function cutFigures(answers: readonly Answer[]): Figures {
  const of = (metric: (answer: Answer) => number) => answers.map(metric);
  const used = answers.filter(({ ids }) => ids.length > 0);
  return {
    hitRate: of(({ ids, truth }) => (ids.some((id) => truth.has(id)) ? 1 : 0)),
    abstention: of(({ ids }) => (ids.length === 0 ? 1 : 0)),
    used: of(({ ids }) => ids.length),
    precision: used.map(({ ids, truth }) => shareOf(ids, (id) => truth.has(id))),
  };
}

/** Means with their intervals; `p95Ms` beside them. */
export function rowOf(name: string, figures: Figures, answers: readonly Answer[]): Row {
  const intervals = Object.entries(figures).map(([metric, values]) => [metric, bootstrap(values)] as const);
  const ms = answers.map((answer) => answer.ms).sort((a, b) => a - b);
  return {
    name,
    n: answers.length,
    metrics: {
      ...Object.fromEntries(intervals.map(([metric, { mean }]) => [metric, mean])),
      p95Ms: ms[Math.min(ms.length - 1, Math.floor(ms.length * 0.95))] ?? 0,
    },
    ci: Object.fromEntries(intervals.map(([metric, { low, high }]) => [metric, [low, high] as const])),
  };
}

const COMPARED = ["mrr", "recall@5", "recall@10"] as const;

/**
 * Where a language model takes part, an answer of it is one of many: a spread needs as many
 * repeats.
 */
const REPEATS = 3;

/**
 * Several runs of one configuration over the same queries.
 *
 * @returns the mean of the runs for each query, and a sentence with the mean and the standard
 * deviation (n − 1) of the runs
 */
export function overRepeats(runs: readonly Figures[]): { readonly figures: Figures; readonly spread: string } {
  const [first = {}] = runs;
  const figures = Object.fromEntries(
    Object.entries(first).map(([metric, values]) => [
      metric,
      values.map((_, query) => meanOf(runs.map((run) => run[metric]?.[query] ?? 0))),
    ]),
  );
  if (runs.length < REPEATS) return { figures, spread: `${runs.length} of ${REPEATS} repeats: no deviation is known` };
  const shown = COMPARED.map((metric) => {
    const means = runs.map((run) => meanOf(run[metric] ?? []));
    const mean = meanOf(means);
    const sd = Math.sqrt(means.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (means.length - 1));
    return `${metric} ${mean.toFixed(3)} ± ${sd.toFixed(3)}`;
  });
  return { figures, spread: `${runs.length} repeats: ${shown.join(", ")}` };
}

/** Paired differences to another configuration over the same queries. */
export function gainOver(row: string, ours: Figures, theirs: Figures, metrics: readonly string[] = COMPARED): Gain {
  const gains = metrics.map((metric) => [metric, pairedBootstrap(ours[metric] ?? [], theirs[metric] ?? [])] as const);
  return { row, gain: Object.fromEntries(gains) };
}

/** `.124 [.073, .175]` */
export function intervalText({ mean, low, high }: Interval): string {
  return `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}

/** Lines that say which queries went well and which did not. */
export function bestAndWorst(answers: readonly Answer[], most = 5): string[] {
  const ordered = answers
    .map(({ query, ids, truth }) => ({ query, rank: ids.findIndex((id) => truth.has(id)) + 1, of: truth.size }))
    .sort((a, b) => (a.rank || Infinity) - (b.rank || Infinity) || (a.query < b.query ? -1 : 1));
  const say = ({ query, rank, of }: (typeof ordered)[number]) =>
    `${query}: ${rank === 0 ? "none found" : `first at ${rank}`} of ${of}`;
  const missed = ordered.filter(({ rank }) => rank === 0).length;
  return [
    `${missed} of ${answers.length} queries found nothing of their truth`,
    `best: ${ordered.slice(0, most).map(say).join("; ")}`,
    `worst: ${ordered.slice(-most).map(say).join("; ")}`,
  ];
}

function shareOf<T>(list: readonly T[], counts: (item: T) => boolean): number {
  return list.length === 0 ? 0 : list.filter(counts).length / list.length;
}
