import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jaccard } from "../../../src/domain/text/jaccard.ts";
import { comparedWords, dedupe } from "../../../src/retrieve/rank/dedupe.ts";

const item = (id: string, text: string, source = "finding") => ({ id, text, label: `[${source}: ${id}]` });
const SENTENCE =
  "Close the response body before you return, or the connection stays open until the garbage collector comes";

describe("saying the same twice", () => {
  test("folds near-identical texts into the first and keeps the other's label", () => {
    const { kept, folded } = dedupe([
      item("a", SENTENCE),
      item("b", SENTENCE.toUpperCase(), "doc"),
      item("c", "Use a map"),
    ]);
    expect(kept.map(({ item: { id }, alternateSources }) => [id, alternateSources])).toEqual([
      ["a", ["[doc: b]"]],
      ["c", []],
    ]);
    expect(folded).toEqual([{ id: "b", into: "a" }]);
  });

  test("the same memory twice is one memory and not its own alternate source", () => {
    const { kept } = dedupe([item("a", "one text"), item("a", "another text")]);
    expect(kept).toEqual([{ item: item("a", "one text"), alternateSources: [] }]);
  });

  test("a word more in a sentence is still the same", () => {
    expect(dedupe([item("a", SENTENCE), item("b", `${SENTENCE} along`)]).folded).toEqual([{ id: "b", into: "a" }]);
  });

  test("texts that share fewer than nine words in ten both stay", () => {
    expect(dedupe([item("a", "check for null here"), item("b", "check for null there")]).kept).toHaveLength(2);
  });

  test("what is kept and folded is the same as when every text is compared with every other", () => {
    // Few words in short texts, so that many are nearly alike; some ids and some sources twice.
    const word = fc.constantFrom(
      "Close",
      "the",
      "response",
      "body",
      "before",
      "you",
      "return",
      "größe",
      "map_key",
      "7",
    );
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
    const texts = fc.oneof(
      text,
      fc.constant(SENTENCE),
      text.map((more) => `${SENTENCE} ${more}`),
      fc.string(),
    );
    const items = fc.array(fc.tuple(texts, fc.integer({ min: 0, max: 30 }), fc.constantFrom("doc", "finding")), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(items, fc.constantFrom(0.1, 0.5, 0.75, 0.9, 1), (drawn, threshold) => {
        const ordered = drawn.map(([said, id, source]) => item(`mem_${id}`, said, source));
        expect(dedupe(ordered, threshold)).toEqual(dedupedPlainly(ordered, threshold));
      }),
      { numRuns: 150 },
    );
  });

  test("likeness is symmetric, 1 for the same words, and lies between 0 and 1", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(likeness(a, b)).toBe(likeness(b, a));
        expect(likeness(a, b)).toBeGreaterThanOrEqual(0);
        expect(likeness(a, b)).toBeLessThanOrEqual(1);
        expect(likeness(a, `${a} ${a}`)).toBe(1);
      }),
    );
  });
});

function likeness(a: string, b: string): number {
  return jaccard(comparedWords(a), comparedWords(b));
}

/** Every text against every one that is kept. */
function dedupedPlainly(ordered: readonly ReturnType<typeof item>[], threshold: number): ReturnType<typeof dedupe> {
  const kept: { item: ReturnType<typeof item>; alternateSources: string[] }[] = [];
  const folded: { id: string; into: string }[] = [];
  for (const one of ordered) {
    const same = kept.find(({ item: other }) => other.id === one.id || likeness(other.text, one.text) >= threshold);
    if (same === undefined) kept.push({ item: one, alternateSources: [] });
    else if (same.item.id !== one.id) {
      same.alternateSources.push(one.label);
      folded.push({ id: one.id, into: same.item.id });
    }
  }
  return { kept, folded };
}
