// Signs that a store is worked on: the same SQL for every store.
import type { Signs } from "../ports/signs.ts";
import type { LaneName } from "../ports.ts";

export interface Asking {
  readonly all: <Row>(sql: string) => Promise<readonly Row[]>;
  /** What the queue's own clock shows, in epoch milliseconds. */
  readonly queueNow: () => number | Promise<number>;
}

const OLDEST = "SELECT lane, min(created_at) AS since FROM jobs WHERE state = 'waiting' GROUP BY lane";
const POSTED = "SELECT max(settled_at) AS at FROM reviews WHERE outcome = 'posted'";
const LAST_USED = `SELECT max(at) AS at FROM (
  SELECT max(received_at) AS at FROM deliveries
  UNION ALL SELECT max(written_at) FROM reviews
  UNION ALL SELECT max(at) FROM spending
  UNION ALL SELECT at FROM moments WHERE name IN ('tidied', 'restored')) AS signs`;

interface At {
  readonly at: number | null;
}

export function signsOf({ all, queueNow }: Asking): Signs {
  return {
    async progress(now) {
      const oldest = await all<{ readonly lane: LaneName; readonly since: number }>(OLDEST);
      const [posted] = await all<At>(POSTED);
      const queue = await queueNow();
      const ages = Object.fromEntries(oldest.map(({ lane, since }) => [lane, Math.max(0, queue - since)]));
      return {
        oldestWaitingMs: { review: 0, command: 0, upkeep: 0, ...ages },
        sincePostedMs: typeof posted?.at === "number" ? Math.max(0, now - posted.at) : null,
      };
    },
    lastUsed: async () => (await all<At>(LAST_USED))[0]?.at ?? null,
  };
}
