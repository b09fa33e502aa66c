// The log of creating writes to GitHub, recorded before they are sent, and each installation's rate
// limits, for all processes. Times are the database's.
import { randomUUID } from "node:crypto";
import { isDead } from "../../adapters/process-mark.ts";
import { LeaseLost } from "../../domain/errors.ts";
import { repoKey } from "../../domain/memory.ts";
import type { InstallationPace, OrphanWrites, Post, Wanted, WriteState, WriteStore } from "../../ports/writes.ts";
import type { Held } from "../../ports.ts";
import { fenced, isHeld, progressed } from "../queue/lease-fence.ts";
import type { Database, Sql } from "../sql.ts";
import { oneValue } from "../statement.ts";

interface Row {
  readonly marker: string;
  readonly state: "sent" | "posted" | "refused";
  readonly agoMs: number;
  readonly post: string | null;
}

/** May throw `Transient`; writes of a job (`held`) throw LeaseLost once it is no longer held. */
export function storedWrites(db: Database, held: Held | null, key: string): WriteStore {
  const { now } = db.dialect;
  return {
    async state(wanted) {
      const row = await db.one<Row>(`SELECT marker, state, post, ${agoMs(now)} FROM intents WHERE identity = $1`, [
        identityOf(wanted),
      ]);
      if (row === null || row.state === "refused") return { state: "new" } satisfies WriteState;
      if (row.post !== null) return { state: "posted", post: JSON.parse(row.post) as Post };
      return { state: "sent", marker: row.marker, agoMs: row.agoMs };
    },
    async send(wanted, marker) {
      await fenced(db, held, (tx) =>
        tx.run(
          `INSERT INTO intents (key, repo, wanted, identity, marker, state, tries, sent_at)
           VALUES ($1, $2, $3, $4, $5, 'sent', 1, ${now})
           ON CONFLICT (identity) DO UPDATE SET key = excluded.key, marker = excluded.marker, state = 'sent',
             tries = intents.tries + 1, sent_at = excluded.sent_at, ended_at = NULL, post = NULL`,
          [key, repoKey(wanted.repo), JSON.stringify(wanted), identityOf(wanted), marker],
        ),
      );
    },
    // Recorded even if another process has taken over the job, because the post exists.
    posted: (wanted, post) =>
      db.transaction(async (tx) => {
        await endWrite(tx, wanted, "posted", post);
        await progressed(tx, held);
      }),
    refused: (wanted) => fenced(db, held, (tx) => endWrite(tx, wanted, "refused", null)),
    async hold() {
      if (held !== null && !(await isHeld(db, held))) throw new LeaseLost();
    },
  };
}

/** Writes with a lost response whose jobs have ended. */
export function storedOrphanWrites(db: Database): OrphanWrites {
  return {
    async orphans(most) {
      const rows = await db.all<{ wanted: string; marker: string; agoMs: number }>(
        `SELECT wanted, marker, ${agoMs(db.dialect.now)} FROM intents
         WHERE state = 'sent' AND NOT EXISTS
           (SELECT 1 FROM jobs WHERE jobs.key = intents.key AND jobs.state IN ('waiting', 'running'))
         ORDER BY sent_at, id LIMIT $1`,
        [most],
      );
      return rows.map(({ wanted, ...row }) => ({ ...row, wanted: JSON.parse(wanted) as Wanted }));
    },
    settle: ({ wanted }, post) =>
      endWrite(db, wanted, post === null ? "refused" : "posted", post, "AND state = 'sent'"),
  };
}

/** Never negative, because a clock may have been set. */
function agoMs(now: string): string {
  return `CASE WHEN ${now} > sent_at THEN ${now} - sent_at ELSE 0 END AS "agoMs"`;
}

async function endWrite(
  sql: Sql,
  wanted: Wanted,
  state: "posted" | "refused",
  post: Post | null,
  only = "",
): Promise<void> {
  const update = `UPDATE intents SET state = $2, post = $3, ended_at = ${sql.dialect.now} WHERE identity = $1 ${only}`;
  await sql.run(update, [identityOf(wanted), state, post && JSON.stringify(post)]);
}

/** By ids, because names change. */
function identityOf({ repo, number, kind, headSha, subject }: Wanted): string {
  return [repoKey(repo), number, kind, headSha, subject].join(" ");
}

/** Pause after the turn of a crashed process, which may have written just before. */
const AFTER_DEATH_MS = 1_000;

/** @param process see processMark: the turn of one that has certainly ended need not expire */
export function storedInstallationPace(db: Database, process: string | null = null): InstallationPace {
  const { now } = db.dialect;
  const later = (parameter: string) => `${now} + CAST(${parameter} AS bigint)`;
  const end = (installationId: number, token: string, apartMs: number) =>
    db.run(
      `UPDATE installations SET next_write = ${later("$3")}, writer = NULL, writer_process = NULL WHERE id = $1 AND writer = $2`,
      [installationId, token, Math.ceil(apartMs)],
    );
  return {
    async closedFor(id) {
      const left = await oneValue<number>(db, `SELECT closed_until - ${now} FROM installations WHERE id = $1`, [id]);
      return Math.max(0, left ?? 0);
    },
    async close(id, forMs) {
      await db.run(
        `INSERT INTO installations AS i (id, closed_until) VALUES ($1, ${later("$2")})
         ON CONFLICT (id) DO UPDATE SET closed_until =
           CASE WHEN i.closed_until > excluded.closed_until THEN i.closed_until ELSE excluded.closed_until END`,
        [id, Math.ceil(forMs)],
      );
    },
    async takeTurn(installationId, forMs) {
      const token = randomUUID();
      // One statement: only one of two processes gets it. A turn that ends implausibly late is
      // ignored, as a clock may have been set; two turns, as to a slow clock another's turn seems
      // longer than one.
      const taken = await db.run(
        `INSERT INTO installations AS i (id, next_write, writer, writer_process) VALUES ($1, ${later("$2")}, $3, $4)
         ON CONFLICT (id) DO UPDATE SET
           next_write = excluded.next_write, writer = excluded.writer, writer_process = excluded.writer_process
         WHERE i.next_write <= ${now} OR i.next_write > ${later("$2")} + CAST($2 AS bigint)`,
        [installationId, Math.ceil(forMs), token, process],
      );
      if (taken > 0) return { installationId, token };
      const row = await db.one<{ writer: string | null; process: string | null }>(
        "SELECT writer, writer_process AS process FROM installations WHERE id = $1",
        [installationId],
      );
      if (row?.writer != null && row.process !== null && isDead(row.process))
        await end(installationId, row.writer, AFTER_DEATH_MS);
      return null;
    },
    async keepTurn({ installationId, token }, forMs) {
      const longer = `UPDATE installations SET next_write = ${later("$3")} WHERE id = $1 AND writer = $2`;
      return (await db.run(longer, [installationId, token, Math.ceil(forMs)])) > 0;
    },
    async endTurn({ installationId, token }, apartMs) {
      await end(installationId, token, apartMs);
    },
  };
}
