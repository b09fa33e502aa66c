// Forgetting: rows, words, vectors and cached queries go, and then the space that they took.
import type { RepoKey } from "../../domain/memory.ts";
import { nextVersion } from "./repository-row.ts";
import type { Postgres } from "./sql.ts";

/** Rows a transaction: whatever stands beside a record goes with it. */
const CHUNK = 500;

/**
 * Forgets these records of a repository; ids of other repositories are left alone.
 *
 * @returns how many records went
 */
export async function forgetRecords(db: Postgres, repo: RepoKey, ids: readonly string[]): Promise<number> {
  const wanted = [...new Set(ids)];
  let gone = 0;
  for (let from = 0; from < wanted.length; from += CHUNK) {
    gone += await db.transaction(async (sql) => {
      const at = await nextVersion(sql, repo);
      if (at === null) return 0;
      const some = wanted.slice(from, from + CHUNK);
      return sql.run("DELETE FROM records WHERE repo = $1 AND mem = ANY ($2::text[])", [at.id, some]);
    });
  }
  await purge(db);
  return gone;
}

/** Forgets a repository as a whole. It is gone from every search at once; its rows follow. */
export async function forgetWholeRepository(db: Postgres, repo: RepoKey): Promise<number> {
  await db.transaction(async (sql) => {
    const at = await nextVersion(sql, repo);
    if (at === null) return;
    // The empty host is no repository that a scope can name (see splitRepoKey), and nobody owns it.
    await sql.run(
      "UPDATE repositories SET host = '', github_id = id::text, owner_id = NULL, full_name = '', gives = false WHERE id = $1",
      [at.id],
    );
  });
  const gone = await removeForgotten(db);
  await purge(db);
  return gone;
}

/** Ends what an earlier process began. */
export async function sweepForgotten(db: Postgres): Promise<void> {
  if ((await removeForgotten(db)) > 0) await purge(db);
}

async function removeForgotten(db: Postgres): Promise<number> {
  const repositories = await db.all<{ id: number }>("SELECT id FROM repositories WHERE host = '' ORDER BY id");
  let gone = 0;
  for (const { id } of repositories) {
    for (let removed = CHUNK; removed === CHUNK; gone += removed)
      removed = await db.run("DELETE FROM records WHERE id IN (SELECT id FROM records WHERE repo = $1 LIMIT $2)", [
        id,
        CHUNK,
      ]);
    await db.run("DELETE FROM repositories WHERE id = $1", [id]);
  }
  return gone;
}

const TABLES = "records, contents, words, vectors, evidence, flagged, embeddings";

/**
 * Cached queries go, which were made from the same pull requests; then dead rows are taken out of tables and indexes. Their
 * bytes are written over as pages are used again: `VACUUM FULL` is the operator's way to have that at once (docs/data.md).
 */
async function purge(db: Postgres): Promise<void> {
  await db.run("DELETE FROM embeddings");
  // Somebody else may be at it: then Postgres does it by itself later.
  await db.patiently(`VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON) ${TABLES}`).catch(() => {});
}
