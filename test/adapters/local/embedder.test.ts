import fc from "fast-check";
import { expect, test } from "vitest";
import { localWords } from "../../../src/adapters/local/local-embedder.ts";

/** Any code points, lone surrogates included. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 40 })
  .map((points) => points.map((point) => String.fromCodePoint(point)).join(""));

const { embed, space } = localWords();
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
const one = async (text: string) => (await embed([text], "query")).vectors[0] ?? new Float32Array();

test("every text becomes a unit vector of the promised size, even one without words", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const vector = await one(text);
      expect(vector).toHaveLength(space.dimension);
      expect(cosine(vector, vector)).toBeCloseTo(1, 4);
    }),
  );
  expect(cosine(await one(""), await one("?!"))).toBeCloseTo(1, 5);
});

test("the same words lie near each other however they are spelt, other words do not", async () => {
  const memory = await one("Close the database connection when parsing fails; `openConnection` leaks here.");
  const near = await one("const conn = open_connection(database)");
  const far = await one("Please sort the entries alphabetically");
  expect(cosine(memory, near)).toBeGreaterThan(0.3);
  expect(Math.abs(cosine(memory, far))).toBeLessThan(0.15);
});

test("a rare word weighs more than a common one", async () => {
  const memory = await one("the mutex is used by the code here");
  expect(cosine(memory, await one("mutex"))).toBeGreaterThan(2 * cosine(memory, await one("use code")));
});

test("results keep the order of the texts, and a new embedder gives the same vectors", async () => {
  const texts = ["null check", "C++ move constructor", "日本語のコメント"];
  expect((await localWords().embed(texts, "document")).vectors).toEqual(await Promise.all(texts.map(one)));
  expect(space.model).toMatch(/^local-hash-1:words-\d+$/);
});
