// Reviews, stored before they are sent: none is written, or paid for, twice. And model answers.
import { failPoint } from "../../adapters/fail-point.ts";
import type { Review } from "../../domain/review.ts";
import type { ReviewRecords } from "../../ports/conversation.ts";
import type { ModelLessons, ReplyStore } from "../../ports/model.ts";
import type { Held, Ledger } from "../../ports.ts";
import { fenced, progressed } from "../queue/lease-fence.ts";
import type { Database, Sql } from "../sql.ts";
import { insert, oneValue, upsert } from "../statement.ts";

/** One or two superseded reviews may lie between this one and the last posted one. */
const MOST_EARLIER = 8;
const AT_PLACE = "WHERE key = $1 AND head_sha = $2 AND base_sha = $3";
const MOST_SEARCHED = 5;

/** May throw `Transient`; writes of a job (`held`) throw LeaseLost once it is no longer held. */
export function storedReviews(db: Database, held: Held | null = null): Ledger & ReviewRecords {
  const commit = (work: (tx: Sql) => Promise<unknown>) =>
    fenced(db, held, async (tx) => {
      await work(tx);
      await progressed(tx, held);
    });
  const newest = async (key: string, most: number) => {
    const rows = await db.all<{ review: string; outcome: string | null }>(
      "SELECT review, outcome FROM reviews WHERE key = $1 ORDER BY written DESC LIMIT $2",
      [key, most],
    );
    return rows.map(({ review, outcome }) => ({ review: readReview(review), posted: outcome === "posted" }));
  };
  return {
    async unsent(job) {
      const newest = "SELECT review FROM reviews WHERE key = $1 AND settled_at IS NULL ORDER BY written DESC LIMIT 1";
      const review = await oneValue<string>(db, newest, [job.key]);
      return review === null ? null : readReview(review);
    },
    async save(job, review, now) {
      failPoint("before-save");
      await commit(async (tx) => {
        const place = { key: job.key, head_sha: review.headSha, base_sha: review.baseSha };
        // A rewritten review is the latest, so it gets a new id.
        await tx.run(`DELETE FROM reviews ${AT_PLACE}`, Object.values(place));
        await insert(tx, "reviews", {
          ...place,
          base_ref: review.baseRef,
          review: JSON.stringify(review),
          written_at: now,
        });
        // The cached answers are no longer needed.
        await tx.run("DELETE FROM replies WHERE key = $1", [job.key]);
      });
      failPoint("after-save");
    },
    async settle(job, { headSha, baseSha }, now, outcome) {
      failPoint("before-settle");
      await commit((tx) => settle(tx, [job.key, headSha, baseSha], now, outcome));
      failPoint("after-settle");
    },
    latest: async (key) => (await newest(key, 1))[0]?.review ?? null,
    async finding(key, findingId) {
      for (const { review } of await newest(key, MOST_SEARCHED)) {
        const found = [...review.findings, ...review.heldBack].find(({ finding }) => finding.id === findingId);
        if (found !== undefined) return found.finding;
      }
      return null;
    },
    earlier: (job) => newest(job.key, MOST_EARLIER),
  };
}

/** Drops the flagged code from the stored review: memory has it by now, or never will. */
async function settle(tx: Sql, place: readonly string[], now: number, outcome: string): Promise<void> {
  const review = await oneValue<string>(tx, `SELECT review FROM reviews ${AT_PLACE}${tx.dialect.forUpdate}`, place);
  if (review === null) return;
  const update = `UPDATE reviews SET settled_at = $4, outcome = $5, review = $6 ${AT_PLACE}`;
  await tx.run(update, [...place, now, outcome, JSON.stringify({ ...(JSON.parse(review) as Review), hunks: [] })]);
}

/** What reviews of older versions lack. */
const BEFORE = {
  fingerprint: "",
  scope: { kind: "full", reason: null },
  said: [],
  addressed: [],
  baseRef: "",
  unread: [],
  asked: [],
  author: null,
  configUsed: "",
  proposedProblems: [],
  hunks: [],
  month: null,
  isByOutsider: false,
  answersCommands: true,
  summaryBecause: null,
  agentPrompt: true,
} satisfies Partial<Review>;

const UNREAD: Partial<Review["sources"]> = { guidance: [], tools: [], issues: [] };

export function readReview(json: string): Review {
  const read = { ...BEFORE, ...(JSON.parse(json) as Review) };
  return { ...read, proposedProblems: read.proposedProblems ?? [], sources: { ...UNREAD, ...read.sources } };
}

/** Model answers by request, until the review is saved. */
export function storedReplies(db: Database): ReplyStore {
  return {
    find: (key, question) =>
      oneValue(db, "SELECT answer FROM replies WHERE key = $1 AND question = $2", [key, question]),
    keep: (key, question, answer, at) => upsert(db, "replies", ["key", "question"], { key, question, answer, at }),
  };
}

/** What model servers do not take: one row a server and model. */
export function storedModelLessons(db: Database): ModelLessons {
  return {
    find: (server) => oneValue(db, "SELECT lessons FROM model_lessons WHERE server = $1", [server]),
    keep: (server, lessons, at) => upsert(db, "model_lessons", ["server"], { server, lessons, at }),
  };
}
