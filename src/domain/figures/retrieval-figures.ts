// Aggregates many retrievals into figures: speed, quality, cost, and how often the gate was right.
import type { RepoKey } from "../memory.ts";
import { type LoggedRetrieval, sum } from "./logged-retrieval.ts";

export interface StatisticsWindow {
  /** Length of the window, up to now. */
  readonly ms: number;
  /** A key or OWNER/NAME (any case); null for all repositories. */
  readonly repo: RepoKey | null;
}

/** Shares are 0–1, times wall milliseconds; everything is 0 without retrievals. */
export type RetrievalFigures = ReturnType<typeof retrievalFigures>;

/**
 * @param entries in any order
 * @param topQueries most frequent first
 */
export function retrievalFigures(
  entries: readonly LoggedRetrieval[],
  topQueries: readonly { readonly query: string; readonly count: number }[],
) {
  const searches = entries.filter(({ searched }) => searched);
  // Results of a shadow search were discarded.
  const used = searches.filter(({ gate }) => !gate.shadow);
  const distances = used.flatMap(({ averageDistance }) => averageDistance ?? []);
  const byDistance = used.filter(({ admits }) => admits.distance);
  const times = searches.map(({ retrievalMs }) => retrievalMs).sort((a, b) => a - b);
  return {
    /** Searches of memory, including the shadow sample; a skip is not a search. */
    count: searches.length,
    ms: {
      p50: percentile(times, 0.5),
      p95: percentile(times, 0.95),
      p99: percentile(times, 0.99),
      average: mean(times),
    },
    byMethod: byMethod(searches),
    /** Memories that a search returned, on average. */
    averageResults: mean(used.map(({ ids }) => ids.length)),
    /**
     * Mean similarity (1 − distance, 0–1) of vector hits, first within a search, then over
     * searches.
     */
    averageScore: mean(distances.map((distance) => Math.min(1, Math.max(0, 1 - distance)))),
    /** Mean raw cosine distance, likewise. */
    averageDistance: mean(distances),
    /** Mean share of memories in a language of the change; a manual search has no change. */
    languageMatch: mean(
      used.flatMap(({ origin, languageMatch }) => (origin === "search" ? [] : (languageMatch ?? []))),
    ),
    /**
     * Searches in which a distance within the threshold admitted memories, and in which a
     * probability alone did.
     */
    byDistance: byDistance.length,
    byProbability: used.filter(({ admits }) => !admits.distance && (admits.probability ?? 0) > 0).length,
    /** Mean relevant distance of the embedders in searches by distance. */
    calibrated: mean(byDistance.map(({ calibrated }) => calibrated)),
    embedding: embeddingFigures(searches),
    rerank: rerankFigures(searches),
    usdPerRetrieval: mean(searches.map(({ usd }) => usd)),
    /** Without reranking, which costs more than all else together. */
    usdPerSearch: mean(searches.map(({ usd, rerank }) => usd - (rerank?.usd ?? 0))),
    gate: gateFigures(entries),
    topQueries,
    degraded: counted(entries.flatMap(({ degraded }) => degraded)).map(([part, count]) => ({ part, count })),
  };
}

/** Nearest rank; 0 for an empty list. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function byMethod(searches: readonly LoggedRetrieval[]) {
  const groups = Map.groupBy(searches, ({ origin, method }) => `${origin} ${method}`);
  return [...groups]
    .sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const [first] = group;
      if (first === undefined) return [];
      const averageMs = mean(group.map(({ retrievalMs }) => retrievalMs));
      return [{ origin: first.origin, method: first.method, count: group.length, averageMs }];
    });
}

function embeddingFigures(searches: readonly LoggedRetrieval[]) {
  const paid = searches.filter(({ embedding }) => embedding.tokens > 0 || embedding.usd > 0 || embedding.cached > 0);
  const total = (of: readonly LoggedRetrieval[], what: keyof LoggedRetrieval["embedding"]) =>
    sum(of.map(({ embedding }) => embedding[what]));
  return {
    texts: total(searches, "texts"),
    cached: total(searches, "cached"),
    /** Among texts whose embedding costs something: a free embedder has no cache. */
    hitShare: share(total(paid, "cached"), total(paid, "texts")),
    /** Searches with such texts. */
    paid: paid.length,
    tokens: total(searches, "tokens"),
    usd: total(searches, "usd"),
  };
}

function rerankFigures(searches: readonly LoggedRetrieval[]) {
  const all = searches.flatMap(({ rerank }) => rerank ?? []);
  const done = all.filter(({ failed }) => failed === null);
  return {
    count: all.length,
    failed: all.length - done.length,
    usd: sum(all.map(({ usd }) => usd)),
    averageMs: mean(all.map(({ ms }) => ms)),
    /**
     * Among successful ones: mean share of the first five that changed, and mean number of ranks
     * that a memory moved.
     */
    topChanged: mean(done.map(({ topChanged }) => topChanged)),
    meanMove: mean(done.map(({ meanMove }) => meanMove)),
  };
}

/** Decisions without certainty: by a model, or by default. */
const SLOW_PATH: ReadonlySet<string> = new Set(["model", "default"]);

