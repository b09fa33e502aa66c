import fc from "fast-check";
import { expect, test } from "vitest";
import { readVectors } from "../../src/adapters/embed-texts.ts";

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

test("for any finite numbers from a model, the vector has unit length and the same direction", () => {
  fc.assert(
    fc.property(fc.array(finite, { minLength: 2, maxLength: 64 }), (embedding) => {
      const [vector] = readVectors([{ index: 0, embedding }], 1, null).vectors;
      const largest = Math.max(...embedding.map(Math.abs));
      if (largest === 0) {
        expect(vector).toBeNull();
        return;
      }
      const length = Math.hypot(...(vector ?? []));
      expect(length).toBeCloseTo(1, 5);
      const place = embedding.findIndex((value) => Math.abs(value) === largest);
      expect(Math.sign(vector?.[place] ?? 0)).toBe(Math.sign(embedding[place] ?? 0));
    }),
  );
});

test("for any response, each text has one place, filled with a valid vector or empty with a reason", () => {
  const missing = fc.constantFrom(null, undefined);
  const row = fc.record({
    index: fc.oneof(fc.integer({ min: -1, max: 4 }), finite, missing),
    embedding: fc.oneof(fc.array(finite), fc.array(finite, { minLength: 3, maxLength: 3 }), missing),
  });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), fc.integer({ min: 0, max: 4 }), (rows, count) => {
      const { vectors, problem } = readVectors(rows, count, 3);
      expect(vectors.length).toBe(count);
      expect(problem === null).toBe(vectors.every((vector) => vector !== null));
      for (const vector of vectors) if (vector !== null) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }),
  );
});

test("a dimension that was not asked for is learned from the first good vector of the answer", () => {
  const rows = [
    [0, 0, 0, 0],
    [1, 2, 3],
    [1, 2],
    [3, 2, 1],
  ].map((embedding, index) => ({ index, embedding }));
  const { vectors, problem } = readVectors(rows, 4, null);
  expect(vectors.map((vector) => vector?.length)).toEqual([undefined, 3, undefined, 3]);
  expect(problem).toBe("a vector is all zero");
});
