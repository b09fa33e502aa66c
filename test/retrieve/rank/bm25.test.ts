import fc from "fast-check";
import { expect, test } from "vitest";
import { bagOf, KEYWORDS } from "../../../src/domain/text/bm25.ts";
import { lexicon } from "../../../src/retrieve/rank/term-ids.ts";
import { bagsOf, buildIndex, scoreAll } from "../../../src/retrieve/rank/term-vectors.ts";

const WORDS = lexicon();
const numbers = (words: readonly string[]) => words.flatMap((word) => WORDS.numbersOf(word));

function indexOf(texts: readonly (readonly string[])[]) {
  const numbered = texts.map(numbers);
  return buildIndex(bagsOf(numbered, WORDS.size()), WORDS.size());
}

const rarityOf = (_: number, found: number) => 1 / found;

const words = fc.array(fc.constantFrom("null", "check", "leak", "constructor", "__proto__", "test"), { maxLength: 8 });

test("a text that shares no word scores 0, and a rare word beats a common one", () => {
  const index = indexOf([["null", "check"], ["null", "leak"], ["null", "test"], []]);
  const scores = scoreAll(index, bagOf(numbers(["leak", "null"])), rarityOf, KEYWORDS);
  expect(scores[3]).toBe(0);
  expect(scores[1]).toBeGreaterThan(scores[0] ?? 0);
  expect(scores[0]).toBeGreaterThan(0);
});

test("of two texts with the word, the shorter is the better", () => {
  const index = indexOf([["leak", "a1", "b1", "c1", "d1"], ["leak"]]);
  const scores = scoreAll(index, bagOf(numbers(["leak"])), rarityOf, KEYWORDS);
  expect(scores[1]).toBeGreaterThan(scores[0] ?? 0);
});

test("scores are finite and never below 0, and do not depend on the order of texts", () => {
  fc.assert(
    fc.property(fc.array(words, { maxLength: 6 }), words, (texts, query) => {
      const forth = scoreAll(indexOf(texts), bagOf(numbers(query)), rarityOf, KEYWORDS);
      const back = scoreAll(indexOf(texts.toReversed()), bagOf(numbers(query)), rarityOf, KEYWORDS).toReversed();
      forth.forEach((score, at) => {
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeCloseTo(back[at] ?? -1, 9);
      });
    }),
  );
});
