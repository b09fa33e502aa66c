// How long pushes wait, as repositories said at their last review: known before the configuration is read again.
import type { Database } from "better-sqlite3";
import type { Repo } from "../../domain/job.ts";
import type { PushWaits } from "../../ports/checks.ts";
import { write } from "./database.ts";

/** Over an open queue database (see QUEUE_MIGRATIONS). `learn` throws `Transient` on a lock. */
export function sqlitePushWaits(db: Database): PushWaits {
  const of = ({ host, id }: Pick<Repo, "host" | "id">) =>
    (db.prepare("SELECT ms FROM push_waits WHERE repo = ?").pluck().get(`${host}/${id}`) as number | undefined) ?? null;
  return {
    of: async (repo) => of(repo),
    async learn(repo, ms) {
      if (of(repo) === ms) return;
      write(db, () =>
        db
          .prepare("INSERT INTO push_waits (repo, ms) VALUES (?, ?) ON CONFLICT (repo) DO UPDATE SET ms = excluded.ms")
          .run(`${repo.host}/${repo.id}`, ms),
      );
    },
  };
}
