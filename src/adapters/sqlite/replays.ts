// What the last replay of each repository came to. It goes with its repository.
import { existsSync } from "node:fs";
import BetterSqlite from "better-sqlite3";
import type { RepoKey } from "../../domain/memory.ts";
import type { ReplayResult } from "../../domain/replay-result.ts";
import type { Replays } from "../../ports/memory.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import { type Database, write } from "./database.ts";

interface Row extends Omit<ReplayResult, "gain"> {
  readonly low: number | null;
  readonly mean: number | null;
  readonly high: number | null;
}

/** Over an open memory (see openMemory). `save` throws Transient on a lock, and keeps nothing of a repository that is not remembered. */
export function sqliteReplays(db: Database.Database): Replays {
  return {
    of: async (repo) => lastOf(db, repo),
    async save(repo, { gain, on, ...rest }) {
      const row = { ...rest, onRate: on, low: gain?.low ?? null, mean: gain?.mean ?? null, high: gain?.high ?? null };
      write(db, () =>
        db
          .prepare(
            `INSERT OR REPLACE INTO replays (repo, at, pulls, comments, on_rate, placebo, low, mean, high, model)
             SELECT id, @at, @pulls, @comments, @onRate, @placebo, @low, @mean, @high, @model FROM repositories
             WHERE host = @host AND github_id = @githubId`,
          )
          .run({ ...row, ...(splitRepoKey(repo) ?? { host: "", githubId: "" }) }),
      );
    },
  };
}

/** The same for a file that is only looked at: null when it is not there or cannot be read. */
export function replaysInFile(path: string): Pick<Replays, "of"> {
  return { of: async (repo) => lastInFile(path, repo) };
}

function lastInFile(path: string, repo: RepoKey): ReplayResult | null {
  if (!existsSync(path)) return null;
  try {
    const db = new BetterSqlite(path, { readonly: true, fileMustExist: true });
    try {
      return lastOf(db, repo);
    } finally {
      db.close();
    }
  } catch {
    return null;
  }
}

function lastOf(db: Database.Database, repo: RepoKey): ReplayResult | null {
  const row = db
    .prepare(
      `SELECT y.at, y.pulls, y.comments, y.on_rate AS "on", y.placebo, y.low, y.mean, y.high, y.model
       FROM replays y JOIN repositories p ON p.id = y.repo WHERE p.host = @host AND p.github_id = @githubId`,
    )
    .get(splitRepoKey(repo) ?? { host: "", githubId: "" }) as Row | undefined;
  if (row === undefined) return null;
  const { low, mean, high, ...rest } = row;
  return { ...rest, gain: low === null || mean === null || high === null ? null : { low, mean, high } };
}