/** Decisions of the gate in reviews and questions. */
export function gateFigures(entries: readonly LoggedRetrieval[]) {
  const decided = entries.filter(({ origin }) => origin !== "search");
  const skips = decided.filter(({ gate }) => !gate.retrieve);
  const unsearched = skips.filter(({ searched }) => !searched);
  const shadow = skips.filter(({ gate }) => gate.shadow);
  const hits = shadow.filter(({ gate }) => gate.shadowHits > 0).length;
  const by = (holds: (name: string) => boolean) =>
    share(decided.filter(({ gate }) => holds(gate.decidedBy)).length, decided.length);
  const times = decided.flatMap(({ gate }) => gate.ms ?? []).sort((a, b) => a - b);
  const used = decided.filter(({ gate, searched }) => searched && gate.retrieve);
  const tokensPerSkip = mean(used.map(({ promptTokens }) => promptTokens));
  return {
    decisions: decided.length,
    skips: skips.length,
    skipShare: share(skips.length, decided.length),
    /** Skips by rule, most first. */
    byRule: counted(skips.map(({ gate }) => gate.decidedBy)).map(([rule, count]) => ({ rule, count })),
    /** Share decided by a rule, the cache or the configuration, without a model or a guess. */
    fastPathShare: by((name) => !SLOW_PATH.has(name)),
    cachedShare: by((name) => name === "cache"),
    /** Wall time of the decisions, searches and skips. */
    ms: { p50: percentile(times, 0.5), p95: percentile(times, 0.95), average: mean(times) },
    /**
     * Skips that were searched for measurement, in how many memory would have been used, and the
     * share of the others.
     */
    shadow: { searched: shadow.length, hits },
    accuracy: shadow.length === 0 ? null : share(shadow.length - hits, shadow.length),
    /**
     * Tokens that the memories of a search take in a prompt, on average; and this for each skip.
     */
    tokensPerSkip,
    tokensSaved: Math.round(unsearched.length * tokensPerSkip),
  };
}

/** Most first, ties by name. */
function counted(names: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
}

function mean(values: readonly number[]): number {
  return share(sum(values), values.length);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

export interface RetrievalAlert {
  readonly name: "slow" | "cache" | "score" | "cost" | "rerank-cost";
  readonly value: number;
  readonly limit: number;
  /** Retrievals behind the figure. */
  readonly n: number;
  /** The problem, in figures. */
  readonly text: string;
  /** The remedy. */
  readonly fix: string;
}

/** Fewer retrievals prove nothing. */
export const ALERT_FROM = 20;

const SLOW_MS = 1_000;
const CACHE_SHARE = 0.5;
const USD = 0.001;
/** Of one reranking: three times what it takes at $1 and $5 for a million tokens. */
const RERANK_USD = 0.02;
/**
 * A mean similarity of .6 belongs to an embedder whose relevant distance is .3. For other embedders
 * the limit is 4/3 of their relevant distance; the keyless embedder's .75 has no limit.
 */
const SCORE_PART = 4 / 3;

const FIXES: Readonly<Record<RetrievalAlert["name"], string>> = {
  slow: "`kodiai explain` shows where the time goes; most often it is the embedder, which knowledge.retrieval.method: keyword does without",
  cache:
    "expected while most reviews are of new pull requests; otherwise keep KODIAI_DATA_DIR between starts and do not change the embedding model",
  score:
    "index documents (`kodiai index`), import history (`kodiai memory import`), or lower knowledge.retrieval.distanceThreshold",
  cost: "choose a cheaper embedding model, or turn modelQueries and hypothetical off",
  "rerank-cost": "choose a cheaper small model or reranker, or set knowledge.retrieval.rerank: off",
};

/** The alerts of a window, none below 20 retrievals. */
export function retrievalAlerts(figures: RetrievalFigures): readonly RetrievalAlert[] {
  const { count, ms, embedding, averageScore, usdPerSearch, rerank } = figures;
  if (count < ALERT_FROM) return [];
  const alerts: RetrievalAlert[] = [];
  const add = (name: RetrievalAlert["name"], value: number, limit: number, text: string, n = count) =>
    alerts.push({ name, value, limit, n, text: `${text} (n = ${n})`, fix: FIXES[name] });
  if (ms.p95 > SLOW_MS) add("slow", ms.p95, SLOW_MS, `P95 is ${Math.round(ms.p95)} ms, over ${SLOW_MS} ms`);
  if (embedding.paid >= ALERT_FROM && embedding.hitShare < CACHE_SHARE) {
    const hits = `${percent(embedding.hitShare)} of the queries came from the embedding cache`;
    add("cache", embedding.hitShare, CACHE_SHARE, `${hits}, under ${percent(CACHE_SHARE)}`, embedding.paid);
  }
  const limit = scoreLimit(figures.calibrated);
  if (figures.byDistance > 0 && figures.byProbability === 0 && figures.averageDistance > 0 && averageScore < limit)
    add("score", averageScore, limit, `the average score is ${averageScore.toFixed(2)}, under ${limit.toFixed(2)}`);
  const rerankUsd = share(rerank.usd, rerank.count);
  if (usdPerSearch > USD)
    add("cost", usdPerSearch, USD, `a retrieval without reranking costs $${usdPerSearch.toFixed(4)}, over $${USD}`);
  if (rerankUsd > RERANK_USD)
    add(
      "rerank-cost",
      rerankUsd,
      RERANK_USD,
      `reranking costs $${rerankUsd.toFixed(4)}, over $${RERANK_USD}`,
      rerank.count,
    );
  return alerts;
}

/**
 * The average similarity below which searches find little, from the embedder's relevant cosine
 * distance.
 */
export function scoreLimit(calibrated: number): number {
  return 1 - SCORE_PART * calibrated;
}

/** A share of 0–1 as `87 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
