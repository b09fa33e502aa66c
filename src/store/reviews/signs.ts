// Signs that a store is in use and its work proceeds.
import type { Signs } from "../../ports/signs.ts";
import type { LaneName } from "../../ports.ts";
import type { Database } from "../sql.ts";

const POSTED = "SELECT max(settled_at) AS at FROM reviews WHERE outcome = 'posted'";
const LAST_USED = `SELECT max(at) AS at FROM (
  SELECT max(received_at) AS at FROM deliveries
  UNION ALL SELECT max(written_at) FROM reviews
  UNION ALL SELECT max(at) FROM spending
  UNION ALL SELECT at FROM moments WHERE name IN ('tidied', 'restored')) AS signs`;

interface At {
  readonly at: number | null;
}

export function storedSigns(db: Database): Signs {
  return {
    async progress(now) {
      const oldest = await db.all<{ readonly lane: LaneName; readonly age: number }>(
        `SELECT lane, ${db.dialect.now} - min(created_at) AS age FROM jobs WHERE state = 'waiting' GROUP BY lane`,
      );
      const posted = await db.one<At>(POSTED);
      const ages = Object.fromEntries(oldest.map(({ lane, age }) => [lane, Math.max(0, age)]));
      return {
        oldestWaitingMs: { review: 0, command: 0, upkeep: 0, ...ages },
        sincePostedMs: typeof posted?.at === "number" ? Math.max(0, now - posted.at) : null,
      };
    },
    lastUsed: async () => (await db.one<At>(LAST_USED))?.at ?? null,
  };
}
