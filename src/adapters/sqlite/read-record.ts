// Rows of memory.db back to records.
import type { Described, MemoryRecord } from "../../domain/memory.ts";

/** The columns of a record over `p` (repositories), `r` (records) and `c` (contents). */
export const RECORD_COLUMNS = `
  r.mem AS id, p.host || '/' || p.github_id AS repo, c.repo_name AS repoName, coalesce(p.owner_id, 0) AS ownerId,
  p.visibility, r.corpus, c.source_id AS sourceId, c.text, c.replies, c.situation, c.lesson, c.tags, r.severity,
  r.category, r.path, r.language, c.symbol, r.chunk_type AS chunkType, c.hunk, r.outcome, c.url, c.author,
  c.author_is_bot AS authorIsBot, c.sha, r.pull, r.at, r.stale,
  c.flagged_code AS flaggedCode, c.fixed_code AS fixedCode,
  (SELECT json_object('by', d.by, 'source', d.source, 'confidence', d.confidence, 'problems', json(d.problems))
   FROM descriptions d WHERE d.id = r.id) AS described`;

type Flat = Omit<MemoryRecord, "replies" | "tags" | "provenance" | "stale" | "described"> &
  Pick<MemoryRecord["provenance"], "url" | "author" | "sha" | "pull" | "at"> & {
    readonly replies: string;
    readonly tags: string;
    readonly authorIsBot: number;
    readonly stale: number;
    readonly described: string | null;
  };

/**
 * One row of RECORD_COLUMNS as a record. Owner and visibility are the repository's as they are known now, not as they
 * were at the time of writing; the owner id is 0 where it is in doubt.
 */
export function readRecord(row: unknown): MemoryRecord {
  const { replies, tags, stale, described, flaggedCode, fixedCode, ...flat } = row as Flat;
  const { url, author, authorIsBot, sha, pull, at, ...rest } = flat;
  return {
    ...rest,
    ...(flaggedCode ? { flaggedCode } : {}),
    ...(fixedCode ? { fixedCode } : {}),
    replies: JSON.parse(replies) as string[],
    tags: JSON.parse(tags) as string[],
    provenance: { url, author, authorIsBot: authorIsBot === 1, sha, pull, at },
    stale: stale === 1,
    ...(described === null ? {} : { described: JSON.parse(described) as Described }),
  };
}
