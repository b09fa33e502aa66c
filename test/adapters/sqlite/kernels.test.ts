import fc from "fast-check";
import { expect, test } from "vitest";
import { bestByWords } from "../../../src/adapters/memory/best-by-words.ts";
import { partScorer } from "../../../src/adapters/memory/bm25.ts";
import { addColumnsSlowly, GROUP, TILE } from "../../../src/adapters/memory/column-kernel.ts";
import { wordIndexFilling } from "../../../src/adapters/memory/word-index.ts";
import { wordKernel } from "../../../src/adapters/memory/word-kernel.ts";
import { agreementKernel, agreementSlowly } from "../../../src/adapters/sqlite/agreement-kernel.ts";
import { rankByBits } from "../../../src/adapters/sqlite/rank-by-bits.ts";

const component = fc.integer({ min: -32_767, max: 32_767 });

test("bits agree with a query by the sum of its components whose bit is set, in the kernel as in TypeScript", () => {
  const row = fc.uint8Array({ minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(
      fc.array(component, { minLength: 64, maxLength: 64 }),
      fc.array(row, { maxLength: 300 }),
      fc.nat(3),
      (all, rows, shift) => {
        const query = Int16Array.from(all);
        // Aligned or not, as rows in memory and rows out of the file are.
        const bytes = Uint8Array.from([...new Uint8Array(shift), ...rows.flatMap((one) => [...one])]);
        const offsets = rows.map((_, at) => shift + at * 8);
        const slowly = offsets.map((offset) => agreementSlowly(query, bytes, offset));
        const bit = (offset: number, at: number) => ((bytes[offset + (at >> 3)] ?? 0) >> (at & 7)) & 1;
        const naive = offsets.map((offset) => query.reduce((sum, value, at) => sum + bit(offset, at) * value, 0));
        const candidates = {
          ids: Float64Array.from(rows.keys()),
          bytes: [new Uint8Array(), bytes],
          in: new Uint32Array(rows.length).fill(1),
          offsets: Float64Array.from(offsets),
        };
        expect(slowly).toEqual(naive);
        expect([...(agreementKernel(64)?.scores(query, candidates) ?? [])]).toEqual(naive);
        const of = Float32Array.from(query);
        expect(rankByBits(of, candidates, 5)).toEqual(rankByBits(of, candidates, 5, null));
      },
    ),
    { numRuns: 40 },
  );
});

test("columns add up in the kernel as in TypeScript, up to the highest number, and groups that are good enough are told", () => {
  const column = fc.record({ column: fc.nat(4), weight: fc.integer({ min: 0, max: 32_767 }) });
  fc.assert(
    fc.property(fc.array(column, { maxLength: 9 }), fc.nat(32_767), fc.nat(1_000), (weighed, enough, seed) => {
      const kernel = wordKernel({ rows: TILE * 2, codes: 0, tiles: 0, columns: 5, classes: 1, shares: 32 });
      if (kernel === null) throw new Error("no WebAssembly");
      for (let at = 0; at < kernel.columns.length; at += 1) kernel.columns[at] = (at * 31 + seed * 17) % 128;
      const questions = [[], weighed].map((columns) => ({ columns, words: [] }));
      kernel.ask(questions, new Uint16Array(32));
      // Of a block the second tile: the sums beside it stay as they are.
      const block = kernel.sums(1).map((_, row) => (row * seed) % 3_000);
      kernel.sums(1).set(block);
      const sums = block.subarray(TILE, TILE * 2);
      addColumnsSlowly(kernel.columns, 5, 1, weighed, sums);
      const groups = [...kernel.addColumns(1, 1, Math.max(1, enough))];
      expect(kernel.sums(1)).toEqual(block);
      const rows = [...sums.keys()].filter((row) => (sums[row] ?? 0) >= Math.max(1, enough));
      expect(groups).toEqual([...new Set(rows.map((row) => row - (row % GROUP)))]);
    }),
    { numRuns: 30 },
  );
});

/** Texts over a vocabulary in which the first words stand nearly everywhere. */
const text = fc.array(
  fc.oneof(
    fc.constantFrom("we", "pool", "value"),
    fc.nat(40).map((n) => `w${n}`),
  ),
  {
    maxLength: 14,
  },
);

test("the best by columns and by postings are the best of all rows by exact BM25, score for score", () => {
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 60 }),
      fc.array(text, { minLength: 1, maxLength: 3 }),
      fc.array(fc.constantFrom(0, 1, 3, 3, 3), { minLength: 120, maxLength: 120 }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(60),
      (texts, questions, seen, k, cut) => {
        const parts = [texts.slice(0, cut), texts.slice(cut)].map((of, part) => {
          // As a large index has them.
          const filling = wordIndexFilling(of.length, 7, 0);
          of.forEach((words, row) => {
            filling.add(row, new TextEncoder().encode(words.join(" ")));
          });
          const index = filling.done();
          const mask = Uint8Array.from(of, (_, row) => seen[part * 60 + row] ?? 0);
          const outside = Uint32Array.from([...mask.keys()].filter((row) => mask[row] === 0));
          return { index, mask, outside };
        });
        const queries = questions.map((words) => new Map(words.map((word, at) => [word, 1 + at / 4])));
        const best = bestByWords(parts, queries, k, null);
        for (const [at, query] of queries.entries()) {
          const scores = partScorer(parts)(query);
          const exact = parts.flatMap(({ mask }, part) =>
            [...mask.keys()].flatMap((row) =>
              mask[row] === 3 && (scores[part]?.[row] ?? 0) > 0 ? [scores[part]?.[row] ?? 0] : [],
            ),
          );
          const told = best[at]?.map(({ score }) => score);
          // Null asks for the exact way: fewer rows than wanted score.
          if (told === undefined) expect(exact.length).toBeLessThan(k + 1);
          else expect(descending(told).slice(0, k)).toEqual(descending(exact).slice(0, k));
        }
      },
    ),
    { numRuns: 300 },
  );
});

function descending(values: readonly number[]): number[] {
  return values.toSorted((one, other) => other - one);
}
