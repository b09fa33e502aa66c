// How memory stands, for the dashboard, and which recurring remarks were taken over as rules.

import type { RepoKey } from "../../domain/memory.ts";
import type { ConventionMarks, DayCount, MemoryFigures } from "../../ports/dashboard.ts";
import { keyOf } from "./repository-row.ts";
import type { Postgres } from "./sql.ts";

const DAY_MS = 86_400_000;
const OF_REPOSITORY = "($1::text IS NULL OR (p.host = $1 AND p.github_id = $2::text))";
const ofAny = (of: RepoKey | null): readonly unknown[] => (of === null ? [null, null] : keyOf(of));

/** Over an open database (see openPostgres). */
export function postgresMemoryFigures(db: Postgres): MemoryFigures {
  return {
    findingOutcomes: (of) =>
      db.all(
        `SELECT coalesce(r.outcome, 'none') AS outcome, count(*) AS count
         FROM records r JOIN repositories p ON p.id = r.repo WHERE r.corpus = 'finding' AND ${OF_REPOSITORY}
         GROUP BY 1 ORDER BY 2 DESC, 1`,
        ofAny(of),
      ),
    decidedDays: (of, since) =>
      db.all<DayCount>(
        `SELECT d.at / ${DAY_MS} * ${DAY_MS} AS day, d.outcome AS name, count(*) AS count
         FROM decided d JOIN records r ON r.id = d.id JOIN repositories p ON p.id = r.repo
         WHERE r.corpus = 'finding' AND d.at >= $3 AND ${OF_REPOSITORY}
         GROUP BY 1, 2 ORDER BY 1, 2`,
        [...ofAny(of), since],
      ),
    memories: (repo, { corpus, outcome, language }, { skip, most }) =>
      db.snapshot(async (sql) => {
        const rows = `records r JOIN repositories p ON p.id = r.repo
          WHERE p.host = $1 AND p.github_id = $2 AND ($3::text IS NULL OR r.corpus = $3)
            AND ($4::text IS NULL OR r.outcome = $4) AND ($5::text IS NULL OR r.language = $5)`;
        const values = [...keyOf(repo), corpus, outcome, language];
        const total = await sql.one<{ count: number }>(`SELECT count(*) FROM ${rows}`, values);
        const listed = await sql.all<{ mem: string }>(
          `SELECT r.mem FROM ${rows} ORDER BY r.at DESC, r.id DESC LIMIT $6 OFFSET $7`,
          [...values, most, skip],
        );
        return { total: total?.count ?? 0, ids: listed.map(({ mem }) => mem) };
      }),
  };
}

const OWN = "SELECT r.id FROM records r JOIN repositories p ON p.id = r.repo WHERE p.host = $1 AND p.github_id = $2";

/** Over an open database (see openPostgres). */
export function postgresConventionMarks(db: Postgres): ConventionMarks {
  return {
    async taken(repo) {
      const rows = await db.all<{ readonly mem: string; readonly at: number }>(
        `SELECT r.mem, t.at FROM taken t JOIN records r ON r.id = t.id WHERE t.id IN (${OWN})`,
        keyOf(repo),
      );
      return new Map(rows.map(({ mem, at }) => [mem, at]));
    },
    take: async (repo, memoryId, at) =>
      (await db.run(
        `INSERT INTO taken (id, at) SELECT id, $4::bigint FROM (${OWN} AND r.mem = $3) AS own
         ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
        [...keyOf(repo), memoryId, at],
      )) > 0,
    untake: (repo, memoryIds) =>
      db.run(`DELETE FROM taken WHERE id IN (${OWN} AND r.mem = ANY ($3::text[]))`, [...keyOf(repo), [...memoryIds]]),
  };
}
