// Whether a repository still gets to know Kodiai: its first reviews, and those while its past is being imported.
import type { Database } from "better-sqlite3";
import { repoKey } from "../../domain/memory.ts";
import type { Introductions } from "../../ports-history.ts";
import { sqliteHistoryBook } from "./history-book.ts";

/** Reviews that say what memory there is. */
const FIRST = 3;

/** Over an open queue database (see QUEUE_MIGRATIONS). */
export function sqliteIntroductions(db: Database): Introductions {
  const book = sqliteHistoryBook(db);
  return {
    of(repo) {
      const key = repoKey(repo);
      const progress = book.of(key);
      if (progress !== null && progress.finishedAt === null) return "importing";
      // Keys are `HOST/REPO_ID#NUMBER`; `$` is the character after `#`.
      const posted = db
        .prepare("SELECT count(*) FROM reviews WHERE key >= ? AND key < ? AND outcome = 'posted'")
        .pluck()
        .get(`${key}#`, `${key}$`) as number;
      return posted < FIRST ? "first reviews" : null;
    },
  };
}
