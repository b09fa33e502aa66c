// What the last replay of each repository came to. It goes with its repository.
import type { ReplayResult } from "../../domain/replay-result.ts";
import type { Replays } from "../../ports/memory.ts";
import { keyOf } from "./repository-row.ts";
import type { Postgres } from "./sql.ts";

interface Row extends Omit<ReplayResult, "gain"> {
  readonly low: number | null;
  readonly mean: number | null;
  readonly high: number | null;
}

/** Over an open database. */
export function postgresReplays(db: Postgres): Replays {
  return {
    async of(repo) {
      const row = await db.one<Row>(
        `SELECT y.at, y.pulls, y.comments, y.on_rate AS "on", y.placebo, y.low, y.mean, y.high, y.model
         FROM replays y JOIN repositories p ON p.id = y.repo WHERE p.host = $1 AND p.github_id = $2`,
        [...keyOf(repo)],
      );
      if (row === null) return null;
      const { low, mean, high, ...rest } = row;
      return { ...rest, gain: low === null || mean === null || high === null ? null : { low, mean, high } };
    },
    async save(repo, { gain, on, at, pulls, comments, placebo, model }) {
      const { low = null, mean = null, high = null } = gain ?? {};
      await db.run(
        `INSERT INTO replays (repo, at, pulls, comments, on_rate, placebo, low, mean, high, model)
         SELECT id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM repositories WHERE host = $1 AND github_id = $2
         ON CONFLICT (repo) DO UPDATE SET at = excluded.at, pulls = excluded.pulls, comments = excluded.comments,
           on_rate = excluded.on_rate, placebo = excluded.placebo, low = excluded.low, mean = excluded.mean,
           high = excluded.high, model = excluded.model`,
        [...keyOf(repo), at, pulls, comments, on, placebo, low, mean, high, model],
      );
    },
  };
}
