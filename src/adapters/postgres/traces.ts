// What the database holds of a repository beside its memory goes.
import type { AnyJob, BesideForgetting, Traces } from "../../ports.ts";
import type { Postgres, Sql } from "./sql.ts";

/** Tables whose rows name the repository as `HOST/REPO_ID`. */
const BY_REPOSITORY = ["retrievals", "answers", "push_waits", "history", "watched", "turns", "intents"];
/** Tables whose rows have a key that begins so, and goes on with `#` or `:`. */
const BY_KEY = ["reviews", "paused", "declined", "check_runs", "looks", "old_heads", "replies"];
/** `$` is the character after `#`, and `;` the one after `:`. */
const IN_KEYS = "(key >= $1 || '#' AND key < $1 || '$' OR key >= $1 || ':' AND key < $1 || ';')";

/**
 * Traces in an open database (see QUEUE_PART, BOOK_PART and RETRIEVAL_PART). The job that forgets stays until it ends, without the
 * repository's name; a ticket of one that goes has no job any more and is dropped. Then dead rows are taken out of the tables:
 * their bytes are written over as pages are used again. Throws `Transient` when the database cannot be asked.
 */
export function postgresTraces(db: Postgres): Traces {
  return {
    async forgetRepository({ host, id }) {
      const repo = `${host}/${id}`;
      const reviews = await db.transaction(async (sql) => {
        await unname(sql, repo);
        await sql.run("DELETE FROM jobs WHERE repo = $1 AND state <> 'running'", [repo]);
        await sql.run("UPDATE deliveries SET meaning = NULL WHERE meaning >= $1 || '#' AND meaning < $1 || '$'", [
          repo,
        ]);
        for (const table of BY_REPOSITORY) await sql.run(`DELETE FROM ${table} WHERE repo = $1`, [repo]);
        let gone = 0;
        for (const table of BY_KEY) {
          const removed = await sql.run(`DELETE FROM ${table} WHERE ${IN_KEYS}`, [repo]);
          if (table === "reviews") gone = removed;
        }
        return gone;
      });
      const tables = ["jobs", "deliveries", ...BY_REPOSITORY, ...BY_KEY].join(", ");
      // Somebody else may be at it: then Postgres does it by itself later.
      await db.patiently(`VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON) ${tables}`).catch(() => {});
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

async function unname(sql: Sql, repo: string): Promise<void> {
  const rows = await sql.all<{ id: number; job: string }>(
    "SELECT id, job FROM jobs WHERE repo = $1 AND state = 'running' FOR UPDATE",
    [repo],
  );
  for (const { id, job } of rows) {
    const named = JSON.parse(job) as AnyJob;
    const unnamed = { ...named, repo: { ...named.repo, owner: "", name: "" } };
    await sql.run("UPDATE jobs SET job = $2 WHERE id = $1", [id, JSON.stringify(unnamed)]);
  }
}
