// Rows of sign bits whose first words stand apart from the others, so that a search reads a quarter of all bits and then the
// rest of few rows; and how they are searched in TypeScript: what the kernel is held against, and the way without WebAssembly.
import { differingBits } from "./differing-bits.ts";

export interface BitSketches {
  /** 32-bit words of the first, and of the others, each row after row. */
  readonly sketch: Uint32Array;
  readonly rest: Uint32Array;
  /**
   * Compares the first words of all rows with those of at most MOST_SKETCHED queries, and keeps the distances.
   *
   * @param admitted 1 where a row may be told, else 0
   */
  measure(queries: readonly Uint32Array[], admitted: Uint8Array): void;
  /** How many of the up to ROWS_TOLD rows from `first` on may be told and are within a distance of a query by first words. */
  count(query: number, first: number, distance: number): number;
  /**
   * Of the up to ROWS_TOLD rows from `first` on those that may be told, whose distance from a query that was measured is by
   * first words from `low` to `high` and by all words at most `limit`: row · 65536 + distance, rows counted from `first` on,
   * good until the next call.
   */
  near(query: number, first: number, [low, high]: readonly [number, number], limit: number): Uint32Array;
}

export const MOST_SKETCHED = 16;
/** A distance by first words takes one byte: 256 of 256 bits count as 255, which is never near. */
export const FARTHEST = 255;
/** Their words, 96 bytes each, fit into a second-level cache; a row's number has 16 bits at most. */
export const ROWS_TOLD = 4_096;

/** @param sketchWords of `words` 32-bit words of a row, both even */
export function sketchesSlowly(rows: number, sketchWords: number, words: number): BitSketches {
  const restWords = words - sketchWords;
  const [sketch, rest] = [new Uint32Array(rows * sketchWords), new Uint32Array(rows * restWords)];
  let measured: { readonly query: Uint32Array; readonly distances: Uint8Array }[] = [];
  let admits = new Uint8Array();
  return {
    sketch,
    rest,
    measure(queries, admitted) {
      admits = Uint8Array.from(admitted);
      measured = queries.map((query) => ({
        query,
        distances: Uint8Array.from(admits, (_, row) =>
          Math.min(FARTHEST, differingBits(sketch, row * sketchWords, query, 0, sketchWords)),
        ),
      }));
    },
    count(at, first, most) {
      const { distances = new Uint8Array() } = measured[at] ?? {};
      let count = 0;
      for (let row = first; row < Math.min(first + ROWS_TOLD, rows); row += 1) {
        if (admits[row] === 1 && (distances[row] ?? 0) <= most) count += 1;
      }
      return count;
    },
    near(at, first, [low, high], limit) {
      const { query = new Uint32Array(), distances = new Uint8Array() } = measured[at] ?? {};
      const near: number[] = [];
      for (let row = first; row < Math.min(first + ROWS_TOLD, rows); row += 1) {
        const distance = distances[row] ?? 0;
        if (admits[row] !== 1 || distance < low || distance > high) continue;
        const whole = distance + differingBits(rest, row * restWords, query, sketchWords, restWords);
        if (whole <= limit) near.push((row - first) * 65_536 + whole);
      }
      return Uint32Array.from(near);
    },
  };
}
