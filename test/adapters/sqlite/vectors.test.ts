import fc from "fast-check";
import { expect, test } from "vitest";
import { bitPlanes, putBits } from "../../../src/adapters/memory/bit-planes.ts";
import { rotatedSize, rotateVector } from "../../../src/adapters/memory/rotate-vector.ts";
import { topK } from "../../../src/adapters/memory/top-k.ts";
import { vectorProblem } from "../../../src/adapters/memory/vector-problem.ts";
import { nearestBits } from "../../../src/adapters/sqlite/nearest-bits.ts";
import { cosineDistanceTo, toBits, toInt8 } from "../../../src/adapters/sqlite/quantise-vector.ts";
import { rankByBits } from "../../../src/adapters/sqlite/rank-by-bits.ts";

const component = fc.double({ min: -1, max: 1, noNaN: true });
const vector = (dimension: number) =>
  fc
    .array(component, { minLength: dimension, maxLength: dimension })
    .map((values) => Float32Array.from(values))
    .filter((values) => values.some((value) => Math.abs(value) > 1e-3));

function cosine(one: Float32Array, other: Float32Array): number {
  let [dot, a, b] = [0, 0, 0];
  one.forEach((value, at) => {
    const with_ = other[at] ?? 0;
    dot += value * with_;
    a += value * value;
    b += with_ * with_;
  });
  return dot / Math.sqrt(a * b);
}

test("rotation keeps every angle and makes the length one, whatever the dimension", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 70 }).chain((dimension) => fc.tuple(vector(dimension), vector(dimension))),
      ([one, other]) => {
        const [a, b] = [rotateVector(one), rotateVector(other)];
        expect(a.length).toBe(rotatedSize(one.length));
        // Each component is rounded to 24 bits.
        expect(Math.abs(cosine(a, b) - cosine(one, other))).toBeLessThan(1e-6);
        expect(Math.abs(Math.hypot(...a) - 1)).toBeLessThan(1e-6);
      },
    ),
  );
});

test("rotation is the same for ever: stored bits depend on it", () => {
  const bits = toBits(rotateVector(Float32Array.from({ length: 40 }, (_, at) => Math.sin(at + 1))), null);
  expect(Buffer.from(bits).toString("hex")).toMatchInlineSnapshot(`"e2d2949322720402"`);
});

test("rotation spreads a vector of one component over all, so that no sign is chance", () => {
  const rotated = rotateVector(Float32Array.of(0, 0, 5, 0, 0, 0, 0, 0));
  expect(rotated.every((value) => Math.abs(Math.abs(value) - 1 / Math.sqrt(64)) < 1e-6)).toBe(true);
});

test("a distance from bytes is within .01 of the true cosine distance, and between 0 and 2", () => {
  fc.assert(
    fc.property(vector(64), vector(64), (one, other) => {
      const distance = cosineDistanceTo(rotateVector(one))(toInt8(rotateVector(other)), 0);
      expect(Math.abs(distance - (1 - cosine(one, other)))).toBeLessThan(0.01);
      expect(distance).toBeGreaterThanOrEqual(0);
      expect(distance).toBeLessThanOrEqual(2);
    }),
  );
});

test("components that are all as large as may be do not overflow, however many there are", () => {
  for (const dimension of [64, 1024, 2048, 4096, 16_384]) {
    const one = rotateVector(new Float32Array(dimension).fill(1, 0, 1));
    expect(cosineDistanceTo(one)(toInt8(one), 0)).toBeCloseTo(0, 6);
    expect(cosineDistanceTo(one)(toInt8(one.map((value) => -value)), 0)).toBeCloseTo(2, 6);
  }
});

test("centred bits are the signs of what is left when the mean is taken away", () => {
  const bits = toBits(
    Float32Array.from({ length: 32 }, (_, at) => at / 32),
    new Float32Array(32).fill(0.5),
  );
  expect([...bits]).toEqual([0, 0, 255, 255]);
});

test("distances are the same with and without WebAssembly, whatever queries take turns", () => {
  const stored = fc.uint8Array({ minLength: 128, maxLength: 128 });
  fc.assert(
    fc.property(vector(64), vector(64), stored, (one, other, bytes) => {
      const rows = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
      fc.pre(rows.subarray(0, 64).some((value) => value !== 0) && rows.subarray(64).some((value) => value !== 0));
      const [toOne, toOther] = [cosineDistanceTo(one), cosineDistanceTo(other)];
      for (const [distance, query] of [[toOne, one] as const, [toOther, other] as const, [toOne, one] as const]) {
        for (const offset of [0, 64]) {
          expect(distance(rows, offset)).toBeCloseTo(cosineDistanceTo(query, null)(rows, offset), 12);
        }
      }
    }),
  );
});

