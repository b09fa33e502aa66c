// The repositories in memory: owner and visibility, and figures.

import { DAY_MS } from "../../adapters/retention.ts";
import type { Repo } from "../../domain/job.ts";
import type { EmbeddingSpace, RepoKey } from "../../domain/memory.ts";
import type { DayCount, MemoryFigures } from "../../ports/dashboard.ts";
import type { RepositoryLabels } from "../../ports/memory.ts";
import type { Database, Sql } from "../sql.ts";
import { oneValue, select, type Values, values } from "../statement.ts";
import { tick } from "./records.ts";
import { splitRepoKey } from "./scope.ts";

/** Writing a memory can only narrow the repository's visibility; `relabel` widens it. */
export function storedLabels(db: Database): RepositoryLabels {
  return {
    relabel: ({ host, id, ownerId, visibility, owner, name }) =>
      db.transaction(async (tx) => {
        const version = await tick(tx);
        // A new owner does not inherit the sharing setting.
        const changed = await tx.run(
          `UPDATE repositories SET gives = CASE WHEN owner_id = $3 THEN gives ELSE 0 END, owner_id = $3, visibility = $4,
             full_name = $5, version = $6 WHERE host = $1 AND github_id = $2`,
          [host, String(id), ownerId, visibility, `${owner}/${name}`, version],
        );
        return changed > 0;
      }),
    async give({ host, id, ownerId, visibility, owner, name }, gives) {
      const stop = "UPDATE repositories SET gives = 0 WHERE host = $1 AND github_id = $2";
      await db.transaction(async (tx) => {
        if (!gives) return tx.run(stop, [host, String(id)]);
        const version = await tick(tx);
        // A sharing repository is inserted even without memories.
        return tx.run(
          `INSERT INTO repositories AS p (host, github_id, owner_id, visibility, full_name, version, gives)
           VALUES ($1, $2, $3, $4, $5, $6, 1)
           ON CONFLICT (host, github_id) DO UPDATE SET gives = CASE WHEN p.owner_id = excluded.owner_id THEN 1 ELSE 0 END`,
          [host, String(id), ownerId, visibility, `${owner}/${name}`, version],
        );
      });
    },
    async all() {
      // Without repositories that are being removed. The owner id is 0 when in doubt.
      const rows = await db.all<Pick<Repo, "host" | "ownerId" | "visibility"> & { id: string; name: string }>(
        `SELECT host, github_id AS id, coalesce(owner_id, 0) AS "ownerId", visibility, full_name AS name FROM repositories
         WHERE host <> '' AND EXISTS (SELECT 1 FROM records r WHERE r.repo = repositories.id AND r.stale = 0)
         ORDER BY host, lower(full_name), repositories.id`,
      );
      return rows.map(({ id, name: fullName, ...row }) => {
        const [owner = "", ...name] = fullName.split("/");
        return { ...row, id: Number(id), owner, name: name.join("/") };
      });
    },
  };
}

/** Over `r` (records): how many findings were taken up, declined, and said in all. */
const DECIDED = `count(*) FILTER (WHERE r.outcome IN ('accepted', 'fixed', 'reintroduced')) AS taken,
  count(*) FILTER (WHERE r.outcome = 'declined') AS declined, count(*) AS "all"`;

/** For the dashboard. */
export function storedFigures(db: Database): MemoryFigures {
  return {
    async memoryCount(of) {
      const given = values();
      const where = `${ofRepository(of, given.at)} AND r.stale = 0`;
      const sql = `SELECT count(*) FROM records r JOIN repositories p ON p.id = r.repo WHERE ${where}`;
      return (await oneValue<number>(db, sql, given.list)) ?? 0;
    },
    findingOutcomes: (of) =>
      select(
        db,
        (at) => `SELECT coalesce(r.outcome, 'none') AS outcome, count(*) AS count
         FROM records r JOIN repositories p ON p.id = r.repo WHERE r.corpus = 'finding' AND ${ofRepository(of, at)}
         GROUP BY 1 ORDER BY 2 DESC, 1`,
      ),
    decidedDays: (of, since) =>
      select<DayCount>(
        db,
        (at) => `SELECT d.at / ${DAY_MS} * ${DAY_MS} AS day, d.outcome AS name, count(*) AS count
         FROM decided d JOIN records r ON r.id = d.id JOIN repositories p ON p.id = r.repo
         WHERE r.corpus = 'finding' AND d.at >= ${at(since)} AND ${ofRepository(of, at)}
         GROUP BY 1, 2 ORDER BY 1, 2`,
      ),
    async memories(of, { corpus, outcome, language }, { most, skip }) {
      const given = values();
      const wanted = Object.entries({ corpus, outcome, language }).flatMap(([column, value]) =>
        value === null ? [] : [`r.${column} = ${given.at(value)}`],
      );
      const rows = `records r JOIN repositories p ON p.id = r.repo WHERE ${[ofRepository(of, given.at), ...wanted].join(" AND ")}`;
      const total = await oneValue<number>(db, `SELECT count(*) FROM ${rows}`, given.list);
      const ids = await db.all<{ repo: RepoKey; id: string }>(
        `SELECT p.host || '/' || p.github_id AS repo, r.mem AS id FROM ${rows} ORDER BY r.at DESC, r.id DESC LIMIT ${given.at(most)} OFFSET ${given.at(skip)}`,
        given.list,
      );
      return { total: total ?? 0, ids };
    },
    decidedRules: (of, most) =>
      select(
        db,
        (at) => `SELECT * FROM (
           SELECT f.rule, ${DECIDED}
           FROM flagged f JOIN records r ON r.id = f.id JOIN repositories p ON p.id = r.repo
           WHERE f.rule IS NOT NULL AND ${ofRepository(of, at)} GROUP BY 1) x
         WHERE taken + declined > 0 ORDER BY taken + declined DESC, rule LIMIT ${at(most)}`,
      ),
    decidedPulls: (of, most) =>
      select(
        db,
        (at) => `SELECT repo, pull, taken, declined, "all" FROM (
           SELECT p.host || '/' || p.github_id AS repo, r.pull, ${DECIDED}, max(r.at) AS newest
           FROM records r JOIN repositories p ON p.id = r.repo
           WHERE r.corpus = 'finding' AND r.pull IS NOT NULL AND ${ofRepository(of, at)} GROUP BY 1, 2) x
         WHERE taken + declined > 0 ORDER BY newest DESC, repo, pull LIMIT ${at(most)}`,
      ),
  };
}

function ofRepository(of: RepoKey | null, at: Values["at"]): string {
  if (of === null) return "p.host <> ''";
  const { host, githubId } = splitRepoKey(of) ?? { host: "", githubId: "" };
  return `p.host = ${at(host)} AND p.github_id = ${at(githubId)}`;
}

/** Every embedding space with at least one vector, the one with the most first. */
export function storedSpaces(db: Sql): Promise<readonly (EmbeddingSpace & { readonly vectors: number })[]> {
  return db.all(
    `SELECT s.model, s.dimension, count(*) AS vectors FROM spaces s JOIN vectors v ON v.space = s.id
     GROUP BY s.id, s.model, s.dimension ORDER BY vectors DESC, s.id`,
  );
}
