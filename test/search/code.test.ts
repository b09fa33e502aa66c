// Vectors in one byte a component, and choosing the best of many.
import fc from "fast-check";
import { expect, test } from "vitest";
import { codeDistance, encodeVector, vectorProblem } from "../../src/search/code.ts";
import { bestRows } from "../../src/search/memory-search.ts";

const component = fc.double({ min: -1, max: 1, noNaN: true });
const vector = (dimension: number) =>
  fc
    .array(component, { minLength: dimension, maxLength: dimension })
    .map((values) => Float32Array.from(values))
    .filter((values) => values.some((value) => Math.abs(value) > 1e-3));

function cosine(one: Float32Array, other: Float32Array): number {
  let [dot, a, b] = [0, 0, 0];
  one.forEach((value, at) => {
    const of = other[at] ?? 0;
    dot += value * of;
    a += value * value;
    b += of * of;
  });
  return dot / Math.sqrt(a * b);
}

test("a distance from bytes is within .01 of the true cosine distance, and between 0 and 2", () => {
  fc.assert(
    fc.property(vector(64), vector(64), (one, other) => {
      const distance = codeDistance(encodeVector(one), encodeVector(other));
      expect(Math.abs(distance - (1 - cosine(one, other)))).toBeLessThan(0.01);
      expect(distance).toBeGreaterThanOrEqual(0);
      expect(distance).toBeLessThanOrEqual(2);
    }),
  );
});

test("a distance is the same wherever the second code begins", () => {
  fc.assert(
    fc.property(vector(16), vector(16), fc.nat(40), (one, other, offset) => {
      const codes = new Int8Array(offset + 16 + 3).fill(77);
      codes.set(encodeVector(other), offset);
      expect(codeDistance(encodeVector(one), codes, offset)).toBe(codeDistance(encodeVector(one), encodeVector(other)));
    }),
  );
});

test("components that are all as large as may be do not overflow, however many there are", () => {
  for (const dimension of [64, 1024, 2048, 4096, 16_384]) {
    const one = encodeVector(new Float32Array(dimension).fill(3e38));
    expect(codeDistance(one, one)).toBeCloseTo(0, 6);
    expect(
      codeDistance(
        one,
        one.map((value) => -value),
      ),
    ).toBeCloseTo(2, 6);
  }
});

test("the k best are the admitted rows that sorting by score and then by name would give, without those that score nothing", () => {
  const rows = fc.uniqueArray(
    fc.record({ score: fc.nat(5), name: fc.string({ maxLength: 2 }), isAdmitted: fc.boolean() }),
    {
      selector: ({ name }) => name,
    },
  );
  fc.assert(
    fc.property(rows, fc.integer({ min: -1, max: 20 }), (all, k) => {
      const expected = all
        .flatMap(({ score, name, isAdmitted }, row) => (isAdmitted && score > 0 ? [{ score, name, row }] : []))
        .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1))
        .slice(0, Math.max(0, k))
        .map(({ row }) => row);
      const scores = Float64Array.from(all, ({ score }) => score);
      const admitted = Uint8Array.from(all, ({ isAdmitted }) => Number(isAdmitted));
      expect(
        bestRows(
          scores,
          admitted,
          all.map(({ name }) => name),
          k,
        ),
      ).toEqual(expected);
    }),
  );
});

test("tiny and huge components are fine; what is not a direction is not", () => {
  expect(vectorProblem(Float32Array.of(1e-40, 0), 2)).toBeNull();
  expect(vectorProblem(Float32Array.of(3e38, 3e38), 2)).toBeNull();
  expect([...encodeVector(Float32Array.of(1e-40, 0))]).toEqual([127, 0]);
  expect([...encodeVector(Float32Array.of(3e38, -3e38))]).toEqual([127, -127]);
  expect(vectorProblem(Float32Array.of(-0, 0), 2)).toMatch(/all zero/);
  expect(vectorProblem(Float32Array.of(1, Number.NaN), 2)).toMatch(/finite/);
  expect(vectorProblem(Float32Array.of(1, 2, 3), 2)).toMatch(/3 components, its space 2/);
});
