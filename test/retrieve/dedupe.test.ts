import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dedupe, jaccard } from "../../src/retrieve/dedupe.ts";

const item = (id: string, text: string, source = "finding") => ({ id, text, source, label: `[${source}: ${id}]` });
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

  test("within one corpus only, when asked so", () => {
    const both = [item("a", SENTENCE), item("b", SENTENCE, "doc"), item("c", SENTENCE)];
    expect(dedupe(both, { within: true }).kept.map(({ item: { id } }) => id)).toEqual(["a", "b"]);
  });

  test("the same memory twice is one memory and not its own alternate source", () => {
    const { kept } = dedupe([item("a", "one text"), item("a", "another text")]);
    expect(kept).toEqual([{ item: item("a", "one text"), alternateSources: [] }]);
  });

  test("texts that share fewer than nine words in ten both stay", () => {
    expect(dedupe([item("a", "check for null here"), item("b", "check for null there")]).kept).toHaveLength(2);
  });

  test("likeness is symmetric, 1 for the same words, and lies between 0 and 1", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(jaccard(a, b)).toBe(jaccard(b, a));
        expect(jaccard(a, b)).toBeGreaterThanOrEqual(0);
        expect(jaccard(a, b)).toBeLessThanOrEqual(1);
        expect(jaccard(a, `${a} ${a}`)).toBe(1);
      }),
    );
  });
});