function planesOf(rows: readonly Uint8Array[], words: number, residentFrom: number) {
  const planes = bitPlanes(rows.length, words, { residentFrom });
  rows.forEach((row, at) => {
    putBits(planes, at, row);
  });
  return planes;
}

test("choosing by bits gives what sorting all rows by Hamming distance and id gives", () => {
  const rows = fc.array(fc.uint8Array({ minLength: 8, maxLength: 8 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(
      rows,
      fc.uint8Array({ minLength: 8, maxLength: 8 }),
      fc.nat(70),
      fc.nat(60),
      (all, query, wanted, cut) => {
        const part = (from: number, to: number, residentFrom: number) => ({
          planes: planesOf(all.slice(from, to), 2, residentFrom),
          ids: Float64Array.from(all.slice(from, to), (_, at) => 1000 - from - at),
          admitted: Uint8Array.from(all.slice(from, to), (_, at) => ((from + at) % 5 !== 3 ? 1 : 0)),
        });
        // The second lies where it is measured.
        const parts = [part(0, cut, 100), part(cut, all.length, 0)];
        const distance = (row: Uint8Array) =>
          row.reduce((sum, byte, at) => sum + (byte ^ (query[at] ?? 0)).toString(2).replaceAll("0", "").length, 0);
        const expected = all
          .map((row, at) => ({ id: 1000 - at, at, distance: distance(row) }))
          .filter(({ at }) => at % 5 !== 3)
          .sort((one, other) => one.distance - other.distance || one.id - other.id)
          .slice(0, wanted)
          .map(({ id }) => id);
        const asked = new Uint32Array(query.slice().buffer);
        const other = asked.map((half) => ~half);
        for (const kernel of [undefined, null]) {
          const [chosen, ofOther] = nearestBits(parts, [asked, other], { rows: wanted, sure: wanted }, kernel);
          const ids = Array.from(chosen?.rows ?? [], (row, at) => parts[chosen?.parts[at] ?? 0]?.ids[row]);
          expect(ids.sort()).toEqual(expected.sort());
          expect(ofOther?.rows).toHaveLength(expected.length);
        }
      },
    ),
  );
});

test("ranking by bits is by the sum of the query's components where the bits are set", () => {
  const candidate = fc.uint8Array({ minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(
      vector(32),
      fc.array(candidate, { maxLength: 30 }),
      fc.integer({ min: 1, max: 10 }),
      (query, all, wanted) => {
        const candidates = {
          ids: Float64Array.from(all.keys()),
          bytes: all,
          in: Uint32Array.from(all.keys()),
          offsets: new Float64Array(all.length),
        };
        const score = (bytes: Uint8Array) =>
          query.reduce((sum, value, at) => sum + ((((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) === 1 ? value : 0), 0);
        const chosen = rankByBits(query, candidates, wanted).map((at) => score(all[at] ?? new Uint8Array()));
        const worstIn = chosen.toSorted((one, other) => other - one);
        const sorted = all.map(score).sort((one, other) => other - one);
        expect(worstIn).toHaveLength(Math.min(wanted, all.length));
        if (all.length > wanted) {
          // Each of the two sums may be off by half a step of rounding for each component.
          const rounding = (query.length * Math.max(...query.map(Math.abs))) / 32_767 + 1e-6;
          for (const [at, value] of worstIn.entries())
            expect(Math.abs(value - (sorted[at] ?? 0))).toBeLessThan(rounding);
        }
      },
    ),
  );
});

test("the k best are those that sorting would give, in any order of arrival", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.integer({ min: -1, max: 20 }), (values, k) => {
      const items = values.map((value, id) => ({ value, id }));
      const before = (one: { value: number; id: number }, other: { value: number; id: number }) =>
        one.value < other.value || (one.value === other.value && one.id < other.id);
      const expected = items
        .toSorted((one, other) => one.value - other.value || one.id - other.id)
        .slice(0, Math.max(0, k));
      expect(topK(items, k, before)).toEqual(expected);
      expect(topK(items.toReversed(), k, before)).toEqual(expected);
    }),
  );
});

test("tiny and huge components are fine; what is not a direction is not", () => {
  expect(vectorProblem(Float32Array.of(1e-40, 0), 2)).toBeNull();
  expect(vectorProblem(Float32Array.of(3e38, 3e38), 2)).toBeNull();
  expect(rotateVector(Float32Array.of(3e38, 3e38)).every(Number.isFinite)).toBe(true);
  expect(vectorProblem(Float32Array.of(-0, 0), 2)).toMatch(/all zero/);
  expect(vectorProblem(Float32Array.of(1, Number.NaN), 2)).toMatch(/finite/);
  expect(vectorProblem(Float32Array.of(1, 2, 3), 2)).toMatch(/3 components, its space 2/);
});
