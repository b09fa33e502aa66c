// How each installation wants to be treated, for all processes on the file and over restarts.
import type { Database } from "better-sqlite3";
import type { InstallationPace } from "../../ports/writes.ts";
import { write } from "./database.ts";

/**
 * Over an open queue database (see QUEUE_MIGRATIONS). What writes throws `Transient` on a lock.
 *
 * @param now see steadyClock
 */
export function sqliteInstallationPace(db: Database, now: () => number): InstallationPace {
  return {
    closedFor(id) {
      const until = db.prepare("SELECT closed_until FROM installations WHERE id = ?").pluck().get(id);
      return Math.max(0, Number(until ?? 0) - now());
    },
    close(id, forMs) {
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
    writeIn(id, apartMs) {
      return write(db, () => {
        const last = db.prepare("SELECT next_write FROM installations WHERE id = ?").pluck().get(id);
        const at = Math.max(now(), Number(last ?? 0));
        db.prepare(
          `INSERT INTO installations (id, next_write) VALUES (?, ?)
           ON CONFLICT (id) DO UPDATE SET next_write = excluded.next_write`,
        ).run(id, at + apartMs);
        return at - now();
      });
    },
  };
}
