// What an excerpt may hold: nothing twice, nothing that the diff shows, nothing beyond the stage.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Candidate, shareBudget } from "../../src/context/share-budget.ts";

const KINDS = ["enclosing", "called", "caller", "definition", "sibling", "mentioned"] as const;
const anyRange = fc
  .tuple(fc.integer({ min: 1, max: 60 }), fc.nat({ max: 30 }))
  .map(([first, length]) => ({ first, last: first + length }));
const anyCandidate: fc.Arbitrary<Candidate> = fc.record({
  kind: fc.constantFrom(...KINDS),
  path: fc.constantFrom("a.ts", "b.ts", "c.ts"),
  why: fc.constantFrom("around the change", "defines x"),
  of: fc.constantFrom("f", "g", "h"),
  short: fc.array(anyRange, { minLength: 1, maxLength: 2 }),
  full: fc.array(anyRange, { minLength: 1, maxLength: 2 }),
  worth: fc.double({ min: 0, max: 100, noNaN: true }),
});

test("no line twice, none of the diff, and never more than the budget; each one left out is counted", () => {
  const lines = Array.from({ length: 70 }, (_, at) => `line ${at + 1}`);
  const texts = new Map(["a.ts", "b.ts", "c.ts"].map((path) => [path, lines]));
  fc.assert(
    fc.property(
      fc.array(anyCandidate, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 70 })),
      fc.nat({ max: 4_000 }),
      (candidates, shown, room) => {
        const inDiff = new Map([["a.ts", new Set(shown)]]);
        const { excerpts, used } = shareBudget(candidates, texts, inDiff, room);
        expect(used).toBeLessThanOrEqual(room);
        expect(new Set(excerpts.map(({ path }) => path)).size).toBe(excerpts.length);
        for (const { path, lines: taken } of excerpts) {
          const numbers = taken.map(({ line }) => line);
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
          if (path === "a.ts") expect(numbers.some((line) => shown.includes(line))).toBe(false);
        }
        const text = excerpts.flatMap((one) => one.lines.map((line) => line.text)).join("\n");
        expect(text.length).toBeLessThanOrEqual(room);
      },
    ),
  );
});
