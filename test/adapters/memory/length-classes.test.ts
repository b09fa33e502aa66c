import fc from "fast-check";
import { expect, test } from "vitest";
import { CODE } from "../../../src/adapters/memory/coded-postings.ts";
import { lengthClasses, ONE, shareTable } from "../../../src/adapters/memory/length-classes.ts";
import { KEYWORDS, markdowns } from "../../../src/domain/bm25.ts";

const UNIT = 2;

test("a share by class is never below the share by length, and above it by no more than is told", () => {
  const length = fc.oneof(fc.nat(300), fc.nat(4_000), fc.nat(400_000)).map((units) => units * UNIT);
  fc.assert(
    fc.property(
      fc.array(length, { minLength: 1, maxLength: 50 }),
      fc.double({ min: 0.5, max: 900, noNaN: true }),
      (all, mean) => {
        const lengths = Uint32Array.from(all);
        const classes = lengthClasses(lengths, UNIT);
        const longer = markdowns({ lengths, parts: 8 }, mean, KEYWORDS);
        const table = shareTable({ unit: UNIT }, markdowns({ lengths: classes.lengths, parts: 8 }, mean, KEYWORDS));
        expect(classes.lengths.length).toBeLessThanOrEqual(65_536);
        for (const [row, { length: has }] of all.map((one) => ({ length: one })).entries()) {
          if (has === 0) continue;
          for (const units of [1, 4, 8, CODE.mostUnits]) {
            const share = (units * UNIT) / (units * UNIT + (longer[row] ?? 0));
            const told = (table[units * classes.lengths.length + (classes.of[row] ?? 0)] ?? 0) / ONE;
            expect(told).toBeGreaterThanOrEqual(share);
            expect(told).toBeLessThanOrEqual(share + classes.excess + 1.01 / ONE);
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("rows as long as those of a million real ones have nearly a class for each length", () => {
  expect(lengthClasses(Uint32Array.of(2, 800, 5_660), UNIT).excess).toBeLessThan(0.0005);
});
