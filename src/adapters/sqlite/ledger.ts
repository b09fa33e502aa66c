// Written reviews beside the queue, in the same file: what was written is never written (or paid for) twice.
import type { Database } from "better-sqlite3";
import type { Review } from "../../domain/review.ts";
import type { ReviewRecords } from "../../ports/talk.ts";
import type { Held, Ledger } from "../../ports.ts";
import { failPoint } from "../fail-point.ts";
import { cameOn, fenced } from "./hold.ts";

/** An overtaken review or two may lie between this one and the last that was posted. */
const MOST_EARLIER = 8;

/**
 * The ledger over an open queue database (see QUEUE_MIGRATIONS). Throws `Transient` on a lock; what writes throws LeaseLost once
 * the job is not held any more.
 *
 * @param held the job that writes; null where none stands behind it
 */
export function sqliteLedger(db: Database, held: Held | null = null): Ledger & ReviewRecords {
  const commit = (work: () => void) =>
    fenced(db, held, () => {
      work();
      cameOn(db, held);
    });
  return {
    async unsent(job) {
      const row = db
        .prepare(
          "SELECT review FROM reviews WHERE key = ? AND settled_at IS NULL ORDER BY written_at DESC, rowid DESC LIMIT 1",
        )
        .get(job.key) as { review: string } | undefined;
      return row === undefined ? null : read(row.review);
    },
    async save(job, review, now) {
      failPoint("before-save");
      commit(() => {
        db.prepare(
          `INSERT INTO reviews (key, head_sha, base_sha, review, written_at) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (key, head_sha, base_sha) DO UPDATE
             SET review = excluded.review, written_at = excluded.written_at, settled_at = NULL, outcome = NULL`,
        ).run(job.key, review.headSha, review.baseSha, JSON.stringify(review), now);
        // What it was written from is not needed any more.
        db.prepare("DELETE FROM replies WHERE key = ?").run(job.key);
      });
      failPoint("after-save");
    },
    async settle(job, review, now, outcome) {
      failPoint("before-settle");
      commit(() => {
        // The code that it was about is remembered by now, or never will be.
        db.prepare(
          `UPDATE reviews SET settled_at = ?, outcome = ?, review = json_remove(review, '$.hunks')
             WHERE key = ? AND head_sha = ? AND base_sha = ?`,
        ).run(now, outcome, job.key, review.headSha, review.baseSha);
      });
      failPoint("after-settle");
    },
    async latest(key) {
      const row = db
        .prepare("SELECT review FROM reviews WHERE key = ? ORDER BY written_at DESC, rowid DESC LIMIT 1")
        .get(key) as { review: string } | undefined;
      return row === undefined ? null : (JSON.parse(row.review) as Review);
    },
    async finding(key, findingId) {
      const rows = db
        .prepare(
          "SELECT review FROM reviews WHERE key = ? AND instr(review, ?) > 0 ORDER BY written_at DESC, rowid DESC LIMIT 5",
        )
        .all(key, findingId) as { review: string }[];
      for (const { review } of rows) {
        const { findings, heldBack } = JSON.parse(review) as Review;
        const found = [...findings, ...heldBack].find(({ finding }) => finding.id === findingId);
        if (found !== undefined) return found.finding;
      }
      return null;
    },
    async wasPosted(job, headSha, baseSha) {
      return (
        db
          .prepare("SELECT 1 FROM reviews WHERE key = ? AND head_sha = ? AND base_sha = ? AND outcome = 'posted'")
          .get(job.key, headSha, baseSha) !== undefined
      );
    },
    async earlier(job) {
      const rows = db
        .prepare("SELECT review, outcome FROM reviews WHERE key = ? ORDER BY written_at DESC, rowid DESC LIMIT ?")
        .all(job.key, MOST_EARLIER) as { review: string; outcome: string | null }[];
      return rows.map(({ review, outcome }) => ({ review: read(review), posted: outcome === "posted" }));
    },
  };
}

/** A review of an older version knew of no pushes. */
function read(json: string): Review {
  const before = { fingerprint: "", scope: { kind: "full", reason: null }, said: [], addressed: [] };
  return { ...before, ...(JSON.parse(json) as Review) };
}
