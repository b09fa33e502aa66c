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
  const { replies, tags, stale, decided, described, sharing, flaggedCode, fixedCode, ...flat } = row;
  const { url, author, authorIsBot, sha, pull, at, ...rest } = flat;
  return {
    ...rest,
    ...(flaggedCode ? { flaggedCode } : {}),
    ...(fixedCode ? { fixedCode } : {}),
    replies,
    tags,
    provenance: { url, author, authorIsBot, sha, pull, at },
    stale,
    ...(decided === null ? {} : { decided }),
    ...(described === null ? {} : { described }),
    ...(sharing === null ? {} : { sharing }),
  };
}
