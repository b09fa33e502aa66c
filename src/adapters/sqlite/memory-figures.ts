// How memory stands, for the dashboard, and which recurring remarks were taken over as rules: both from memory.db.
import type { RepoKey } from "../../domain/memory.ts";
import type { ConventionMarks, DayCount, MemoryFigures } from "../../ports/dashboard.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import { type Database, write } from "./database.ts";

const DAY_MS = 86_400_000;
const OF_REPOSITORY = "(@host IS NULL OR (p.host = @host AND p.github_id = @githubId))";

/** Over an open memory (see openMemory). */
export function sqliteMemoryFigures(db: Database.Database): MemoryFigures {
  return {
    findingOutcomes: async (of) =>
      db
        .prepare(
          `SELECT coalesce(r.outcome, 'none') AS outcome, count(*) AS count
           FROM records r JOIN repositories p ON p.id = r.repo WHERE r.corpus = 'finding' AND ${OF_REPOSITORY}
           GROUP BY 1 ORDER BY 2 DESC, 1`,
        )
        .all(at(of)) as Awaited<ReturnType<MemoryFigures["findingOutcomes"]>>,
    decidedDays: async (of, since) =>
      db
        .prepare(
          `SELECT d.at / ${DAY_MS} * ${DAY_MS} AS day, d.outcome AS name, count(*) AS count
           FROM decided d JOIN records r ON r.id = d.id JOIN repositories p ON p.id = r.repo
           WHERE r.corpus = 'finding' AND d.at >= @since AND ${OF_REPOSITORY}
           GROUP BY 1, 2 ORDER BY 1, 2`,
        )
        .all({ ...at(of), since }) as DayCount[],
    memories: async (repo, list, slice) => {
      const rows = `records r JOIN repositories p ON p.id = r.repo
        WHERE p.host = @host AND p.github_id = @githubId AND (@corpus IS NULL OR r.corpus = @corpus)
          AND (@outcome IS NULL OR r.outcome = @outcome) AND (@language IS NULL OR r.language = @language)`;
      const values = { ...at(repo), ...list };
      return {
        total: db.prepare(`SELECT count(*) FROM ${rows}`).pluck().get(values) as number,
        ids: db
          .prepare(`SELECT r.mem FROM ${rows} ORDER BY r.at DESC, r.id DESC LIMIT @most OFFSET @skip`)
          .pluck()
          .all({ ...values, ...slice }) as string[],
      };
    },
  };
}

/** Over an open memory. What writes throws `Transient` on a lock. */
export function sqliteConventionMarks(db: Database.Database): ConventionMarks {
  const ofRepository = `SELECT r.id FROM records r JOIN repositories p ON p.id = r.repo
    WHERE p.host = @host AND p.github_id = @githubId`;
  return {
    taken: async (repo) => {
      const rows = db
        .prepare(`SELECT r.mem, t.at FROM taken t JOIN records r ON r.id = t.id WHERE t.id IN (${ofRepository})`)
        .all(at(repo)) as { readonly mem: string; readonly at: number }[];
      return new Map(rows.map((row) => [row.mem, row.at]));
    },
    take: async (repo, memoryId, when) =>
      write(
        db,
        () =>
          db
            .prepare(
              `INSERT OR REPLACE INTO taken (id, at) ${ofRepository.replace("r.id", "r.id, @when")} AND r.mem = @memoryId`,
            )
            .run({ ...at(repo), when, memoryId }).changes > 0,
      ),
    untake: async (repo, memoryIds) =>
      write(
        db,
        () =>
          db
            .prepare(
              `DELETE FROM taken WHERE id IN (${ofRepository} AND r.mem IN (SELECT value FROM json_each(@memoryIds)))`,
            )
            .run({ ...at(repo), memoryIds: JSON.stringify(memoryIds) }).changes,
      ),
  };
}

function at(repo: RepoKey | null): { readonly host: string | null; readonly githubId: string | null } {
  if (repo === null) return { host: null, githubId: null };
  return splitRepoKey(repo) ?? { host: "", githubId: "" };
}
