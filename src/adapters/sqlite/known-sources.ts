// What memory knows of a corpus, by source: enough for the next run to tell what changed, and no text.
import type { Corpus, EmbeddingSpace, KnownSource, RepoKey } from "../../domain/memory.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import type { Database } from "./database.ts";

interface Row {
  readonly source_id: string;
  readonly mem: string;
  readonly path: string | null;
  readonly sha: string | null;
  readonly record: string | null;
  readonly embedded: string | null;
  readonly has_vector: number;
}

/** The sources of one repository and corpus; `sourceIds` narrows to these, null asks for all. */
export function knownSources(
  db: Database.Database,
  repo: RepoKey,
  corpus: Corpus,
  space: EmbeddingSpace,
  sourceIds: readonly string[] | null,
): ReadonlyMap<string, KnownSource> {
  const key = splitRepoKey(repo);
  if (key === null) return new Map();
  const rows = db
    .prepare(
      `SELECT c.source_id, r.mem, r.path, c.sha, h.record, h.embedded,
              EXISTS (SELECT 1 FROM vec_i8 v JOIN spaces s ON s.id = v.space
                      WHERE v.id = r.id AND s.model = ? AND s.dimension = ?) AS has_vector
       FROM records r
       JOIN repositories p ON p.id = r.repo
       JOIN contents c ON c.id = r.id
       LEFT JOIN hashes h ON h.id = r.id
       WHERE p.host = ? AND p.github_id = ? AND r.corpus = ?
         AND (? IS NULL OR c.source_id IN (SELECT value FROM json_each(?)))`,
    )
    .all(
      space.model,
      space.dimension,
      key.host,
      key.githubId,
      corpus,
      ...Array<string | null>(2).fill(sourceIds === null ? null : JSON.stringify(sourceIds)),
    ) as Row[];
  return new Map(rows.map((row) => [row.source_id, asKnown(row)]));
}

function asKnown({ mem, path, sha, record, embedded, has_vector }: Row): KnownSource {
  const hashes = record === null ? null : { record, embedded: has_vector === 1 ? embedded : null };
  return { id: mem, path, sha, hashes };
}
