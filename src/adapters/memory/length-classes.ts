// Lengths of rows in classes: what a word counts in a row is then a look-up in a small table instead of a division, and a little
// too high by at most so much.
import { CODE, type CodedPostings } from "./coded-postings.ts";

export interface LengthClasses {
  /** Class of each row. */
  readonly of: Uint16Array;
  /** The least length of each class. */
  readonly lengths: Uint32Array;
  /** By how much of a whole a share may be too high that is worked out with the least length. */
  readonly excess: number;
}

const MOST_CLASSES = 2_048;
/** The shortest lengths each have a class of their own: there one part more or less is much. */
const OWN = 1_024;
/** A share of one. */
export const ONE = 32_767;

/** @param unit what all lengths are multiples of */
export function lengthClasses(lengths: Uint32Array, unit: number): LengthClasses {
  let longest = 0;
  for (const length of lengths) longest = Math.max(longest, length);
  const grows = Math.max(1, (longest / unit / OWN) ** (1 / (MOST_CLASSES - OWN - 1)));
  const least: number[] = [];
  for (let next = 0; least.length < MOST_CLASSES && (least.length === 0 || next <= longest); ) {
    least.push(next);
    next = least.length <= OWN ? next + unit : Math.max(next + unit, Math.ceil(next * grows));
  }
  const bounds = Uint32Array.from(least);
  const of = new Uint16Array(lengths.length);
  const classOf = byLength(bounds, longest);
  for (let row = 0; row < of.length; row += 1) of[row] = classOf[lengths[row] ?? 0] ?? 0;
  return { of, lengths: bounds, excess: excessOf(bounds, longest, unit) };
}

/** The class of each length up to the longest. */
function byLength(bounds: Uint32Array, longest: number): Uint16Array {
  const classes = new Uint16Array(longest + 1);
  let at = 0;
  for (let length = 0; length <= longest; length += 1) {
    while (at + 1 < bounds.length && (bounds[at + 1] ?? 0) <= length) at += 1;
    classes[length] = at;
  }
  return classes;
}

/**
 * count / (count + x) is at most (√r − 1) / (√r + 1) higher than count / (count + r · x), whatever count and x are.
 */
function excessOf(bounds: Uint32Array, longest: number, unit: number): number {
  let most = 1;
  for (let at = 1; at < bounds.length; at += 1) {
    const last = at + 1 < bounds.length ? (bounds[at + 1] ?? 0) - unit : longest;
    most = Math.max(most, last / Math.max(1, bounds[at] ?? 0));
  }
  return (Math.sqrt(most) - 1) / (Math.sqrt(most) + 1);
}

/** Entries of the table of shares for so many classes. */
export function sharesOf(classes: number): number {
  return classes * (CODE.mostUnits + 1);
}

/**
 * What a count of so many units says in a row of a class, in parts of ONE, rounded up: at units · classes + class. Most counts
 * are one of a few, so that little of the table is looked at.
 *
 * Counts that a code has no room for (0 units) say nothing here.
 *
 * @param longer markdowns for the least length of each class
 */
export function shareTable({ unit }: Pick<CodedPostings, "unit">, longer: Float64Array): Uint16Array {
  const classes = longer.length;
  const table = new Uint16Array(sharesOf(classes));
  for (let units = 1; units <= CODE.mostUnits; units += 1) {
    const count = units * unit;
    for (let at = 0; at < classes; at += 1)
      table[units * classes + at] = Math.ceil((ONE * count) / (count + (longer[at] ?? 0)));
  }
  return table;
}
