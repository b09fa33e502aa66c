import fc from "fast-check";
import { expect, test } from "vitest";
import { localEmbedder } from "../../../src/adapters/local/local-embedder.ts";

/** Any code points, lone surrogates included. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 40 })
  .map((points) => points.map((point) => String.fromCodePoint(point)).join(""));

const { embed, dimension, model } = localEmbedder();
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
const one = (text: string) => embed([text], "query")[0] ?? new Float32Array();

test("every text becomes a unit vector of the promised size, even one without words", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const vector = one(text);
      expect(vector).toHaveLength(dimension);
      expect(cosine(vector, vector)).toBeCloseTo(1, 4);
    }),
  );
  expect(cosine(one(""), one("?!"))).toBeCloseTo(1, 5);
});

test("the same words lie near each other however they are spelt, other words do not", () => {
  const memory = one("Close the database connection when parsing fails; `openConnection` leaks here.");
  const near = one("const conn = open_connection(database)");
  const far = one("Please sort the entries alphabetically");
  expect(cosine(memory, near)).toBeGreaterThan(0.3);
  expect(Math.abs(cosine(memory, far))).toBeLessThan(0.15);
});

test("a rare word weighs more than a common one", () => {
  const memory = one("the mutex is used by the code here");
  expect(cosine(memory, one("mutex"))).toBeGreaterThan(2 * cosine(memory, one("use code")));
});

test("results keep the order of the texts, and a new embedder gives the same vectors", () => {
  const texts = ["null check", "C++ move constructor", "日本語のコメント"];
  expect(localEmbedder().embed(texts, "document")).toEqual(texts.map(one));
  expect(model).toMatch(/^local-hash-1:words-\d+$/);
});
