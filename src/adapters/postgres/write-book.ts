// What is created on GitHub, beside the queue: committed before it is sent, until its outcome is known.
import { LeaseLost } from "../../domain/lease-lost.ts";
import { repoKey } from "../../domain/memory.ts";
import type { OrphanWrites, Post, Standing, Wanted, WriteBook } from "../../ports/writes.ts";
import type { Held } from "../../ports.ts";
import { cameOn, fenced, isHeld } from "./hold.ts";
import type { Postgres, Sql } from "./sql.ts";

interface Row {
  readonly marker: string;
  readonly state: "sent" | "posted" | "refused";
  readonly agoMs: number;
  readonly post: string | null;
}

export interface WriteBookOptions {
  /** The job that writes; null where none stands behind it. */
  readonly held: Held | null;
  /** Of the job: while it is open, its writes are its own to settle. */
  readonly key: string;
}

const SEND = `INSERT INTO intents (key, repo, wanted, identity, marker, state, tries, sent_at, post)
  VALUES ($1, $2, $3, $4, $5, 'sent', 1, queue_now(), NULL)
  ON CONFLICT (identity) DO UPDATE SET key = excluded.key, marker = excluded.marker, state = 'sent',
    tries = intents.tries + 1, sent_at = excluded.sent_at, ended_at = NULL, post = NULL`;
const AGO = `greatest(0, queue_now() - sent_at) AS "agoMs"`;

/**
 * The book over an open database (see BOOK_PART), by its clock. Throws `Transient` when it cannot be asked; what writes throws
 * LeaseLost.
 */
export function postgresWriteBook(db: Postgres, { held, key }: WriteBookOptions): WriteBook {
  return {
    async standing(wanted) {
      const row = await db.one<Row>(`SELECT marker, state, post, ${AGO} FROM intents WHERE identity = $1`, [
        identityOf(wanted),
      ]);
      return standingOf(row);
    },
    async send(wanted, marker) {
      await fenced(db, held, (sql) =>
        sql.run(SEND, [key, repoKey(wanted.repo), JSON.stringify(wanted), identityOf(wanted), marker]),
      );
    },
    // What stands there is written down, whoever holds the job by now.
    posted: (wanted, post) =>
      db.transaction(async (sql) => {
        await endWrite(sql, wanted, "posted", post);
        await cameOn(sql, held);
      }),
    refused: (wanted) => fenced(db, held, (sql) => endWrite(sql, wanted, "refused", null)),
    async hold() {
      if (held !== null && !(await isHeld(db, held))) throw new LeaseLost();
    },
  };
}

const ORPHANS = `SELECT wanted, marker, ${AGO} FROM intents
  WHERE state = 'sent' AND NOT EXISTS
    (SELECT 1 FROM jobs WHERE jobs.key = intents.key AND jobs.state IN ('waiting', 'running'))
  ORDER BY sent_at, id LIMIT $1`;

/** Writes whose jobs have ended before their outcome was known. Throws `Transient` when the database cannot be asked. */
export function postgresOrphanWrites(db: Postgres): OrphanWrites {
  return {
    async orphans(most) {
      const rows = await db.all<{ wanted: string; marker: string; agoMs: number }>(ORPHANS, [most]);
      return rows.map(({ wanted, ...row }) => ({ ...row, wanted: JSON.parse(wanted) as Wanted }));
    },
    settle: ({ wanted }, post) =>
      endWrite(db, wanted, post === null ? "refused" : "posted", post, "AND state = 'sent'"),
  };
}

async function endWrite(
  sql: Sql,
  wanted: Wanted,
  state: "posted" | "refused",
  post: Post | null,
  only = "",
): Promise<void> {
  await sql.run(`UPDATE intents SET state = $2, post = $3, ended_at = queue_now() WHERE identity = $1 ${only}`, [
    identityOf(wanted),
    state,
    post === null ? null : JSON.stringify(post),
  ]);
}

function standingOf(row: Row | null): Standing {
  if (row === null || row.state === "refused") return { state: "new" };
  if (row.post !== null) return { state: "posted", post: JSON.parse(row.post) as Post };
  return { state: "sent", marker: row.marker, agoMs: row.agoMs };
}

/** Names change, ids do not. */
function identityOf({ repo, number, kind, headSha, subject }: Wanted): string {
  return [repoKey(repo), number, kind, headSha, subject].join(" ");
}
