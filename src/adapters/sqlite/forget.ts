// Forgetting: rows, words, vectors and cached queries go, and then their bytes, from the file and its write-ahead log.
import { setTimeout as wait } from "node:timers/promises";
import type { RepoKey } from "../../domain/memory.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import { type Database, write } from "./database.ts";
import { tick } from "./repository-label.ts";
import { truncateLog } from "./truncate-log.ts";
import { vectorRemoval } from "./write-record.ts";

/** Rows a transaction; a removal rewrites index pages, which takes about as long as adding. */
const CHUNK = 50;
/** Free pages that are given back at a time. */
const PAGES = 500;

/**
 * Forgets these records of a repository; ids of other repositories are left alone.
 *
 * @returns how many records went
 * @throws Transient when a reader kept the old bytes in the write-ahead log for five seconds: call again
 */
export async function forgetRecords(db: Database.Database, repo: RepoKey, ids: readonly string[]): Promise<number> {
  const repoId = repositoryId(db, repo);
  const find = db.prepare("SELECT id FROM records WHERE mem = ? AND repo = ?").pluck();
  const rows = [...new Set(ids)].flatMap((id) => (find.get(id, repoId) as number | undefined) ?? []);
  await removeRows(db, repoId, rows);
  await purge(db);
  return rows.length;
}

/** Forgets a repository as a whole. It is gone from every search at once; its rows follow. */
export async function forgetWholeRepository(db: Database.Database, repo: RepoKey): Promise<number> {
  const repoId = repositoryId(db, repo);
  if (repoId !== null) {
    write(db, () =>
      // The empty host is no repository that a scope can name (see splitRepoKey), and nobody owns it.
      db
        .prepare(
          "UPDATE repositories SET host = '', github_id = id, owner_id = NULL, full_name = '', version = ? WHERE id = ?",
        )
        .run(tick(db), repoId),
    );
  }
  const gone = await removeForgotten(db);
  await purge(db);
  return gone;
}

/** Ends what an earlier process began. */
export async function sweepForgotten(db: Database.Database): Promise<void> {
  if ((await removeForgotten(db)) > 0) await purge(db);
}

async function removeForgotten(db: Database.Database): Promise<number> {
  const repositories = db.prepare("SELECT id FROM repositories WHERE host = ''").pluck().all() as number[];
  let gone = 0;
  for (const id of repositories) {
    const rows = db.prepare("SELECT id FROM records WHERE repo = ?").pluck().all(id) as number[];
    await removeRows(db, null, rows);
    write(db, () => db.prepare("DELETE FROM repositories WHERE id = ?").run(id));
    gone += rows.length;
  }
  return gone;
}

/** Removes rows everywhere, a few at a time. `repoId` learns that it changed; null when it is going itself. */
async function removeRows(db: Database.Database, repoId: number | null, ids: readonly number[]): Promise<void> {
  const removeVector = vectorRemoval(db);
  const tables = ["words", "contents", "records"].map((table) => db.prepare(`DELETE FROM ${table} WHERE id = ?`));
  const changed = db.prepare("UPDATE repositories SET version = ? WHERE id = ?");
  for (let at = 0; at < ids.length; at += CHUNK) {
    if (at > 0) await wait(0);
    write(db, () => {
      for (const id of ids.slice(at, at + CHUNK)) {
        removeVector(id);
        for (const table of tables) table.run(id);
      }
      if (repoId !== null) changed.run(tick(db), repoId);
    });
  }
}

/**
 * Makes removal real. Pages were overwritten when their rows went (secure_delete); what is left are cached queries,
 * which were made from the same pull requests, free pages, and the write-ahead log.
 *
 * @throws Transient on a lock, and while a reader keeps the old bytes
 */
export async function purge(db: Database.Database): Promise<void> {
  write(db, () => db.prepare("DELETE FROM embeddings").run());
  while (Number(db.pragma("freelist_count", { simple: true })) > 0) {
    const before = db.pragma("freelist_count", { simple: true });
    db.pragma(`incremental_vacuum(${PAGES})`);
    // A file that was not laid out for it keeps its free (and overwritten) pages.
    if (db.pragma("freelist_count", { simple: true }) === before) break;
    await wait(0);
  }
  await truncateLog(db);
}

function repositoryId(db: Database.Database, repo: RepoKey): number | null {
  const key = splitRepoKey(repo);
  if (key === null) return null;
  const id = db
    .prepare("SELECT id FROM repositories WHERE host = ? AND github_id = ?")
    .pluck()
    .get(key.host, key.githubId);
  return (id as number | undefined) ?? null;
}
