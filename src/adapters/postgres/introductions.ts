// Whether a repository still gets to know Kodiai: its first reviews, and those while its past is being imported.
import { upkeepKey } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { Introductions } from "../../ports/history.ts";
import type { Postgres } from "./sql.ts";

/** Reviews that say what memory there is. */
const FIRST = 3;

/** Over an open database (see BOOK_PART). Throws `Transient` when it cannot be asked. */
export function postgresIntroductions(db: Postgres): Introductions {
  return {
    async of(repo) {
      // An import that was given up is not on its way.
      const importing = "SELECT 1 FROM jobs WHERE key = $1 AND state IN ('waiting', 'running')";
      if ((await db.one(importing, [upkeepKey(repo, "history")])) !== null) return "importing";
      // Keys are `HOST/REPO_ID#NUMBER`; `$` is the character after `#`.
      const key = repoKey(repo);
      const posted = await db.one<{ count: number }>(
        "SELECT count(*) FROM reviews WHERE key >= $1 AND key < $2 AND outcome = 'posted'",
        [`${key}#`, `${key}$`],
      );
      return (posted?.count ?? 0) < FIRST ? "first reviews" : null;
    },
  };
}
