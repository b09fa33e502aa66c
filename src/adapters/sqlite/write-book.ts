// What is created on GitHub, beside the queue and in the same file: committed before it is sent, until its outcome is known.
import type { Database } from "better-sqlite3";
import { LeaseLost } from "../../domain/lease-lost.ts";
import { repoKey } from "../../domain/memory.ts";
import type { OrphanWrites, Post, Standing, Wanted, WriteBook } from "../../ports/writes.ts";
import type { Held } from "../../ports.ts";
import { write } from "./database.ts";
import { cameOn, fenced, isHeld } from "./hold.ts";

interface Row {
  readonly marker: string;
  readonly state: "sent" | "posted" | "refused";
  readonly sentAt: number;
  readonly post: string | null;
}

export interface WriteBookOptions {
  /** The job that writes; null where none stands behind it. */
  readonly held: Held | null;
  /** Of the job: while it is open, its writes are its own to settle. */
  readonly key: string;
  /** See steadyClock. */
  readonly now: () => number;
}

/** The book over an open queue database (see QUEUE_MIGRATIONS). What writes throws `Transient` on a lock, and LeaseLost. */
export function sqliteWriteBook(db: Database, { held, key, now }: WriteBookOptions): WriteBook {
  return {
    async standing(wanted) {
      const row = db
        .prepare("SELECT marker, state, sent_at AS sentAt, post FROM intents WHERE identity = ?")
        .get(identityOf(wanted)) as Row | undefined;
      return standingOf(row, now());
    },
    async send(wanted, marker) {
      const insert = `INSERT INTO intents (key, repo, wanted, identity, marker, state, tries, sent_at, post)
        VALUES (@key, @repo, @wanted, @identity, @marker, 'sent', 1, @at, NULL)
        ON CONFLICT (identity) DO UPDATE SET key = excluded.key, marker = excluded.marker, state = 'sent',
          tries = tries + 1, sent_at = excluded.sent_at, ended_at = NULL, post = NULL`;
      const [repo, identity, at] = [repoKey(wanted.repo), identityOf(wanted), now()];
      fenced(db, held, () =>
        db.prepare(insert).run({ key, repo, wanted: JSON.stringify(wanted), identity, marker, at }),
      );
    },
    // What stands there is written down, whoever holds the job by now.
    posted: async (wanted, post) =>
      write(db, () => {
        endWrite(db, identityOf(wanted), "posted", post, now());
        cameOn(db, held);
      }),
    refused: async (wanted) => fenced(db, held, () => endWrite(db, identityOf(wanted), "refused", null, now())),
    async hold() {
      if (held !== null && !isHeld(db, held)) throw new LeaseLost();
    },
  };
}

/** Writes whose jobs have ended before their outcome was known. Throws `Transient` on a lock. */
export function sqliteOrphanWrites(db: Database, now: () => number): OrphanWrites {
  return {
    async orphans(most) {
      const rows = db
        .prepare(
          `SELECT wanted, marker, sent_at AS sentAt FROM intents
           WHERE state = 'sent' AND NOT EXISTS
             (SELECT 1 FROM jobs WHERE jobs.key = intents.key AND jobs.state IN ('waiting', 'running'))
           ORDER BY sent_at LIMIT ?`,
        )
        .all(most) as { wanted: string; marker: string; sentAt: number }[];
      return rows.map(({ wanted, marker, sentAt }) => ({
        ...{ wanted: JSON.parse(wanted) as Wanted, marker, agoMs: Math.max(0, now() - sentAt) },
      }));
    },
    async settle({ wanted }, post) {
      write(db, () => {
        const isOpen = db
          .prepare("SELECT 1 FROM intents WHERE identity = ? AND state = 'sent'")
          .get(identityOf(wanted));
        if (isOpen === undefined) return;
        endWrite(db, identityOf(wanted), post === null ? "refused" : "posted", post, now());
      });
    },
  };
}

function endWrite(db: Database, identity: string, state: "posted" | "refused", post: Post | null, at: number): void {
  db.prepare("UPDATE intents SET state = ?, post = ?, ended_at = ? WHERE identity = ?").run(
    ...[state, post === null ? null : JSON.stringify(post), at, identity],
  );
}

function standingOf(row: Row | undefined, now: number): Standing {
  if (row === undefined || row.state === "refused") return { state: "new" };
  if (row.post !== null) return { state: "posted", post: JSON.parse(row.post) as Post };
  return { state: "sent", marker: row.marker, agoMs: Math.max(0, now - row.sentAt) };
}

/** Names change, ids do not. */
function identityOf({ repo, number, kind, headSha, subject }: Wanted): string {
  return [repoKey(repo), number, kind, headSha, subject].join(" ");
}
