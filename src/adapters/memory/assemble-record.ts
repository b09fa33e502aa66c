// What a store reads of a record, column by column -> the record.
import type { Decided, Described, MemoryRecord } from "../../domain/memory.ts";

/** A row in which JSON is read and flags are true or false. */
export type FlatRecord = Omit<MemoryRecord, "provenance" | "described" | "decided" | "sharing"> &
  MemoryRecord["provenance"] & {
    readonly decided: Decided | null;
    readonly described: Described | null;
    readonly sharing: "given" | null;
  };

/**
 * Owner and visibility are the repository's as they are known now, not as they were at the time of writing; the owner id is 0 where
 * it is in doubt. Every store tells a record's fields in this order: an export of one is byte for byte that of another.
 */
export function assembleRecord(row: FlatRecord): MemoryRecord {
  const { flaggedCode, fixedCode, url, author, authorIsBot, sha, pull, at, decided, described, sharing } = row;
  // Field by field: what a rest pattern leaves over takes ten times as long to make.
  return {
    id: row.id,
    repo: row.repo,
    repoName: row.repoName,
    ownerId: row.ownerId,
    visibility: row.visibility,
    corpus: row.corpus,
    sourceId: row.sourceId,
    text: row.text,
    situation: row.situation,
    lesson: row.lesson,
    severity: row.severity,
    category: row.category,
    path: row.path,
    language: row.language,
    symbol: row.symbol,
    chunkType: row.chunkType,
    hunk: row.hunk,
    outcome: row.outcome,
    ...(flaggedCode ? { flaggedCode } : {}),
    ...(fixedCode ? { fixedCode } : {}),
    replies: row.replies,
    tags: row.tags,
    provenance: { url, author, authorIsBot, sha, pull, at },
    stale: row.stale,
    ...(decided === null ? {} : { decided }),
    ...(described === null ? {} : { described }),
    ...(sharing === null ? {} : { sharing }),
  };
}
