// Whether a repository still gets to know Kodiai: its first reviews, and those while its past is being imported.
import type { Database } from "better-sqlite3";
import { upkeepKey } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { Introductions } from "../../ports/history.ts";

/** Reviews that say what memory there is. */
const FIRST = 3;

/** Over an open queue database (see QUEUE_MIGRATIONS). */
export function sqliteIntroductions(db: Database): Introductions {
  return {
    async of(repo) {
      // An import that was given up is not on its way.
      const importing = db
        .prepare("SELECT 1 FROM jobs WHERE key = ? AND state IN ('waiting', 'running')")
        .get(upkeepKey(repo, "history"));
      if (importing !== undefined) return "importing";
      // Keys are `HOST/REPO_ID#NUMBER`; `$` is the character after `#`.
      const key = repoKey(repo);
      const posted = db
        .prepare("SELECT count(*) FROM reviews WHERE key >= ? AND key < ? AND outcome = 'posted'")
        .pluck()
        .get(`${key}#`, `${key}$`) as number;
      return posted < FIRST ? "first reviews" : null;
    },
  };
}
