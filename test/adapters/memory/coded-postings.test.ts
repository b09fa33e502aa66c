import fc from "fast-check";
import { expect, test } from "vitest";
import {
  codeAt,
  countAt,
  isWorthTable,
  piecesOf,
  postingBytes,
  rowsWith,
} from "../../../src/adapters/memory/coded-postings.ts";
import { TILE } from "../../../src/adapters/memory/column-kernel.ts";
import { postingCoder } from "../../../src/adapters/memory/posting-coder.ts";

const UNIT = 2;
/** Rows over five tiles, thick in the first and thin behind it, with counts on both sides of what a code has room for. */
const SIZE = TILE * 4 + 7;
const posting = fc.record({
  row: fc.oneof(fc.nat(80), fc.nat(SIZE - 1), fc.constantFrom(0, TILE - 1, TILE, SIZE - 1)),
  word: fc.oneof(fc.nat(2), fc.nat(40)),
  count: fc.oneof(
    fc.integer({ min: 1, max: 40 }).map((units) => units * UNIT),
    fc.constantFrom(62, 64, 3, 70_000),
  ),
});

function coded(given: readonly { readonly row: number; readonly word: number; readonly count: number }[]) {
  const coder = postingCoder(SIZE, UNIT);
  const expected = new Map<number, Map<number, number>>();
  for (const { row, word, count } of given.toSorted((one, other) => one.row - other.row)) {
    coder.add(row, word, count);
    const rows = expected.get(word) ?? new Map<number, number>();
    expected.set(word, rows.set(row, Math.min(65_535, (rows.get(row) ?? 0) + count)));
  }
  return { postings: coder.done(), expected };
}

test("coded postings tell what went in: of each word its rows in order with their counts, and nothing of other rows", () => {
  fc.assert(
    fc.property(
      fc.array(posting, { maxLength: 400 }),
      fc.array(fc.nat(SIZE - 1), { maxLength: 30 }),
      (given, others) => {
        const { postings, expected } = coded(given);
        for (let word = 0; word <= 40; word += 1) {
          const rows = expected.get(word) ?? new Map<number, number>();
          if (word + 1 >= postings.starts.length) {
            expect(rows.size).toBe(0);
            continue;
          }
          const told = [...piecesOf(postings, word)].length === 0 ? [] : listed(postings, word);
          expect(told).toEqual([...rows].toSorted(([one], [other]) => one - other));
          expect(rowsWith(postings, word)).toBe(rows.size);
          for (const row of [...others, ...rows.keys()]) {
            expect(countAt(postings, word, row)).toBe(rows.get(row) ?? 0);
            expect(codeAt(postings, word, row) >= 0).toBe(rows.has(row));
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

function listed(postings: ReturnType<typeof coded>["postings"], word: number): [number, number][] {
  const all: [number, number][] = [];
  // A piece is written over by the next: what is wanted of it is taken at once.
  for (const { rows, counts, size } of piecesOf(postings, word)) {
    for (let at = 0; at < size; at += 1) all.push([rows[at] ?? -1, counts[at] ?? -1]);
  }
  return all;
}

test("a word in every second row takes about two bytes a row, one in every thousandth four", () => {
  const [rows, coder] = [TILE * 50, postingCoder(TILE * 50, UNIT)];
  for (let row = 0; row < rows; row += 2) {
    coder.add(row, 0, UNIT);
    if (row % 1_000 === 0) coder.add(row, 1, UNIT);
  }
  const postings = coder.done();
  expect(isWorthTable(rows / 2, 50)).toBe(true);
  expect(isWorthTable(rows / 1_000, 50)).toBe(true);
  expect(postings.tables[0]).toBeGreaterThan(0);
  expect(postingBytes(postings)).toBeLessThan(rows * 1.02 + (rows / 1_000) * 5);
  expect(listed(postings, 1)).toHaveLength(Math.ceil(rows / 1_000));
});

test("more postings than one piece holds come out whole", () => {
  const coder = postingCoder(400, 1);
  for (let row = 0; row < 400; row += 1) for (let word = 0; word < 300; word += 1) coder.add(row, word, (row % 31) + 1);
  const postings = coder.done();
  for (let word = 0; word < 300; word += 1) {
    expect(listed(postings, word)).toEqual(Array.from({ length: 400 }, (_, row) => [row, (row % 31) + 1]));
  }
});

test("a row below the last is refused", () => {
  const coder = postingCoder(10, 1);
  coder.add(5, 0, 1);
  expect(() => coder.add(4, 0, 1)).toThrow(RangeError);
});
