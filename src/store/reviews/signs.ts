// Signs of use and progress of a store.
import type { Signs } from "../../ports/signs.ts";
import type { LaneName } from "../../ports.ts";
import type { Database } from "../sql.ts";
import { oneValue } from "../statement.ts";

const POSTED = "SELECT max(settled_at) AS at FROM reviews WHERE outcome = 'posted'";
const LAST_USED = `SELECT max(at) AS at FROM (
  SELECT max(received_at) AS at FROM deliveries
  UNION ALL SELECT max(written_at) FROM reviews
  UNION ALL SELECT max(at) FROM spending
  UNION ALL SELECT at FROM moments WHERE name IN ('tidied', 'restored')) AS signs`;

/**
 * Installations whose last review, by any process, was refused with 401 or 403. One of a closed pull request read nothing that GitHub
 * could have refused.
 */
const REFUSED = `SELECT count(*) AS n FROM (
  SELECT installation_id AS id, max(finished_at) AS at FROM jobs
  WHERE lane = 'review' AND state = 'parked' AND (outcome LIKE 'refused:%' OR outcome LIKE 'unauthorised:%')
  GROUP BY installation_id) AS refused
  WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE lane = 'review' AND state = 'done' AND installation_id = refused.id
    AND finished_at > refused.at AND outcome <> 'skipped: the pull request is closed')`;

export function storedSigns(db: Database): Signs {
  return {
    async progress(now) {
      const oldest = await db.all<{ readonly lane: LaneName; readonly age: number }>(
        `SELECT lane, ${db.dialect.now} - min(created_at) AS age FROM jobs WHERE state = 'waiting' GROUP BY lane`,
      );
      const posted = await oneValue<number>(db, POSTED);
      const ages = Object.fromEntries(oldest.map(({ lane, age }) => [lane, Math.max(0, age)]));
      return {
        oldestWaitingMs: { review: 0, command: 0, upkeep: 0, ...ages },
        sincePostedMs: posted === null ? null : Math.max(0, now - posted),
        refusedInstallations: (await oneValue<number>(db, REFUSED)) ?? 0,
      };
    },
    lastUsed: () => oneValue(db, LAST_USED),
  };
}
