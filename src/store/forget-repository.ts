// Removes a repository's data outside memory.
import type { AnyJob, BesideForgetting, Traces } from "../ports.ts";
import type { Database, Sql } from "./sql.ts";

/** Tables whose rows name the repository as `HOST/REPO_ID`. */
const BY_REPOSITORY = ["retrievals", "answers", "push_waits", "history", "watched", "intents"];
/** Tables whose keys begin with `HOST/REPO_ID`, followed by `#` or `:`. */
const BY_KEY = ["reviews", "paused", "declined", "check_runs", "looks", "old_heads", "replies"];
/** `$` is the character after `#`, and `;` the one after `:`. */
const IN_KEYS = "(key >= $1 || '#' AND key < $1 || '$' OR key >= $1 || ':' AND key < $1 || ';')";

/**
 * The running job stays until it ends, without the repository's name. May throw `Transient`.
 *
 * @param reclaim frees the space of deleted rows of these tables
 */
export function storedTraces(db: Database, reclaim: (tables: readonly string[]) => Promise<void>): Traces {
  return {
    async forgetRepository({ host, id }) {
      const repo = `${host}/${id}`;
      const reviews = await db.transaction(async (tx) => {
        await removeName(tx, repo);
        await tx.run("DELETE FROM jobs WHERE repo = $1 AND state <> 'running'", [repo]);
        await tx.run("UPDATE deliveries SET meaning = NULL WHERE meaning >= $1 || '#' AND meaning < $1 || '$'", [repo]);
        for (const table of BY_REPOSITORY) await tx.run(`DELETE FROM ${table} WHERE repo = $1`, [repo]);
        await tx.run("DELETE FROM account_turns WHERE account NOT IN (SELECT account FROM jobs)");
        let removedReviews = 0;
        for (const table of BY_KEY) {
          const removed = await tx.run(`DELETE FROM ${table} WHERE ${IN_KEYS}`, [repo]);
          if (table === "reviews") removedReviews = removed;
        }
        return removedReviews;
      });
      await reclaim(["jobs", "deliveries", "account_turns", ...BY_REPOSITORY, ...BY_KEY]);
      return reviews;
    },
    async besides({ host, id }, key) {
      const row = await db.one<BesideForgetting>(
        `SELECT count(*) FILTER (WHERE state = 'running') AS running,
          count(*) FILTER (WHERE state NOT IN ('running', 'waiting')) AS ended
         FROM jobs WHERE repo = $1 AND key <> $2`,
        [`${host}/${id}`, key],
      );
      return row ?? { running: 0, ended: 0 };
    },
  };
}

async function removeName(tx: Sql, repo: string): Promise<void> {
  const rows = await tx.all<{ id: number; job: string }>(
    `SELECT id, job FROM jobs WHERE repo = $1 AND state = 'running'${tx.dialect.forUpdate}`,
    [repo],
  );
  for (const { id, job } of rows) {
    const named = JSON.parse(job) as AnyJob;
    const unnamed = { ...named, repo: { ...named.repo, owner: "", name: "" } };
    await tx.run("UPDATE jobs SET job = $2 WHERE id = $1", [id, JSON.stringify(unnamed)]);
  }
}
