// What rows of memory take while they are searched: by it a search decides what fits.
import { bytesOfRows } from "../memory/word-index.ts";
import type { SearchPart } from "./warm-up.ts";

/** A row's facts, sign bits and what searches keep: 34, 128 of 1024 components, and 36; a process with a million grows by 210 MB. */
const BYTES_OF_BITS = 210;

/** Bytes that rows take in memory, about, without their vectors. */
export function bytesFor(part: SearchPart, rows: number): number {
  const [words, bits] = [part === "vectors" ? 0 : bytesOfRows(rows), part === "words" ? 0 : rows * BYTES_OF_BITS];
  return words + bits;
}
