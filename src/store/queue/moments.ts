// Named timestamps of the whole store.
import type { EndedSessions } from "../../ports/login.ts";
import type { Sql } from "../sql.ts";
import { oneValue, upsert } from "../statement.ts";

/**
 * first round: when open pull requests were first listed. `round ID`: the last check of an
 * installation's repositories. restored: the last restore. tidied: the last deletion of expired
 * rows. `session NAME`: when a logged-out dashboard session would have expired.
 */
type Moment = "first round" | `round ${number}` | "restored" | "tidied" | `session ${string}`;

/** Over an open database, or in a transaction. Epoch milliseconds; null when not set. */
export function storedMoments(sql: Sql) {
  return {
    at: (name: Moment) => oneValue<number>(sql, "SELECT at FROM moments WHERE name = $1", [name]),
    set: (name: Moment, at: number) => upsert(sql, "moments", ["name"], { name, at: Math.floor(at) }),
  };
}

/** Logged-out sessions (see RETENTION for how long). */
export function storedEndedSessions(sql: Sql): EndedSessions {
  const moments = storedMoments(sql);
  return {
    end: (session, until) => moments.set(`session ${session}`, until),
    isEnded: async (session) => (await moments.at(`session ${session}`)) !== null,
  };
}
