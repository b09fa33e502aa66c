// What tells that a source changed: hashes of the record and of the text that its vector was made from.
import { createHash } from "node:crypto";
import type { MemoryRecord, RecordHashes } from "../domain/memory.ts";

/** @param embedded the digest of the record */
export function recordHashes(record: MemoryRecord, embedded: string): RecordHashes {
  // Whether a row is stale, or its repository gives, is decided by what happens around it, not by its source.
  const { sharing: _, ...said } = record;
  return { record: hash(canonical({ ...said, stale: false })), embedded: hash(embedded) };
}

/** Of what a model is shown of a record, and of whether its remark was declined: other words deserve other fields. */
export function sourceHash({ text, replies, hunk, outcome }: MemoryRecord): string {
  return hash(canonical([text, replies, hunk, outcome === "declined"]));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/** 64 bits: a chance of one in 10¹⁰ that any two of 50,000 texts are taken for each other. */
function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
