// Times of the store as a whole, by name.
import type { EndedSessions } from "../../ports/login.ts";
import type { Sql } from "../sql.ts";

/**
 * swept: up to when GitHub's log was read. round: when all repositories were last looked at. restored: of a backup. tidied: when
 * old rows were removed. `session NAME`: until when a dashboard session that was logged out of would have lasted.
 */
export type Moment = "swept" | "round" | "restored" | "tidied" | `session ${string}`;

export interface Moments {
  /** Epoch milliseconds; null when it never was. */
  at(name: Moment): Promise<number | null>;
  set(name: Moment, at: number): Promise<void>;
}

/** Over an open database (see QUEUE_PART), or in a transaction. */
export function storedMoments(sql: Sql): Moments {
  return {
    at: async (name) => (await sql.one<{ at: number }>("SELECT at FROM moments WHERE name = $1", [name]))?.at ?? null,
    async set(name, at) {
      await sql.run(
        "INSERT INTO moments (name, at) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET at = excluded.at",
        [name, Math.floor(at)],
      );
    },
  };
}

/** Sessions that were logged out of (see RETENTION for how long). */
export function storedEndedSessions(sql: Sql): EndedSessions {
  const moments = storedMoments(sql);
  return {
    end: (session, until) => moments.set(`session ${session}`, until),
    isEnded: async (session) => (await moments.at(`session ${session}`)) !== null,
  };
}
