// What a vector is made from.
import type { MemoryRecord } from "../../domain/memory.ts";

/** When none of these changed, a record that is written without a vector keeps the one it has. */
const EMBEDDED = [
  "text",
  "replies",
  "situation",
  "lesson",
  "tags",
  "category",
  "path",
  "language",
  "symbol",
  "chunkType",
  "hunk",
] as const satisfies readonly (keyof MemoryRecord)[];

/** True when a vector made from `before` is right for `after`. */
export function keptSource(before: MemoryRecord, after: MemoryRecord): boolean {
  return EMBEDDED.every((name) => JSON.stringify(before[name]) === JSON.stringify(after[name]));
}
