// The figures of retrieval that need attention, and the remedy.
import type { RetrievalFigures } from "./retrieval-figures.ts";

export interface RetrievalAlert {
  readonly name: "slow" | "cache" | "score" | "cost";
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
/**
 * A mean similarity of .6 belongs to an embedder whose relevant distance is .3. For other embedders the limit is 4/3 of
 * their relevant distance; the keyless embedder's .75 has no limit.
 */
const SCORE_PART = 4 / 3;

const FIXES: Readonly<Record<RetrievalAlert["name"], string>> = {
  slow: "`kodiai explain` shows where the time goes; most often it is the embedder, which knowledge.retrieval.method: keyword does without",
  cache:
    "expected while most reviews are of new pull requests; otherwise keep KODIAI_DATA_DIR between starts and do not change the embedding model",
  score:
    "index documents and code (`kodiai index`), import history (`kodiai memory import`), or lower knowledge.retrieval.distanceThreshold",
  cost: "choose a cheaper embedding model, or turn reranking off",
};

/** The alerts of a window, none below 20 retrievals. */
export function retrievalAlerts(figures: RetrievalFigures): readonly RetrievalAlert[] {
  const { count, ms, embedding, averageScore, usdPerRetrieval } = figures;
  const limit = scoreLimit(figures.calibrated);
  const alerts = [
    ms.p95 > SLOW_MS
      ? alert("slow", ms.p95, SLOW_MS, count, `P95 is ${Math.round(ms.p95)} ms, over ${SLOW_MS} ms`)
      : null,
    embedding.paid >= ALERT_FROM && embedding.hitShare < CACHE_SHARE
      ? alert(
          "cache",
          embedding.hitShare,
          CACHE_SHARE,
          embedding.paid,
          `${percent(embedding.hitShare)} of the queries came from the embedding cache, under ${percent(CACHE_SHARE)}`,
        )
      : null,
    figures.averageDistance > 0 && averageScore < limit
      ? alert(
          "score",
          averageScore,
          limit,
          count,
          `the average score is ${averageScore.toFixed(2)}, under ${limit.toFixed(2)}`,
        )
      : null,
    usdPerRetrieval > USD
      ? alert("cost", usdPerRetrieval, USD, count, `a retrieval costs $${usdPerRetrieval.toFixed(4)}, over $${USD}`)
      : null,
  ];
  return count < ALERT_FROM ? [] : alerts.filter((one) => one !== null);
}

/** The average similarity below which searches find little, from the embedder's relevant cosine distance. */
export function scoreLimit(calibrated: number): number {
  return 1 - SCORE_PART * calibrated;
}

function alert(name: RetrievalAlert["name"], value: number, limit: number, n: number, text: string): RetrievalAlert {
  return { name, value, limit, n, text: `${text} (n = ${n})`, fix: FIXES[name] };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
