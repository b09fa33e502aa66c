// How each installation wants to be treated, for all processes on the file and over restarts.
import { randomUUID } from "node:crypto";
import type { InstallationPace, WriteTurn } from "../../ports/writes.ts";
import { isGone } from "../process-mark.ts";
import { type Database, write } from "./database.ts";

/** What a process that died with a turn may have written just then is this far apart from the next write. */
const AFTER_DEATH_MS = 1_000;

interface TurnRow {
  /** From when on the next turn is free. */
  readonly freeAt: number;
  readonly writer: string | null;
  readonly process: string | null;
}

/**
 * Over an open queue database (see QUEUE_MIGRATIONS). What writes throws `Transient` on a lock.
 *
 * @param now see steadyClock
 * @param process see processMark: the turn of one that is certainly gone need not run out
 */
export function sqliteInstallationPace(
  db: Database.Database,
  now: () => number,
  process: string | null = null,
): InstallationPace {
  const turnOf = (id: number) =>
    db
      .prepare("SELECT next_write AS freeAt, writer, writer_process AS process FROM installations WHERE id = ?")
      .get(id) as TurnRow | undefined;
  const set = db.prepare(
    `INSERT INTO installations (id, next_write, writer, writer_process) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET
       next_write = excluded.next_write, writer = excluded.writer, writer_process = excluded.writer_process`,
  );

  const keep = db.prepare("UPDATE installations SET next_write = ? WHERE id = ? AND writer = ?");

  /** Looks and takes in one transaction. */
  function take(installationId: number, forMs: number): WriteTurn | null {
    const row = turnOf(installationId);
    if (row !== undefined && isDead(row)) {
      set.run(installationId, now() + AFTER_DEATH_MS, null, null);
      return null;
    }
    if (!isFree(row, now(), forMs)) return null;
    const token = randomUUID();
    set.run(installationId, now() + forMs, token, process);
    return { installationId, token };
  }

  return {
    async closedFor(id) {
      const until = db.prepare("SELECT closed_until FROM installations WHERE id = ?").pluck().get(id);
      return Math.max(0, Number(until ?? 0) - now());
    },
    async close(id, forMs) {
      const until = Math.ceil(now() + forMs);
      write(db, () =>
        db
          .prepare(
            `INSERT INTO installations (id, closed_until) VALUES (?, ?)
             ON CONFLICT (id) DO UPDATE SET closed_until = max(closed_until, excluded.closed_until)`,
          )
          .run(id, until),
      );
    },
    async takeTurn(id, forMs) {
      // Looking takes no lock: most looks find somebody else's turn.
      const row = turnOf(id);
      if (row !== undefined && !isFree(row, now(), forMs) && !isDead(row)) return null;
      return write(db, () => take(id, forMs));
    },
    async keepTurn({ installationId, token }, forMs) {
      return write(db, () => keep.run(now() + forMs, installationId, token).changes > 0);
    },
    async endTurn({ installationId, token }, apartMs) {
      write(db, () => {
        if (turnOf(installationId)?.writer === token) set.run(installationId, now() + apartMs, null, null);
      });
    },
  };
}

/**
 * Longer than two turns last nobody waits: the clock of the file may have been another's. Not longer than one: to a process whose clock
 * is a little behind, another's turn seems to last for longer than any can.
 */
function isFree(row: TurnRow | undefined, now: number, longestMs: number): boolean {
  return row === undefined || row.freeAt <= now || row.freeAt > now + 2 * longestMs;
}

function isDead({ writer, process }: TurnRow): boolean {
  return writer !== null && process !== null && isGone(process);
}
