// Decisions about pull requests, which survive pushes and restarts, and every answer given, for the
// limits against loops with bots and floods by people.
import type { Declined } from "../../domain/conversation.ts";
import type { AnswerStore, Decisions } from "../../ports/conversation.ts";
import type { Held } from "../../ports.ts";
import { fenced } from "../queue/lease-fence.ts";
import type { Database } from "../sql.ts";
import { insert, oneValue, upsert } from "../statement.ts";

export function storedDecisions(db: Database): Decisions {
  return {
    async of(key) {
      const pausedBy = await oneValue<string>(db, "SELECT by FROM paused WHERE key = $1", [key]);
      const declined = await db.all<Omit<Declined, "isWriter"> & { readonly writer: number }>(
        `SELECT finding AS "findingId", by, reason, writer FROM declined WHERE key = $1 ORDER BY at, finding`,
        [key],
      );
      return { pausedBy, declined: declined.map(({ writer, ...one }) => ({ ...one, isWriter: writer === 1 })) };
    },
    pause: (key, by, now) => upsert(db, "paused", ["key"], { key, by, at: now }),
    resume: async (key) => (await db.run("DELETE FROM paused WHERE key = $1", [key])) > 0,
    decline: (key, { findingId, by, reason, isWriter }, now) =>
      upsert(db, "declined", ["key", "finding"], { key, finding: findingId, by, reason, at: now, writer: isWriter }),
    restore: async (key, findingId) =>
      (await db.run("DELETE FROM declined WHERE key = $1 AND finding = $2", [key, findingId])) > 0,
  };
}

/** May throw `Transient`; writes of a job (`held`) throw LeaseLost once it is no longer held. */
export function storedAnswers(db: Database, held: Held | null = null): AnswerStore {
  const count = async (text: string, given: readonly unknown[]) => (await oneValue<number>(db, text, given)) ?? 0;
  return {
    async record({ comment, repo, thread, userId, kind, at }) {
      const row = { comment, repo, thread, user_id: userId, kind, at };
      await fenced(db, held, (tx) => insert(tx, "answers", row, "ON CONFLICT (comment) DO NOTHING"));
    },
    given: ({ comment, repo, userId }, kind, since) =>
      count(
        `SELECT count(*) FROM answers
         WHERE repo = $1 AND user_id = $2 AND kind = $3 AND at >= $4 AND comment <> $5`,
        [repo, userId, kind, since, comment],
      ),
    strangers: (repo, since) =>
      count("SELECT count(*) FROM answers WHERE repo = $1 AND kind IN ('stranger', 'denied') AND at >= $2", [
        repo,
        since,
      ]),
    repliesInARow: ({ comment, thread }) =>
      count(
        `SELECT count(*) FROM answers WHERE thread = $1 AND kind = 'reply' AND comment <> $2 AND id >
           coalesce((SELECT max(id) FROM answers WHERE thread = $1 AND kind = 'command'), 0)`,
        [thread, comment],
      ),
  };
}
