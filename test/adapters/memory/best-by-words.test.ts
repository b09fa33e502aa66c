// Over more rows than are added up in one go: what the small corpora of the kernels' tests never reach.
import fc from "fast-check";
import { expect, test } from "vitest";
import { bestByWords } from "../../../src/adapters/memory/best-by-words.ts";
import { type Bm25Part, partScorer } from "../../../src/adapters/memory/bm25.ts";
import { BLOCK, TILE } from "../../../src/adapters/memory/column-kernel.ts";
import { wordIndexFilling } from "../../../src/adapters/memory/word-index.ts";

const ROWS = BLOCK * TILE;
/** A word stands in every so many rows: in columns, by tables of tiles, behind tiles. */
const EVERY: ReadonlyMap<string, number> = new Map([
  ...([
    ["return", 1],
    ["value", 3],
    ["pool", 7],
    ["mutex", 60],
    ["retry", 61],
    ["demuxer", 400],
  ] as const),
  ...([
    ["pts", 2_100],
    ["vaapi", 2_999],
    ["regression", ROWS - 1],
  ] as const),
]);

test("the best of several blocks of rows are the best by exact BM25, for words common and rare, often repeated or not", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: ROWS * 2 + TILE + 5 }), { minLength: 1, maxLength: 2 }),
      fc.array(fc.uniqueArray(fc.constantFrom(...EVERY.keys()), { minLength: 1 }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 60 }),
      fc.nat(1_000),
      (sizes, questions, withKernel, k, seed) => {
        const parts = sizes.map((size, at) => partOf(size, seed + at, withKernel));
        const queries = questions.map((words) => new Map(words.map((word, at) => [word, 1 + at / 4])));
        const best = bestByWords(parts, queries, k, null);
        for (const [at, query] of queries.entries()) {
          const exact = bestScores(exactScores(parts, query), k);
          const told = best[at]?.map(({ score }) => score);
          // Null asks for the exact way: fewer rows than wanted score.
          if (told === undefined || told === null) expect(exact.length).toBeLessThan(k + 1);
          else expect(bestScores(told, k)).toEqual(exact);
        }
      },
    ),
    { numRuns: 8 },
  );
});

function partOf(rows: number, seed: number, withKernel: boolean): Bm25Part {
  const filling = wordIndexFilling(rows, 7, withKernel ? 0 : Number.POSITIVE_INFINITY);
  const encoder = new TextEncoder();
  for (let row = 0; row < rows; row += 1) filling.add(row, encoder.encode(textOf(row, seed)));
  const index = filling.done();
  expect(index.kernel === null).toBe(!withKernel);
  const mask = Uint8Array.from({ length: rows }, (_, row) => ((row + seed) % 11 === 0 ? 1 : 3));
  return { index, mask, outside: new Uint32Array() };
}

/** Some rows repeat a word more often than a code has room for. */
function textOf(row: number, seed: number): string {
  const words: string[] = [];
  for (const [word, every] of EVERY) {
    if ((row + seed) % every !== 0) continue;
    const times = (row * 31 + seed) % 97 === 0 ? 40 + (row % 9) : 1 + ((row * 7 + seed) % 3);
    for (let at = 0; at < times; at += 1) words.push(word);
  }
  return words.join(" ");
}

function exactScores(parts: readonly Bm25Part[], query: ReadonlyMap<string, number>): number[] {
  const scores = partScorer(parts)(query);
  return parts.flatMap(({ mask }, part) =>
    [...mask.keys()].flatMap((row) => (mask[row] === 3 ? (scores[part]?.[row] ?? 0) : [])),
  );
}

function bestScores(scores: readonly number[], k: number): number[] {
  return scores
    .filter((score) => score > 0)
    .sort((one, other) => other - one)
    .slice(0, k);
}
