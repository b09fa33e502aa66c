import { expect, test } from "vitest";
import { addWord, bagOf, inverseFrequency, KEYWORDS, markdowns, type Postings } from "../../src/domain/text/bm25.ts";

/**
 * One word that stands twice in a text of four words, and once in a text of eight; a third text
 * without it.
 */
const inWords: Postings = {
  starts: Uint32Array.of(0, 2),
  rows: Uint32Array.of(0, 1),
  counts: Uint16Array.of(2, 1),
  lengths: Uint32Array.of(4, 8, 6),
  parts: 1,
};

test("a word adds gain · count · (k1 + 1) / (count + k1 · (1 − b + b · length / mean length)) to the texts that hold it", () => {
  const scores = Float64Array.of(1, 0, 0);
  addWord(scores, inWords, 0, 3 * 2.2, markdowns(inWords, 6, { k1: 1.2, b: 0.75 }));
  expect(scores[0]).toBeCloseTo(1 + (3 * 2 * 2.2) / (2 + 1.2 * (0.25 + (0.75 * 4) / 6)), 12);
  expect(scores[1]).toBeCloseTo((3 * 1 * 2.2) / (1 + 1.2 * (0.25 + (0.75 * 8) / 6)), 12);
  expect(scores[2]).toBe(0);
});

test("an index in eighths of a word gives the scores of one in words", () => {
  const [words, eighths] = [new Float64Array(3), new Float64Array(3)];
  const finer = {
    ...inWords,
    counts: inWords.counts.map((count) => count * 8),
    lengths: inWords.lengths.map((length) => length * 8),
    parts: 8,
  };
  addWord(words, inWords, 0, 1, markdowns(inWords, 6, KEYWORDS));
  addWord(eighths, finer, 0, 1, markdowns(finer, 6, KEYWORDS));
  expect(eighths).toEqual(words);
});

test("a rare word weighs more than a common one, and one that is everywhere still more than nothing", () => {
  expect(inverseFrequency(100, 1, 0)).toBeGreaterThan(inverseFrequency(100, 50, 0));
  expect(inverseFrequency(100, 100, 1)).toBeGreaterThan(0);
});

test("in a small repository many others say which word is rare, in a large one the repository does", () => {
  const rare = (texts: number) => inverseFrequency(texts, texts, 0);
  const common = (texts: number) => inverseFrequency(texts, 0, 0.5);
  expect(rare(3)).toBeGreaterThan(common(3));
  expect(rare(1_000)).toBeLessThan(common(1_000));
});

test("each repeat of a word in a query adds less than the one before", () => {
  const bag = bagOf(["null", "check", "null", "null", "constructor"]);
  expect([...bag]).toEqual([
    ["null", 1 + Math.log(3)],
    ["check", 1],
    ["constructor", 1],
  ]);
});
