import fc from "fast-check";
import { expect, test } from "vitest";
import { cosine, textVectors } from "../../src/domain/text/text-likeness.ts";

const TEXTS = [
  "Close the connection when the handshake fails, or the pool runs dry.",
  "The pool runs dry when a handshake fails: close the connection.",
  "Sort these imports, please.",
  "Please use `Array.from` here, C++ style loops are hard to read.",
];
const vectors = textVectors(TEXTS);
const likeness = (a: string, b: string) => cosine(vectors(a), vectors(b));

test("texts that say the same in other words are more alike than texts that do not", () => {
  expect(likeness(TEXTS[0] ?? "", TEXTS[1] ?? "")).toBeGreaterThan(0.6);
  expect(likeness(TEXTS[0] ?? "", TEXTS[2] ?? "")).toBe(0);
  expect(likeness("CLOSE THE POOL", "close the pool")).toBeCloseTo(1, 12);
});

test("a rare word counts more than one that many texts have", () => {
  expect(likeness("handshake", "handshake imports")).toBeLessThan(likeness("imports", "handshake imports"));
});

test("likeness lies between 0 and 1, is the same both ways, and is 1 for a text with words and itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (a, b) => {
      const value = likeness(a, b);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1 + 1e-12);
      expect(value).toBeCloseTo(likeness(b, a), 12);
      expect(likeness(a, a)).toBeCloseTo(vectors(a).size === 0 ? 0 : 1, 12);
    }),
  );
});

test("a text without words, words named like properties, and a line of a megabyte are texts like any other", () => {
  expect(likeness("", "!?")).toBe(0);
  expect(likeness("constructor __proto__", "constructor __proto__")).toBeCloseTo(1, 12);
  expect(likeness("a1 ".repeat(350_000), "a1")).toBeCloseTo(1, 12);
});
