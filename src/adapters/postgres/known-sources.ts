// What memory knows of a corpus, by source, and what a model wrote beside memories: enough for the next run to tell what changed.
import type {
  Corpus,
  Described,
  EmbeddingSpace,
  FieldCounts,
  KnownSource,
  RepoKey,
  WrittenFields,
} from "../../domain/memory.ts";
import { keyOf } from "./repository-row.ts";
import type { Sql } from "./sql.ts";

interface KnownRow {
  readonly source_id: string;
  readonly mem: string;
  readonly path: string | null;
  readonly sha: string | null;
  readonly record: string | null;
  readonly embedded: string | null;
  readonly has_vector: boolean;
}

/** The sources of one repository and corpus; `sourceIds` narrows to these, null asks for all. */
export async function knownSources(
  sql: Sql,
  repo: RepoKey,
  corpus: Corpus,
  space: EmbeddingSpace,
  sourceIds: readonly string[] | null,
): Promise<ReadonlyMap<string, KnownSource>> {
  const rows = await sql.all<KnownRow>(
    `SELECT c.source_id, r.mem, r.path, c.sha, h.record, h.embedded,
            EXISTS (SELECT 1 FROM vectors v JOIN spaces s ON s.id = v.space
                    WHERE v.id = r.id AND s.model = $4 AND s.dimension = $5) AS has_vector
     FROM repositories p JOIN records r ON r.repo = p.id JOIN contents c ON c.id = r.id LEFT JOIN hashes h ON h.id = r.id
     WHERE p.host = $1 AND p.github_id = $2 AND r.corpus = $3 AND ($6::text[] IS NULL OR c.source_id = ANY ($6::text[]))`,
    [...keyOf(repo), corpus, space.model, space.dimension, sourceIds],
  );
  return new Map(rows.map((row) => [row.source_id, asKnown(row)]));
}

function asKnown({ mem, path, sha, record, embedded, has_vector }: KnownRow): KnownSource {
  const hashes = record === null ? null : { record, embedded: has_vector ? embedded : null };
  return { id: mem, path, sha, hashes };
}

type FieldRow = Pick<WrittenFields, "situation" | "lesson" | "tags"> & Described & { readonly mem: string };

/** The fields of those of `ids` that are of the repository and were looked at, by record id. */
export async function writtenFields(
  sql: Sql,
  repo: RepoKey,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WrittenFields>> {
  const rows = await sql.all<FieldRow>(
    `SELECT r.mem, c.situation, c.lesson, c.tags, d.by, d.source, d.confidence, d.problems
     FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id JOIN descriptions d ON d.id = r.id
     WHERE r.mem = ANY ($3::text[]) AND p.host = $1 AND p.github_id = $2`,
    [...keyOf(repo), ids],
  );
  return new Map(
    rows.map(({ mem, situation, lesson, tags, ...described }) => [mem, { situation, lesson, tags, described }]),
  );
}

const SAID = `records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
  LEFT JOIN descriptions d ON d.id = r.id
  WHERE p.host = $1 AND p.github_id = $2 AND NOT r.stale AND r.corpus IN ('finding', 'review_comment')`;

/** Counted over what was said in reviews and is not stale. */
export async function fieldCounts(sql: Sql, repo: RepoKey): Promise<FieldCounts> {
  const key = [...keyOf(repo)];
  const counted = await sql.one<Pick<FieldCounts, "described" | "waiting">>(
    `SELECT count(c.lesson) AS described, count(*) FILTER (WHERE c.lesson IS NULL AND d.id IS NULL) AS waiting FROM ${SAID}`,
    key,
  );
  const reasons = await sql.all<{ name: string; n: number }>(
    `SELECT e.value AS name, count(*) AS n FROM (SELECT d.problems FROM ${SAID} AND c.lesson IS NULL AND d.id IS NOT NULL) w
     CROSS JOIN jsonb_array_elements_text(w.problems) e GROUP BY 1 ORDER BY 2 DESC, e.value COLLATE "C"`,
    key,
  );
  const { described = 0, waiting = 0 } = counted ?? {};
  return { described, without: new Map(reasons.map(({ name, n }) => [name, n])), waiting };
}
