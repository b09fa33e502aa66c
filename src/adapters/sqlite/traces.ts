// What the queue's file holds of a repository beside its memory goes, and then its bytes.
import type { BesideForgetting, Traces } from "../../ports.ts";
import { type Database, write } from "./database.ts";
import { truncateLog } from "./truncate-log.ts";

/** Tables whose rows name the repository as `HOST/REPO_ID`. */
const BY_REPOSITORY = ["retrievals", "answers", "push_waits", "history", "watched", "turns", "intents"];
/** Tables whose rows have a key that begins so, and goes on with `#` or `:`. */
const BY_KEY = ["reviews", "paused", "declined", "check_runs", "looks", "old_heads", "replies"];
/** `$` is the character after `#`, and `;` the one after `:`. */
const IN_KEYS = "(key >= @repo || '#' AND key < @repo || '$' OR key >= @repo || ':' AND key < @repo || ';')";

/**
 * Traces in an open queue database (see QUEUE_MIGRATIONS). Deleted text is overwritten there (see openDatabase). The job that
 * forgets stays until it ends, without the repository's name. Throws `Transient` on a lock, and while a reader keeps the
 * old bytes.
 */
export function sqliteTraces(db: Database.Database): Traces {
  return {
    async forgetRepository({ host, id }) {
      const given = { repo: `${host}/${id}` };
      const run = (sql: string) => db.prepare(sql).run(given).changes;
      const reviews = write(db, () => {
        run(`UPDATE jobs SET job = json_set(job, '$.repo.owner', '', '$.repo.name', '')
             WHERE ${IN_KEYS} AND state = 'running'`);
        run(`DELETE FROM jobs WHERE ${IN_KEYS} AND state <> 'running'`);
        run("UPDATE deliveries SET meaning = NULL WHERE meaning >= @repo || '#' AND meaning < @repo || '$'");
        for (const table of BY_REPOSITORY) run(`DELETE FROM ${table} WHERE repo = @repo`);
        const [gone = 0] = BY_KEY.map((table) => run(`DELETE FROM ${table} WHERE ${IN_KEYS}`));
        return gone;
      });
      await truncateLog(db);
      return reviews;
    },
    async besides({ host, id }, key) {
      const counts = db.prepare(
        `SELECT count(*) FILTER (WHERE state = 'running') AS running,
          count(*) FILTER (WHERE state NOT IN ('running', 'waiting')) AS ended
         FROM jobs WHERE ${IN_KEYS} AND key <> @key`,
      );
      return counts.get({ repo: `${host}/${id}`, key }) as BesideForgetting;
    },
  };
}
