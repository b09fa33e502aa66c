// Removes records with their dependent rows and cached queries, and then frees their space.
import { setImmediate } from "node:timers/promises";
import type { RepoKey } from "../../domain/memory.ts";
import type { Database } from "../sql.ts";
import { tick } from "./records.ts";
import { repoValues } from "./scope.ts";

/** Rows per transaction: on SQLite a deletion rewrites index pages, which takes about as long as an insertion. */
const CHUNK = 50;

/**
 * Removes these records of a repository; ignores ids of other repositories.
 *
 * @returns how many records were removed
 * @throws Transient when their bytes are still in use: call again
 */
export async function forgetRecords(
  db: Database,
  repo: RepoKey,
  ids: readonly string[],
  reclaim: () => Promise<void>,
): Promise<number> {
  const wanted = [...new Set(ids)];
  let forgotten = 0;
  for (let from = 0; from < wanted.length; from += CHUNK) {
    forgotten += await db.transaction(async (tx) => {
      const version = await tick(tx);
      const row = await tx.one<{ id: number }>(
        "UPDATE repositories SET version = $3 WHERE host = $1 AND github_id = $2 RETURNING id",
        [...repoValues(repo), version],
      );
      if (row === null) return 0;
      const some = wanted.slice(from, from + CHUNK);
      return tx.run(`DELETE FROM records WHERE repo = $1 AND ${tx.dialect.among("mem", "$2", "text")}`, [row.id, some]);
    });
    await setImmediate();
  }
  await purge(db, reclaim);
  return forgotten;
}

/** Removes a whole repository. Searches exclude it at once; its rows are deleted afterwards. */
export async function forgetWholeRepository(
  db: Database,
  repo: RepoKey,
  reclaim: () => Promise<void>,
): Promise<number> {
  await db.transaction(async (tx) => {
    const version = await tick(tx);
    // No scope can name the empty host (see splitRepoKey), and it has no owner.
    await tx.run(
      `UPDATE repositories SET host = '', github_id = CAST(id AS text), owner_id = NULL, full_name = '',
         gives = 0, version = $3 WHERE host = $1 AND github_id = $2`,
      [...repoValues(repo), version],
    );
  });
  const forgotten = await removeForgotten(db);
  await purge(db, reclaim);
  return forgotten;
}

/** Finishes removals that an earlier process began. */
export async function sweepForgotten(db: Database, reclaim: () => Promise<void>): Promise<void> {
  if ((await removeForgotten(db)) > 0) await purge(db, reclaim);
}

async function removeForgotten(db: Database): Promise<number> {
  const repositories = await db.all<{ id: number }>("SELECT id FROM repositories WHERE host = '' ORDER BY id");
  let forgotten = 0;
  for (const { id } of repositories) {
    for (;;) {
      const removed = await db.run(
        "DELETE FROM records WHERE id IN (SELECT id FROM records WHERE repo = $1 LIMIT $2)",
        [id, CHUNK],
      );
      forgotten += removed;
      if (removed < CHUNK) break;
      await setImmediate();
    }
    await db.run("DELETE FROM repositories WHERE id = $1", [id]);
  }
  return forgotten;
}

/**
 * Also deletes cached queries, which stem from the same pull requests, and frees the space.
 *
 * @throws Transient on a lock, and while a reader keeps the old bytes
 */
async function purge(db: Database, reclaim: () => Promise<void>): Promise<void> {
  await db.run("DELETE FROM embeddings");
  await reclaim();
}
