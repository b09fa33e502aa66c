// Figures of the work, for the dashboard.
import { DAY_MS } from "../../adapters/retention.ts";
import type { RepoKey } from "../../domain/memory.ts";
import type { DayCount, DaySpending, KeptReview, WorkFigures } from "../../ports/dashboard.ts";
import type { StoreActivity } from "../../ports/store-activity.ts";
import type { LaneName } from "../../ports.ts";
import type { Database } from "../sql.ts";
import { oneValue, select, type Values, values } from "../statement.ts";
import { loggedRetrieval, type RetrievalRow } from "./retrievals.ts";
import { readReview } from "./reviews.ts";

const REVIEW = 'SELECT key, review, written_at AS "writtenAt", settled_at AS "settledAt", outcome FROM reviews';

interface ReviewRow extends Omit<KeptReview, "review"> {
  readonly review: string;
}

function keptReview({ review, ...row }: ReviewRow): KeptReview {
  return { ...row, review: readReview(review) };
}

export function storedWorkFigures(db: Database): WorkFigures {
  return {
    reviews: (of, { skip, most }) =>
      db.snapshot(async (sql) => {
        const given = values();
        const where = inRepository(of, given.at);
        const total = await oneValue<number>(sql, `SELECT count(*) FROM reviews WHERE ${where}`, given.list);
        // The inner list reads an index alone: only the texts of this page are read.
        const page = await sql.all<ReviewRow>(
          `${REVIEW} WHERE written IN
             (SELECT written FROM reviews WHERE ${where} ORDER BY written_at DESC, key LIMIT ${given.at(most)} OFFSET ${given.at(skip)})
           ORDER BY written_at DESC, key`,
          given.list,
        );
        return { total: total ?? 0, reviews: page.map(keptReview) };
      }),
    async review(key, headSha) {
      const newest = `${REVIEW} WHERE key = $1 AND head_sha = $2 ORDER BY written DESC LIMIT 1`;
      const row = await db.one<ReviewRow>(newest, [key, headSha]);
      return row === null ? null : keptReview(row);
    },
    async authors(keys) {
      const rows = await db.all<{ key: string; review: string }>(
        `SELECT key, review FROM reviews WHERE written IN
           (SELECT max(written) FROM reviews WHERE ${db.dialect.among("key", "$1", "text")} GROUP BY key)`,
        [keys],
      );
      const authors = rows.map(({ key, review }) => [key, readReview(review).author] as const);
      return new Map(authors.flatMap(([key, author]) => (author === null ? [] : [[key, author] as const])));
    },
    reviewDays: (of, since) =>
      select<DayCount>(
        db,
        (at) => `SELECT written_at / ${DAY_MS} * ${DAY_MS} AS day, coalesce(outcome, 'not settled') AS name,
           count(*) AS count
         FROM reviews WHERE ${inRepository(of, at)} AND written_at >= ${at(since)} GROUP BY 1, 2 ORDER BY 1, 2`,
      ),
    async reviewed() {
      const rows = await db.all<{ key: string; posted: number; lastAt: number; reviews: number }>(
        `SELECT key, count(*) AS reviews, count(*) FILTER (WHERE outcome = 'posted') AS posted, max(written_at) AS "lastAt"
         FROM reviews GROUP BY key ORDER BY key`,
      );
      return [...Map.groupBy(rows, ({ key }) => key.slice(0, key.indexOf("#")))].map(([repo, all]) => ({
        repo,
        reviews: all.reduce((sum, { reviews }) => sum + reviews, 0),
        posted: all.reduce((sum, { posted }) => sum + posted, 0),
        lastAt: Math.max(...all.map(({ lastAt }) => lastAt)),
      }));
    },
    async retrievalBefore(repo, pull, at) {
      const row = await db.one<RetrievalRow>(
        `SELECT query, entry FROM retrievals WHERE repo = $1 AND pull = $2 AND created_at <= $3 AND origin IN ('review', 'command-line')
         ORDER BY created_at DESC LIMIT 1`,
        [repo, pull, at],
      );
      return row === null ? null : loggedRetrieval(row);
    },
    async reviewTimes(of, since, most) {
      const rows = await select<{ readonly ms: number }>(
        db,
        (at) => `SELECT finished_at - created_at AS ms FROM jobs
         WHERE lane = 'review' AND state = 'done' AND outcome LIKE 'posted%' AND created_at >= ${at(since)} AND ${ofRepository(of, at)}
         ORDER BY created_at DESC LIMIT ${at(most)}`,
      );
      return rows.map(({ ms }) => ms);
    },
    spendingDays: (of, since) =>
      select<DaySpending>(
        db,
        (at) => `SELECT at / ${DAY_MS} * ${DAY_MS} AS day, purpose, count(*) AS questions,
           CAST(sum(input_tokens) AS bigint) AS "inputTokens", CAST(sum(output_tokens) AS bigint) AS "outputTokens",
           coalesce(sum(usd), 0) AS usd
         FROM spending WHERE at >= ${at(since)} AND ${ofRepository(of, at)} GROUP BY 1, 2 ORDER BY 1, 2`,
      ),
    jobCounts: () =>
      db.all("SELECT lane, state, count(*) AS count FROM jobs GROUP BY lane, state ORDER BY lane, state"),
  };
}

function ofRepository(of: RepoKey | null, at: Values["at"]): string {
  return of === null ? "1 = 1" : `repo = ${at(of)}`;
}

/** Over `key`, which begins with the repository's key and `#`; `$` is the character after `#`. */
function inRepository(of: RepoKey | null, at: Values["at"]): string {
  return of === null ? "1 = 1" : `key >= ${at(`${of}#`)} AND key < ${at(`${of}$`)}`;
}

const POSTED = "SELECT max(settled_at) AS at FROM reviews WHERE outcome = 'posted'";
const LAST_USED = `SELECT max(at) AS at FROM (
  SELECT max(received_at) AS at FROM deliveries
  UNION ALL SELECT max(written_at) FROM reviews
  UNION ALL SELECT max(at) FROM spending
  UNION ALL SELECT at FROM moments WHERE name IN ('tidied', 'restored')) AS signs`;

/**
 * Installations whose last review was refused with 401 or 403. One of a closed pull request read
 * nothing that could have been refused.
 */
const REFUSED = `SELECT count(*) AS n FROM (
  SELECT installation_id AS id, max(finished_at) AS at FROM jobs
  WHERE lane = 'review' AND state = 'parked' AND (outcome LIKE 'refused:%' OR outcome LIKE 'unauthorised:%')
  GROUP BY installation_id) AS refused
  WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE lane = 'review' AND state = 'done' AND installation_id = refused.id
    AND finished_at > refused.at AND outcome <> 'skipped: the pull request is closed')`;

export function storedSigns(db: Database): StoreActivity {
  return {
    async progress(now) {
      const oldest = await db.all<{ readonly lane: LaneName; readonly age: number }>(
        `SELECT lane, ${db.dialect.now} - min(created_at) AS age FROM jobs WHERE state = 'waiting' GROUP BY lane`,
      );
      const posted = await oneValue<number>(db, POSTED);
      const ages = Object.fromEntries(oldest.map(({ lane, age }) => [lane, Math.max(0, age)]));
      return {
        oldestWaitingMs: { review: 0, command: 0, upkeep: 0, ...ages },
        sincePostedMs: posted === null ? null : Math.max(0, now - posted),
        refusedInstallations: (await oneValue<number>(db, REFUSED)) ?? 0,
      };
    },
    lastUsed: () => oneValue(db, LAST_USED),
  };
}
