// Figures of the work for the dashboard, from the queue's file. Plain SQL: only columns are counted, and JSON is read by us.
import type { LoggedRetrieval } from "../../domain/logged-retrieval.ts";
import type { RepoKey } from "../../domain/memory.ts";
import type { Review } from "../../domain/review.ts";
import type { DayCount, DaySpending, KeptReview, WorkFigures } from "../../ports/dashboard.ts";
import type { Database } from "./database.ts";

const DAY_MS = 86_400_000;

interface ReviewRow extends Omit<KeptReview, "review"> {
  readonly review: string;
}

const REVIEW = "SELECT key, review, written_at AS writtenAt, settled_at AS settledAt, outcome FROM reviews";
/** A key of a pull request begins with its repository's. Neither hosts nor numbers hold what LIKE reads as a sign. */
const OF_REPOSITORY = "(@of IS NULL OR key LIKE @of || '#%')";

/** Over an open queue database (see QUEUE_MIGRATIONS). */
export function sqliteWorkFigures(db: Database.Database): WorkFigures {
  return {
    reviews: async (of, slice) => ({
      total: db.prepare(`SELECT count(*) FROM reviews WHERE ${OF_REPOSITORY}`).pluck().get({ of }) as number,
      reviews: (
        db
          .prepare(`${REVIEW} WHERE ${OF_REPOSITORY} ORDER BY written_at DESC, key LIMIT @most OFFSET @skip`)
          .all({ of, ...slice }) as ReviewRow[]
      ).map(kept),
    }),
    review: async (key, headSha) => {
      const row = db
        .prepare(`${REVIEW} WHERE key = ? AND head_sha = ? ORDER BY written_at DESC LIMIT 1`)
        .get(key, headSha) as ReviewRow | undefined;
      return row === undefined ? null : kept(row);
    },
    reviewDays: async (of, since) =>
      db
        .prepare(
          `SELECT written_at / ${DAY_MS} * ${DAY_MS} AS day, coalesce(outcome, 'not settled') AS name, count(*) AS count
           FROM reviews WHERE written_at >= @since AND ${OF_REPOSITORY} GROUP BY 1, 2 ORDER BY 1, 2`,
        )
        .all({ of, since }) as DayCount[],
    reviewed: async () => reviewedRepositories(db),
    retrievalBefore: async (repo, pull, at) => retrievalBefore(db, repo, pull, at),
    searchTimes: async (of, since, most) =>
      (
        db
          .prepare(
            `SELECT created_at AS at, retrieval_ms AS ms FROM retrievals
             WHERE searched = 1 AND created_at >= @since AND (@of IS NULL OR repo = @of)
             ORDER BY created_at DESC LIMIT @most`,
          )
          .all({ of, since, most }) as { at: number; ms: number }[]
      ).reverse(),
    spendingDays: async (of, since) =>
      db
        .prepare(
          `SELECT at / ${DAY_MS} * ${DAY_MS} AS day, purpose, count(*) AS questions, sum(input_tokens) AS inputTokens,
             sum(output_tokens) AS outputTokens, coalesce(sum(usd), 0) AS usd
           FROM spending WHERE at >= @since AND (@of IS NULL OR repo = @of) GROUP BY 1, 2 ORDER BY 1, 2`,
        )
        .all({ of, since }) as DaySpending[],
    jobCounts: async () =>
      db
        .prepare("SELECT lane, state, count(*) AS count FROM jobs GROUP BY lane, state ORDER BY lane, state")
        .all() as Awaited<ReturnType<WorkFigures["jobCounts"]>>,
  };
}

/** A review of an older version knew of no pushes. */
function kept({ review, ...row }: ReviewRow): KeptReview {
  const before = { fingerprint: "", scope: { kind: "full", reason: null }, said: [], addressed: [] };
  return { ...row, review: { ...before, ...(JSON.parse(review) as Review) } };
}

function reviewedRepositories(db: Database.Database): Awaited<ReturnType<WorkFigures["reviewed"]>> {
  return db
    .prepare(
      `SELECT substr(key, 1, instr(key, '#') - 1) AS repo, count(*) AS reviews,
         sum(CASE WHEN outcome = 'posted' THEN 1 ELSE 0 END) AS posted, max(written_at) AS lastAt
       FROM reviews GROUP BY 1 ORDER BY 1`,
    )
    .all() as Awaited<ReturnType<WorkFigures["reviewed"]>>;
}

type RetrievalRow = Readonly<Record<string, string | number | null>>;

function retrievalBefore(db: Database.Database, repo: RepoKey, pull: number, at: number): LoggedRetrieval | null {
  const row = db
    .prepare(
      `SELECT * FROM retrievals WHERE repo = ? AND pull = ? AND created_at <= ? AND origin IN ('review', 'command-line')
       ORDER BY created_at DESC LIMIT 1`,
    )
    .get(repo, pull, at) as RetrievalRow | undefined;
  return row === undefined ? null : loggedOf(row);
}

function loggedOf(row: RetrievalRow): LoggedRetrieval {
  const list = (name: string) => JSON.parse(String(row[name]));
  return {
    ...{ id: row.id, repo: row.repo, repoName: row.repo_name, pull: row.pull, origin: row.origin, query: row.query },
    ...{ method: row.method, searched: row.searched === 1, retrievalMs: row.retrieval_ms, rerankMs: row.rerank_ms },
    ...{ totalScanned: row.scanned, candidates: row.candidates, tokens: row.tokens, usd: row.usd, topK: row.top_k },
    ...{ threshold: row.threshold, calibrated: row.calibrated, createdAt: row.created_at },
    ...{ averageDistance: row.average_distance, languageMatch: row.language_match },
    ids: list("ids"),
    scores: list("scores"),
    distances: list("distances"),
    rerankScores: list("rerank_scores"),
    degraded: list("degraded"),
    rerank: row.rerank === null ? null : list("rerank"),
    embedding: {
      texts: row.embedded_texts,
      cached: row.embedded_cached,
      tokens: row.embedding_tokens,
      usd: row.embedding_usd,
    },
    gate: {
      retrieve: row.gate_retrieve === 1,
      decidedBy: row.gate_by,
      confidence: row.gate_confidence,
      shadow: row.shadow === 1,
      shadowHits: row.shadow_hits,
    },
  } as LoggedRetrieval;
}
