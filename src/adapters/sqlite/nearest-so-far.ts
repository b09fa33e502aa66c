// The nearest rows by sign bits as they are met, and which of them are chosen in the end.
import type { BitPlanes } from "../memory/bit-planes.ts";

/** Rows of sign bits, and 1 where a row may be chosen. */
export interface BitRows {
  readonly planes: BitPlanes;
  /** Among equals the smaller id is chosen. */
  readonly ids: Float64Array;
  readonly admitted: Uint8Array;
}

/** Rows side by side, each by the place of its part among the parts and its own in there. */
export interface ChosenRows {
  readonly parts: Uint32Array;
  readonly rows: Uint32Array;
}

/** How many rows are asked for. */
export interface Wanted {
  readonly rows: number;
  /** Of these so many nearest are not to be lost where a sketch of rows is looked at first. */
  readonly sure: number;
}

export interface NearestSoFar {
  /** Rows that are farther are not wanted. */
  limit(): number;
  /** How far the last of those is that must not be lost. */
  sure(): number;
  /** @param near rows of a part that are admitted and not too far, counted from `first` on: row · 65536 + distance */
  add(part: number, first: number, near: Uint32Array): void;
  chosen(parts: readonly BitRows[]): ChosenRows;
}

/** Candidates taken up before it is worked out anew how far the last one wanted is. */
const PATIENCE = 64;

/**
 * Takes up only rows that are no farther than the last one wanted among those seen before: of a hundred thousand a few
 * thousand.
 */
export function nearestSoFar(bits: number, wanted: Wanted): NearestSoFar {
  const histogram = new Uint32Array(bits + 1);
  const taken: Taken[] = [];
  let limit = bits;
  let since = 0;
  return {
    limit: () => limit,
    sure: () => Math.min(bits, cutOff(histogram, wanted.sure).limit),
    add(part, first, near) {
      if (near.length === 0) return;
      taken.push({ part, first, near: near.slice() });
      for (let at = 0; at < near.length; at += 1) {
        const distance = (near[at] ?? 0) & DISTANCE;
        histogram[distance] = (histogram[distance] ?? 0) + 1;
      }
      since += near.length;
      if (since < PATIENCE) return;
      since = 0;
      limit = Math.min(bits, cutOff(histogram, wanted.rows).limit);
    },
    chosen: (parts) => nearestOf(taken, parts, cutOff(histogram, wanted.rows), wanted.rows),
  };
}

/** Rows of a part that were near enough when they were met, as the kernel tells them, counted from `first` on. */
interface Taken {
  readonly part: number;
  readonly first: number;
  readonly near: Uint32Array;
}

/** Of those that were taken all that are nearer than the limit, and of those at the limit as many as are wanted. */
function nearestOf(
  taken: readonly Taken[],
  all: readonly BitRows[],
  { limit, below }: ReturnType<typeof cutOff>,
  wanted: number,
): ChosenRows {
  const ties = tiesAt(limit, taken, all).slice(0, wanted - below);
  const [parts, rows] = [new Uint32Array(below + ties.length), new Uint32Array(below + ties.length)];
  let count = 0;
  for (const { part, first, near } of taken) {
    for (let at = 0; at < near.length; at += 1) {
      const one = near[at] ?? 0;
      if ((one & DISTANCE) >= limit) continue;
      parts[count] = part;
      rows[count] = first + (one >>> ROW_SHIFT);
      count += 1;
    }
  }
  for (const { part, row } of ties) {
    parts[count] = part;
    rows[count] = row;
    count += 1;
  }
  return { parts, rows };
}

/** What is told of a row: its place, shifted, and its distance. */
const [ROW_SHIFT, DISTANCE] = [16, 0xffff];

/** Those at the limit, by their ids. */
function tiesAt(limit: number, taken: readonly Taken[], all: readonly BitRows[]) {
  const ties: { readonly part: number; readonly row: number; readonly id: number }[] = [];
  for (const { part, first, near } of taken) {
    for (let at = 0; at < near.length; at += 1) {
      const one = near[at] ?? 0;
      const row = first + (one >>> ROW_SHIFT);
      if ((one & DISTANCE) === limit) ties.push({ part, row, id: all[part]?.ids[row] ?? 0 });
    }
  }
  return ties.sort((one, other) => one.id - other.id);
}

/** The distance of the last row wanted, and how many rows are nearer than that. */
function cutOff(histogram: Uint32Array, wanted: number): { readonly limit: number; readonly below: number } {
  let below = 0;
  for (let limit = 0; limit < histogram.length; limit += 1) {
    const here = histogram[limit] ?? 0;
    if (below + here >= wanted) return { limit, below };
    below += here;
  }
  return { limit: histogram.length, below };
}
