import { expect, test } from "vitest";
import { localWords } from "../../src/adapters/local/local-embedder.ts";
import { confidenceOf } from "../../src/domain/retrieval.ts";

const EDGES = { high: 0.43, medium: 0.69, low: 0.77 };

test("nearer is surer; an edge belongs to the surer side [002-23]", () => {
  const words = [0, 0.43, 0.431, 0.69, 0.7, 0.77, 0.78, 2].map((distance) => confidenceOf(distance, EDGES));
  expect(words).toEqual(["high", "high", "medium", "medium", "low", "low", "very_low", "very_low"]);
});

test("the keyless embedder has the edges that were measured for it, the middle one its threshold", () => {
  const { confidence, threshold } = localWords();
  expect(confidence).toEqual(EDGES);
  expect(confidence?.medium).toBe(threshold);
});
