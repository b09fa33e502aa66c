// Written reviews beside the queue: what was written is never written (or paid for) twice.
import type { Review } from "../../domain/review.ts";
import type { ReviewRecords } from "../../ports/talk.ts";
import type { Held, Ledger } from "../../ports.ts";
import { failPoint } from "../fail-point.ts";
import { cameOn, fenced } from "./hold.ts";
import type { Postgres, Sql } from "./sql.ts";

/** An overtaken review or two may lie between this one and the last that was posted. */
const MOST_EARLIER = 8;
/** Reviews of a pull request that are looked through for a finding. */
const MOST_SEARCHED = 5;

/**
 * The ledger over an open database (see BOOK_PART). Throws `Transient` when it cannot be asked; what writes throws LeaseLost once
 * the job is not held any more.
 *
 * @param held the job that writes; null where none stands behind it
 */
export function postgresLedger(db: Postgres, held: Held | null = null): Ledger & ReviewRecords {
  const commit = (work: (sql: Sql) => Promise<unknown>) =>
    fenced(db, held, async (sql) => {
      await work(sql);
      await cameOn(sql, held);
    });
  return {
    async unsent(job) {
      const row = await db.one<{ review: string }>(
        "SELECT review FROM reviews WHERE key = $1 AND settled_at IS NULL ORDER BY written DESC LIMIT 1",
        [job.key],
      );
      return row === null ? null : read(row.review);
    },
    async save(job, review, now) {
      failPoint("before-save");
      await commit(async (sql) => {
        await sql.run(
          `INSERT INTO reviews (key, head_sha, base_sha, review, written_at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (key, head_sha, base_sha) DO UPDATE SET review = excluded.review, written = excluded.written,
             written_at = excluded.written_at, settled_at = NULL, outcome = NULL`,
          [job.key, review.headSha, review.baseSha, JSON.stringify(review), now],
        );
        // What it was written from is not needed any more.
        await sql.run("DELETE FROM replies WHERE key = $1", [job.key]);
      });
      failPoint("after-save");
    },
    async settle(job, { headSha, baseSha }, now, outcome) {
      failPoint("before-settle");
      await commit((sql) => settle(sql, [job.key, headSha, baseSha], now, outcome));
      failPoint("after-settle");
    },
    async latest(key) {
      const row = await db.one<{ review: string }>(
        "SELECT review FROM reviews WHERE key = $1 ORDER BY written DESC LIMIT 1",
        [key],
      );
      return row === null ? null : (JSON.parse(row.review) as Review);
    },
    async finding(key, findingId) {
      const rows = await db.all<{ review: string }>(
        `SELECT review FROM reviews WHERE key = $1 AND position($2 IN review) > 0 ORDER BY written DESC LIMIT ${MOST_SEARCHED}`,
        [key, findingId],
      );
      for (const { review } of rows) {
        const { findings, heldBack } = JSON.parse(review) as Review;
        const found = [...findings, ...heldBack].find(({ finding }) => finding.id === findingId);
        if (found !== undefined) return found.finding;
      }
      return null;
    },
    async wasPosted(job, headSha, baseSha) {
      const posted = "SELECT 1 FROM reviews WHERE key = $1 AND head_sha = $2 AND base_sha = $3 AND outcome = 'posted'";
      return (await db.one(posted, [job.key, headSha, baseSha])) !== null;
    },
    async earlier(job) {
      const rows = await db.all<{ review: string; outcome: string | null }>(
        "SELECT review, outcome FROM reviews WHERE key = $1 ORDER BY written DESC LIMIT $2",
        [job.key, MOST_EARLIER],
      );
      return rows.map(({ review, outcome }) => ({ review: read(review), posted: outcome === "posted" }));
    },
  };
}

/** The code that it was about is remembered by now, or never will be. */
async function settle(sql: Sql, place: readonly string[], now: number, outcome: string): Promise<void> {
  const where = "WHERE key = $1 AND head_sha = $2 AND base_sha = $3";
  const row = await sql.one<{ review: string }>(`SELECT review FROM reviews ${where} FOR UPDATE`, place);
  if (row === null) return;
  const { hunks: _, ...rest } = JSON.parse(row.review) as Review;
  await sql.run(`UPDATE reviews SET settled_at = $4, outcome = $5, review = $6 ${where}`, [
    ...place,
    now,
    outcome,
    JSON.stringify(rest),
  ]);
}

/** A review of an older version knew of no pushes. */
function read(json: string): Review {
  const before = { fingerprint: "", scope: { kind: "full", reason: null }, said: [], addressed: [] };
  return { ...before, ...(JSON.parse(json) as Review) };
}
