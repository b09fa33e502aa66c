import fc from "fast-check";
import { expect, test } from "vitest";
import { bestByWords } from "../../../src/adapters/memory/best-by-words.ts";
import { partScorer } from "../../../src/adapters/memory/bm25.ts";
import { addColumnsSlowly, GROUP, TILE } from "../../../src/adapters/memory/column-kernel.ts";
import { wordIndexFilling } from "../../../src/adapters/memory/word-index.ts";
import { wordKernel } from "../../../src/adapters/memory/word-kernel.ts";
import { agreementKernel, agreementSlowly, agreementTables } from "../../../src/adapters/sqlite/agreement-kernel.ts";
import { rankByBits } from "../../../src/adapters/sqlite/rank-by-bits.ts";

const component = fc.double({ min: -1, max: 1, noNaN: true });

test("bits agree with a query by about the sum of its components whose bit is set, in the kernel as in TypeScript", () => {
  const row = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(
      fc.array(component, { minLength: 256, maxLength: 256 }),
      fc.array(row, { maxLength: 300 }),
      fc.nat(3),
      (all, rows, shift) => {
        const query = Float32Array.from(all);
        const tables = agreementTables(query);
        // Aligned or not, as rows in memory and rows out of the file are.
        const bytes = Uint8Array.from([...new Uint8Array(shift), ...rows.flatMap((one) => [...one])]);
        const offsets = rows.map((_, at) => shift + at * 32);
        const slowly = offsets.map((offset) => agreementSlowly(tables, bytes, offset));
        const bit = (offset: number, at: number) => ((bytes[offset + (at >> 3)] ?? 0) >> (at & 7)) & 1;
        const naive = offsets.map((offset) => query.reduce((sum, value, at) => sum + bit(offset, at) * value, 0));
        // What differs by more than all roundings together stands in the same order.
        const error = (widestOf(query) / 255) * (query.length / 4);
        for (const [at, one] of naive.entries())
          for (const [other, less] of naive.entries())
            if (one - less > error) expect(slowly[at]).toBeGreaterThan(slowly[other] ?? 0);
        const candidates = {
          ids: Float64Array.from(rows.keys()),
          bytes: [new Uint8Array(), bytes],
          in: new Uint32Array(rows.length).fill(1),
          offsets: Float64Array.from(offsets),
        };
        expect([...(agreementKernel(256)?.scores(tables, candidates) ?? [])]).toEqual(slowly);
        expect(rankByBits(query, candidates, 5)).toEqual(rankByBits(query, candidates, 5, null));
      },
    ),
    { numRuns: 40 },
  );
});

/** The widest range of what any of four components in a row sum up to. */
function widestOf(query: Float32Array): number {
  const four = Array.from({ length: query.length / 4 }, (_, at) => query.subarray(at * 4, at * 4 + 4));
  return Math.max(...four.map((some) => some.reduce((sum, value) => sum + Math.abs(value), 0)));
}

test("the sums of as many components as there may be stay within their range", () => {
  for (const components of [128, 1_024, 2_048, 4_096]) {
    const tables = agreementTables(new Float32Array(components).fill(1));
    const bits = new Uint8Array(components / 8).fill(255);
    const candidates = { bytes: [bits], in: Uint32Array.of(0), offsets: Float64Array.of(0) };
    const all = agreementSlowly(tables, bits, 0);
    expect(all).toBeLessThanOrEqual(65_535);
    expect([...(agreementKernel(components)?.scores(tables, candidates) ?? [])]).toEqual([all]);
    expect(agreementSlowly(tables, new Uint8Array(bits.length), 0)).toBe(0);
  }
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
