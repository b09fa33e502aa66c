// What a model wrote beside memories, and how many of them it could not describe, by reason.
import type { Described, FieldCounts, RepoKey, WrittenFields } from "../../domain/memory.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import type { Database } from "./database.ts";

interface Row {
  readonly mem: string;
  readonly situation: string | null;
  readonly lesson: string | null;
  readonly tags: string;
  readonly by: string;
  readonly source: string;
  readonly confidence: number;
  readonly problems: string;
}

/** The fields of those of `ids` that are of the repository and were looked at, by record id. */
export function writtenFields(
  db: Database.Database,
  repo: RepoKey,
  ids: readonly string[],
): ReadonlyMap<string, WrittenFields> {
  const key = splitRepoKey(repo);
  if (key === null || ids.length === 0) return new Map();
  const rows = db
    .prepare(
      `SELECT r.mem, c.situation, c.lesson, c.tags, d.by, d.source, d.confidence, d.problems
       FROM json_each(?) j CROSS JOIN records r ON r.mem = j.value
       JOIN repositories p ON p.id = r.repo
       JOIN contents c ON c.id = r.id
       JOIN descriptions d ON d.id = r.id
       WHERE p.host = ? AND p.github_id = ?`,
    )
    .all(JSON.stringify(ids), key.host, key.githubId) as Row[];
  return new Map(rows.map((row) => [row.mem, asFields(row)]));
}

function asFields({ situation, lesson, tags, by, source, confidence, problems }: Row): WrittenFields {
  const described: Described = { by, source, confidence, problems: JSON.parse(problems) as string[] };
  return { situation, lesson, tags: JSON.parse(tags) as string[], described };
}

/** Counted over what was said in reviews and is not stale. */
export function fieldCounts(db: Database.Database, repo: RepoKey): FieldCounts {
  const key = splitRepoKey(repo);
  if (key === null) return { described: 0, without: new Map(), waiting: 0 };
  const said = `records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
    LEFT JOIN descriptions d ON d.id = r.id
    WHERE p.host = ? AND p.github_id = ? AND r.stale = 0 AND r.corpus IN ('finding', 'review_comment')`;
  const { described, waiting } = db
    .prepare(
      `SELECT count(c.lesson) AS described, count(*) FILTER (WHERE c.lesson IS NULL AND d.id IS NULL) AS waiting FROM ${said}`,
    )
    .get(key.host, key.githubId) as Pick<FieldCounts, "described" | "waiting">;
  const reasons = db
    .prepare(
      `SELECT e.value AS name, count(*) AS n FROM (SELECT d.problems FROM ${said} AND c.lesson IS NULL AND d.id IS NOT NULL) w
       CROSS JOIN json_each(w.problems) e GROUP BY 1 ORDER BY 2 DESC, 1`,
    )
    .all(key.host, key.githubId) as { name: string; n: number }[];
  return { described, without: new Map(reasons.map(({ name, n }) => [name, n])), waiting };
}
