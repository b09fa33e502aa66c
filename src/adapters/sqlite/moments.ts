// Times of the store as a whole, by name.
import type { Database } from "better-sqlite3";
import type { EndedSessions } from "../../ports/login.ts";
import { write } from "./database.ts";

/**
 * swept: up to when GitHub's log was read. round: when all repositories were last looked at. restored: of a backup. tidied: when
 * old rows were removed. `session NAME`: until when a dashboard session that was logged out of would have lasted.
 */
export type Moment = "swept" | "round" | "restored" | "tidied" | `session ${string}`;

export interface Moments {
  /** Epoch milliseconds; null when it never was. */
  at(name: Moment): number | null;
  /** Throws `Transient` on a lock. */
  set(name: Moment, at: number): void;
}

/** The times in an open queue database (see QUEUE_MIGRATIONS). */
export function momentsOf(db: Database): Moments {
  return {
    at: (name) => (db.prepare("SELECT at FROM moments WHERE name = ?").pluck().get(name) as number | undefined) ?? null,
    set(name, at) {
      write(db, () =>
        db
          .prepare("INSERT INTO moments VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at")
          .run(name, Math.floor(at)),
      );
    },
  };
}

/** Sessions that were logged out of (see RETENTION for how long). */
export function sqliteEndedSessions(db: Database): EndedSessions {
  const moments = momentsOf(db);
  return {
    end: async (session, until) => moments.set(`session ${session}`, until),
    isEnded: async (session) => moments.at(`session ${session}`) !== null,
  };
}
