// Rows of memory.db back to records.
import type { Decided, Described, MemoryRecord } from "../../domain/memory.ts";
import { assembleRecord, type FlatRecord } from "../memory/assemble-record.ts";

/** The columns of a record over `p` (repositories), `r` (records) and `c` (contents). */
export const RECORD_COLUMNS = `
  r.mem AS id, p.host || '/' || p.github_id AS repo, c.repo_name AS repoName, coalesce(p.owner_id, 0) AS ownerId,
  p.visibility, r.corpus, c.source_id AS sourceId, c.text, c.replies, c.situation, c.lesson, c.tags, r.severity,
  r.category, r.path, r.language, c.symbol, r.chunk_type AS chunkType, c.hunk, r.outcome, c.url, c.author,
  c.author_is_bot AS authorIsBot, c.sha, r.pull, r.at, r.stale,
  (SELECT json_object('at', d.at, 'by', d.by, 'reason', d.reason, 'sha', d.sha, 'weight', d.weight)
   FROM decided d WHERE d.id = r.id) AS decided,
  c.flagged_code AS flaggedCode, c.fixed_code AS fixedCode,
  (SELECT json_object('by', d.by, 'source', d.source, 'confidence', d.confidence, 'problems', json(d.problems))
   FROM descriptions d WHERE d.id = r.id) AS described,
  CASE WHEN p.gives = 1 THEN 'given' END AS sharing`;

type Flat = Omit<FlatRecord, "replies" | "tags" | "authorIsBot" | "stale" | "decided" | "described"> & {
  readonly replies: string;
  readonly tags: string;
  readonly authorIsBot: number;
  readonly stale: number;
  readonly decided: string | null;
  readonly described: string | null;
};

/** One row of RECORD_COLUMNS as a record. */
export function readRecord(row: unknown): MemoryRecord {
  const { replies, tags, authorIsBot, stale, decided, described, ...rest } = row as Flat;
  return assembleRecord({
    ...rest,
    replies: JSON.parse(replies) as string[],
    tags: JSON.parse(tags) as string[],
    authorIsBot: authorIsBot === 1,
    stale: stale === 1,
    decided: decided === null ? null : (JSON.parse(decided) as Decided),
    described: described === null ? null : (JSON.parse(described) as Described),
  });
}
