// Rows of Postgres back to records.
import type { Decided, Described, MemoryRecord } from "../../domain/memory.ts";

/** The columns of a record over `p` (repositories), `r` (records) and `c` (contents). */
export const RECORD_COLUMNS = `
  r.mem AS id, p.host || '/' || p.github_id AS repo, c.repo_name AS "repoName", coalesce(p.owner_id, 0) AS "ownerId",
  p.visibility, r.corpus, c.source_id AS "sourceId", c.text, c.replies, c.situation, c.lesson, c.tags, r.severity,
  r.category, r.path, r.language, c.symbol, r.chunk_type AS "chunkType", c.hunk, r.outcome, c.url, c.author,
  c.author_is_bot AS "authorIsBot", c.sha, r.pull, r.at, r.stale,
  (SELECT json_build_object('at', d.at, 'by', d.by, 'reason', d.reason, 'sha', d.sha, 'weight', d.weight)
   FROM decided d WHERE d.id = r.id) AS decided,
  c.flagged_code AS "flaggedCode", c.fixed_code AS "fixedCode",
  (SELECT json_build_object('by', d.by, 'source', d.source, 'confidence', d.confidence, 'problems', d.problems)
   FROM descriptions d WHERE d.id = r.id) AS described,
  CASE WHEN p.gives THEN 'given' END AS sharing`;

type Flat = Omit<MemoryRecord, "provenance" | "described" | "decided" | "sharing"> &
  MemoryRecord["provenance"] & {
    readonly decided: Decided | null;
    readonly described: Described | null;
    readonly sharing: "given" | null;
  };

/**
 * One row of RECORD_COLUMNS as a record. Owner and visibility are the repository's as they are known now, not as they
 * were at the time of writing; the owner id is 0 where it is in doubt.
 */
export function readRecord(row: unknown): MemoryRecord {
  const { replies, tags, stale, decided, described, sharing, flaggedCode, fixedCode, ...flat } = row as Flat;
  const { url, author, authorIsBot, sha, pull, at, ...rest } = flat;
  return {
    ...rest,
    ...(flaggedCode ? { flaggedCode } : {}),
    ...(fixedCode ? { fixedCode } : {}),
    // In the order in which every store tells a record: an export of one is byte for byte that of another.
    replies,
    tags,
    provenance: { url, author, authorIsBot, sha, pull, at },
    stale,
    ...(decided === null ? {} : { decided }),
    ...(described === null ? {} : { described }),
    ...(sharing === null ? {} : { sharing }),
  };
}
