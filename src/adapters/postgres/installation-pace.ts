// How each installation wants to be treated, for all processes on the database and over restarts.
import { randomUUID } from "node:crypto";
import type { InstallationPace } from "../../ports/writes.ts";
import { isGone } from "../process-mark.ts";
import type { Postgres } from "./sql.ts";

/** What a process that died with a turn may have written just then is this far apart from the next write. */
const AFTER_DEATH_MS = 1_000;

/**
 * Over an open database (see QUEUE_PART), by its clock. Throws `Transient` when it cannot be asked.
 *
 * @param process see processMark: the turn of one that is certainly gone need not run out
 */
export function postgresInstallationPace(db: Postgres, process: string | null = null): InstallationPace {
  return {
    async closedFor(id) {
      const row = await db.one<{ left: number }>(
        "SELECT greatest(0, closed_until - queue_now()) AS left FROM installations WHERE id = $1",
        [id],
      );
      return row?.left ?? 0;
    },
    async close(id, forMs) {
      await db.run(
        `INSERT INTO installations (id, closed_until) VALUES ($1, queue_now() + $2)
         ON CONFLICT (id) DO UPDATE SET closed_until = greatest(installations.closed_until, excluded.closed_until)`,
        [id, Math.ceil(forMs)],
      );
    },
    async takeTurn(installationId, forMs) {
      const token = randomUUID();
      const taken = await db.run(TAKE, [installationId, Math.ceil(forMs), token, process]);
      if (taken > 0) return { installationId, token };
      const row = await db.one<{ writer: string | null; process: string | null }>(
        "SELECT writer, writer_process AS process FROM installations WHERE id = $1",
        [installationId],
      );
      if (row?.writer != null && row.process !== null && isGone(row.process))
        await db.run(END, [installationId, row.writer, AFTER_DEATH_MS]);
      return null;
    },
    async keepTurn({ installationId, token }, forMs) {
      return (await db.run(KEEP, [installationId, token, Math.ceil(forMs)])) > 0;
    },
    async endTurn({ installationId, token }, apartMs) {
      await db.run(END, [installationId, token, Math.ceil(apartMs)]);
    },
  };
}

/**
 * In one statement, so that of two processes one gets it. Longer than two turns last nobody waits: clocks may have been set. Not longer
 * than one: of a statement that waited for another's the time is that of its beginning, and a turn that was taken or kept meanwhile
 * seems to last for longer than any can.
 */
const TAKE = `INSERT INTO installations (id, next_write, writer, writer_process) VALUES ($1, queue_now() + $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET
    next_write = excluded.next_write, writer = excluded.writer, writer_process = excluded.writer_process
  WHERE installations.next_write <= queue_now() OR installations.next_write > queue_now() + 2 * $2`;

const KEEP = "UPDATE installations SET next_write = queue_now() + $3 WHERE id = $1 AND writer = $2";

const END = `UPDATE installations SET next_write = queue_now() + $3, writer = NULL, writer_process = NULL
  WHERE id = $1 AND writer = $2`;
