// Rows of memory.db back to records.
import type { Decided, Described, MemoryRecord } from "../../domain/memory.ts";
import { assembleRecord, type FlatRecord } from "../memory/assemble-record.ts";

/** The columns of a record over `p` (repositories), `r` (records) and RECORD_CONTENTS. */
export const RECORD_COLUMNS = `
  r.mem AS id, p.host || '/' || p.github_id AS repo, c.repo_name AS repoName, coalesce(p.owner_id, 0) AS ownerId,
  p.visibility, r.corpus, c.source_id AS sourceId, c.text, c.replies, c.situation, c.lesson, c.tags, r.severity,
  r.category, r.path, r.language, c.symbol, r.chunk_type AS chunkType, c.hunk, r.outcome, c.url, c.author,
  c.author_is_bot AS authorIsBot, c.sha, r.pull, r.at, r.stale,
  CASE WHEN d.id IS NOT NULL
    THEN json_object('at', d.at, 'by', d.by, 'reason', d.reason, 'sha', d.sha, 'weight', d.weight) END AS decided,
  c.flagged_code AS flaggedCode, c.fixed_code AS fixedCode,
  CASE WHEN w.id IS NOT NULL
    THEN json_object('by', w.by, 'source', w.source, 'confidence', w.confidence, 'problems', json(w.problems)) END AS described,
  CASE WHEN p.gives = 1 THEN 'given' END AS sharing`;

/** To be joined to `r`. Joins, since a subquery for each row and table takes as long as all the rest of a row. */
export const RECORD_CONTENTS = `contents c ON c.id = r.id
  LEFT JOIN decided d ON d.id = r.id LEFT JOIN descriptions w ON w.id = r.id`;

/** A row as it leaves the file, and the search thread: objects take thrice as long to be made and sent. Flags are 0 and 1, lists JSON. */
export type RecordRow = readonly [
  ...[id: string, repo: string, repoName: string, ownerId: number, visibility: FlatRecord["visibility"]],
  ...[corpus: FlatRecord["corpus"], sourceId: string, text: string, replies: string, situation: string | null],
  ...[lesson: string | null, tags: string, severity: FlatRecord["severity"], category: FlatRecord["category"]],
  ...[path: string | null, language: string, symbol: string | null, chunkType: string | null, hunk: string | null],
  ...[outcome: FlatRecord["outcome"], url: string | null, author: string | null, authorIsBot: number],
  ...[sha: string | null, pull: number | null, at: number, stale: number, decided: string | null],
  ...[flaggedCode: string | null, fixedCode: string | null, described: string | null, sharing: "given" | null],
];

/** @param row of RECORD_COLUMNS, `raw` */
export function readRecord(row: unknown): MemoryRecord {
  const [id, repo, repoName, ownerId, visibility, corpus, sourceId, text, replies, situation, ...more] =
    row as RecordRow;
  const [lesson, tags, severity, category, path, language, symbol, chunkType, hunk, outcome, ...rest] = more;
  const [url, author, authorIsBot, sha, pull, at, stale, decided, flaggedCode, fixedCode, described, sharing] = rest;
  return assembleRecord({
    ...{ id, repo, repoName, ownerId, visibility, corpus, sourceId, text, situation, lesson, severity, category },
    ...{
      path,
      language,
      symbol,
      chunkType,
      hunk,
      outcome,
      url,
      author,
      sha,
      pull,
      at,
      flaggedCode,
      fixedCode,
      sharing,
    },
    replies: listOf(replies),
    tags: listOf(tags),
    authorIsBot: authorIsBot === 1,
    stale: stale === 1,
    decided: decided === null ? null : (JSON.parse(decided) as Decided),
    described: described === null ? null : (JSON.parse(described) as Described),
  });
}

function listOf(json: string): string[] {
  return json === "[]" ? [] : (JSON.parse(json) as string[]);
}
