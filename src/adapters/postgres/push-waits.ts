// How long pushes wait, as repositories said at their last review: known before the configuration is read again.
import type { Repo } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { PushWaits } from "../../ports/checks.ts";
import type { Postgres } from "./sql.ts";

/** Over an open database (see BOOK_PART). Throws `Transient` when it cannot be asked. */
export function postgresPushWaits(db: Postgres): PushWaits {
  const of = async (repo: Pick<Repo, "host" | "id">) =>
    (await db.one<{ ms: number }>("SELECT ms FROM push_waits WHERE repo = $1", [repoKey(repo)]))?.ms ?? null;
  return {
    of,
    async learn(repo, ms) {
      if ((await of(repo)) === ms) return;
      await db.run(
        "INSERT INTO push_waits (repo, ms) VALUES ($1, $2) ON CONFLICT (repo) DO UPDATE SET ms = excluded.ms",
        [repoKey(repo), ms],
      );
    },
  };
}
