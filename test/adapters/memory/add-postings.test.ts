// Sums of postings in WebAssembly against the same in TypeScript, over rows of several blocks.
import fc from "fast-check";
import { expect, test } from "vitest";
import { addPostings, readWords, type Use, weightOf } from "../../../src/adapters/memory/add-postings.ts";
import { weighing } from "../../../src/adapters/memory/bm25.ts";
import { BLOCK, TILE } from "../../../src/adapters/memory/column-kernel.ts";
import { type WordIndex, wordIndexFilling } from "../../../src/adapters/memory/word-index.ts";

const ROWS = BLOCK * TILE + TILE + 5;
/** A word stands in about every so many rows, which makes the last of them rare; some rows repeat it more often than a code says. */
const EVERY = [1, 2, 9, 70, 500, 3_000];

test("postings add up in the kernel as in TypeScript, for several questions, and up to the highest number", () => {
  const use = fc.record({ word: fc.nat(EVERY.length - 1), units: fc.integer({ min: 1, max: 40_000 }) });
  fc.assert(
    fc.property(
      fc.array(fc.array(use, { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
      fc.nat(100),
      (asked, seed) => {
        const [inKernel, here] = [0, Number.POSITIVE_INFINITY].map((fewest) => index(seed, fewest)) as [
          WordIndex,
          WordIndex,
        ];
        expect(inKernel.kernel).not.toBeNull();
        expect(here.kernel).toBeNull();
        expect(summed(inKernel, asked)).toEqual(summed(here, asked));
      },
    ),
    { numRuns: 12 },
  );
});

test("more words than the kernel has room for are added up all the same", () => {
  const all = index(3, 0);
  const many = Array.from({ length: 5_000 }, () => ({ word: 2, units: 1 }));
  const of = new Map([[all.vocabulary.find("word2"), many.map(() => ({ question: 0, ...weightOf(1) }))]]);
  expect(readWords(all, of).inKernel).toBeNull();
  const [sums] = summed(all, [many]);
  // Each use says one at least.
  expect(Math.max(...(sums ?? []))).toBeGreaterThanOrEqual(5_000);
});

function index(seed: number, fewestRows: number): WordIndex {
  const filling = wordIndexFilling(ROWS, 11, fewestRows);
  const encoder = new TextEncoder();
  for (let row = 0; row < ROWS; row += 1) {
    const words = EVERY.flatMap((every, word) => {
      if ((row * 7 + seed) % every !== 0) return [];
      const times = (row + seed) % 211 === 0 ? 9 + (row % 5) : 1 + (row % 3);
      return Array<string>(times).fill(`word${word}`);
    });
    filling.add(row, encoder.encode(words.join(" ")));
  }
  return filling.done();
}

/** Of each question the sums of all rows. */
function summed(
  all: WordIndex,
  asked: readonly (readonly { readonly word: number; readonly units: number }[])[],
): number[][] {
  const { longer, shares } = weighing([{ index: all, mask: new Uint8Array(ROWS).fill(3), outside: new Uint32Array() }]);
  const weighed = { index: all, longer: longer[0] ?? new Float64Array(), shares: shares[0] ?? new Uint16Array() };
  const uses = new Map<number, Use[]>();
  for (const [question, words] of asked.entries()) {
    for (const { word, units } of words) {
      const id = all.vocabulary.find(`word${word}`);
      uses.set(id, [...(uses.get(id) ?? []), { question, ...weightOf(units) }]);
    }
  }
  const words = readWords(all, uses);
  const { kernel } = all;
  kernel?.ask(
    asked.map((_, question) => ({ columns: [], words: words.inKernel?.get(question) ?? [] })),
    weighed.shares,
  );
  const sums = asked.map((_, question) => kernel?.sums(question) ?? new Int16Array(BLOCK * TILE));
  const told = asked.map((): number[] => []);
  const tiles = Math.ceil(ROWS / TILE);
  for (let tile = 0; tile < tiles; tile += BLOCK) {
    for (const of of sums) of.fill(0);
    addPostings(words, weighed, tile, Math.min(tiles, tile + BLOCK), sums);
    for (const [question, of] of sums.entries()) told[question]?.push(...of);
  }
  return told;
}
