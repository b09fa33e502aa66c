import fc from "fast-check";
import { expect, test } from "vitest";
import { randomFrom } from "../../../bench/synthetic-memory.ts";
import { bitPlanes, copyBits, putBits } from "../../../src/adapters/memory/bit-planes.ts";
import {
  type BitSketches,
  MOST_SKETCHED,
  ROWS_TOLD,
  sketchesSlowly,
} from "../../../src/adapters/memory/bit-sketches.ts";
import { sketchKernel } from "../../../src/adapters/memory/sketch-kernel.ts";
import { nearestBits, sketchLimit } from "../../../src/adapters/sqlite/nearest-bits.ts";

const WORDS = 32;
const SKETCH = 8;

/** Rows some of which are like others: of a row so many bits are turned over in the next. */
function rowsOf(count: number, turned: number, seed: number): Uint32Array[] {
  const random = randomFrom(seed);
  let last = Uint32Array.from({ length: WORDS }, () => random() * 2 ** 32);
  return Array.from({ length: count }, (_, row) => {
    if (row % 50 === 0) last = Uint32Array.from({ length: WORDS }, () => random() * 2 ** 32);
    last = last.slice();
    for (let turn = 0; turn < turned; turn += 1) {
      const bit = Math.floor(random() * WORDS * 32);
      last[bit >> 5] = (last[bit >> 5] ?? 0) ^ (1 << (bit & 31));
    }
    return last;
  });
}

function partOf(rows: readonly Uint32Array[], admitted: Uint8Array, from: number, kernel?: typeof sketchKernel) {
  const kernels = kernel === undefined ? {} : { kernels: { sketch: kernel, rows: () => null } };
  const planes = bitPlanes(rows.length, WORDS, { sketchedFrom: from, ...kernels });
  rows.forEach((row, at) => {
    putBits(planes, at, new Uint8Array(row.buffer));
  });
  return { planes, ids: Float64Array.from(rows, (_, at) => 5_000 - at), admitted };
}

const IN_ONE = Number.POSITIVE_INFINITY;
const withoutKernel = () => null;

function distance(one: Uint32Array, other: Uint32Array, words = WORDS): number {
  let sum = 0;
  for (let at = 0; at < words; at += 1) {
    for (let left = (one[at] ?? 0) ^ (other[at] ?? 0); left !== 0; left &= left - 1) sum += 1;
  }
  return sum;
}

const admittedOf = (rows: number, each: number) =>
  Uint8Array.from({ length: rows }, (_, row) => (row % each === 0 ? 1 : 0));

test("sketches in the kernel tell, row for row, what they tell in TypeScript and what counting bit by bit tells", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 0, max: 40 }),
      fc.nat(),
      fc.integer({ min: 1, max: 3 }),
      fc.tuple(fc.nat(256), fc.nat(256), fc.nat(1024)),
      (count, turned, seed, each, [low, high, limit]) => {
        const rows = rowsOf(count, turned, seed);
        const queries = [rows[0] ?? new Uint32Array(WORDS), (rows[0] ?? new Uint32Array()).map((word) => ~word)];
        const admitted = admittedOf(count, each);
        const told = [sketchKernel(count, SKETCH, WORDS), sketchesSlowly(count, SKETCH, WORDS)].map((sketches) => {
          if (sketches === null) throw new Error("no WebAssembly");
          fill(sketches, rows);
          sketches.measure(queries, admitted);
          return queries.map((_, query) => [
            sketches.count(query, 0, high),
            [...sketches.near(query, 0, [low, high], limit)],
          ]);
        });
        const naive = queries.map((query) => {
          const admits = rows.flatMap((row, at) =>
            admitted[at] === 1 ? [{ at, first: Math.min(255, distance(row, query, SKETCH)), row }] : [],
          );
          // 256 differing bits count as 255.
          const whole = (one: (typeof admits)[number]) =>
            one.first + distance(one.row.subarray(SKETCH), query.subarray(SKETCH), WORDS - SKETCH);
          return [
            admits.filter(({ first }) => first <= high).length,
            admits
              .filter((one) => one.first >= low && one.first <= high && whole(one) <= limit)
              .map((one) => one.at * 65_536 + whole(one)),
          ];
        });
        expect(told[1]).toEqual(naive);
        expect(told[0]).toEqual(naive);
      },
    ),
    { numRuns: 60 },
  );
});

function fill({ sketch, rest }: BitSketches, rows: readonly Uint32Array[]): void {
  rows.forEach((row, at) => {
    sketch.set(row.subarray(0, SKETCH), at * SKETCH);
    rest.set(row.subarray(SKETCH), at * (WORDS - SKETCH));
  });
}

test("rows that lie where they are measured are chosen as those that are copied there, whatever their number and whom a scope admits", () => {
  const rows = rowsOf(2_101, 30, 11);
  const queries = [rows[5], rows[2_100], rows[1_023]?.map((word) => ~word)].map(
    (query) => query ?? new Uint32Array(WORDS),
  );
  for (const count of [1, 1_023, 1_024, 1_025, 2_101]) {
    const [resident, copied] = [0, IN_ONE].map((residentFrom) => {
      const planes = bitPlanes(count, WORDS, { residentFrom });
      rows.slice(0, count).forEach((row, at) => {
        putBits(planes, at, new Uint8Array(row.buffer));
      });
      return { planes, ids: Float64Array.from({ length: count }, (_, at) => 5_000 - at) };
    });
    if (resident === undefined || copied === undefined) throw new Error("two");
    expect([resident.planes.resident === null, copied.planes.resident === null]).toEqual([false, true]);
    for (const each of [1, 3, 2, 1]) {
      const admitted = admittedOf(count, each);
      const [here, there] = [resident, copied].map((part) =>
        nearestBits([{ ...part, admitted }], queries, { rows: 40, sure: 40 }).map((chosen) => [...chosen.rows].sort()),
      );
      expect(here).toEqual(there);
    }
  }
});

test("rows beyond the first that are told at a time are told by their place after these", () => {
  const count = ROWS_TOLD + 37;
  const kernel = sketchKernel(count, SKETCH, WORDS);
  const last = new Uint32Array(WORDS).fill(7);
  kernel?.sketch.set(last.subarray(0, SKETCH), (count - 1) * SKETCH);
  kernel?.rest.set(last.subarray(SKETCH), (count - 1) * (WORDS - SKETCH));
  kernel?.measure([last], new Uint8Array(count).fill(1));
  expect([...(kernel?.near(0, 0, [0, 23], 1024) ?? [])]).toEqual([]);
  expect([...(kernel?.near(0, ROWS_TOLD, [0, 23], 1024) ?? [])]).toEqual([36 * 65_536]);
  expect(kernel?.count(0, ROWS_TOLD, 23)).toBe(1);
  expect(kernel?.count(0, ROWS_TOLD, 24)).toBe(37);
});

test("with sketches the same rows are chosen with and without WebAssembly, in whatever parts they come", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 600 }),
      fc.integer({ min: 0, max: 30 }),
      fc.nat(),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 30 }),
      (count, turned, seed, each, wanted) => {
        const rows = rowsOf(count, turned, seed);
        const queries = rowsOf(MOST_SKETCHED + 2, 300, seed + 1).map((row, at) =>
          at % 2 === 0 ? (rows[at] ?? row) : row,
        );
        const of = { rows: wanted, sure: Math.ceil(wanted / 3) };
        const admitted = admittedOf(count, each);
        const whole = partOf(rows, admitted, 1);
        const cut = (from: number, to: number) => {
          const part = partOf(rows.slice(from, to), admitted.slice(from, to), 1, withoutKernel);
          return { ...part, ids: part.ids.map((id) => id - from) };
        };
        const inParts = [cut(Math.floor(count / 3), count), cut(0, Math.floor(count / 3))];
        const idsOf = (parts: readonly { readonly ids: Float64Array }[]) => {
          const chosen = nearestBits(parts as typeof inParts, queries, of);
          return chosen.map((one) => Array.from(one.rows, (row, at) => parts[one.parts[at] ?? 0]?.ids[row]).sort());
        };
        expect(whole.planes.sketches).not.toBeNull();
        expect(idsOf([whole])).toEqual(idsOf(inParts));
      },
    ),
    { numRuns: 40 },
  );
});

test("of rows with sketches those are chosen that are chosen without, but for rows whose first bits are too far", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 600 }),
      fc.integer({ min: 0, max: 30 }),
      fc.nat(),
      fc.integer({ min: 1, max: 30 }),
      (count, turned, seed, wanted) => {
        const rows = rowsOf(count, turned, seed);
        const query = rowsOf(1, 200, seed)[0] ?? new Uint32Array(WORDS);
        const admitted = admittedOf(count, 1);
        const of = { rows: wanted, sure: Math.ceil(wanted / 3) };
        const [exact, quick] = [IN_ONE, 1].map((from) => nearestBits([partOf(rows, admitted, from)], [query], of)[0]);
        const sure = Math.min(...distances(rows, query).slice(of.sure - 1, of.sure));
        const isNear = (row: number) => {
          return distance(rows[row] ?? query, query, SKETCH) <= sketchLimit(sure, WORDS * 32, SKETCH * 32);
        };
        expect(quick?.rows.length).toBeLessThanOrEqual(exact?.rows.length ?? 0);
        for (const row of exact?.rows ?? []) if (isNear(row)) expect([...(quick?.rows ?? [])]).toContain(row);
      },
    ),
    { numRuns: 60 },
  );
});

function distances(rows: readonly Uint32Array[], query: Uint32Array): number[] {
  return rows.map((row) => distance(row, query)).sort((one, other) => one - other);
}

test("of rows at one distance from a query about one in 740 has more of it in its first bits than the limit", () => {
  const random = randomFrom(3);
  const [rows, far] = [40_000, 350];
  const limit = sketchLimit(far, 1024, 256);
  let beyond = 0;
  for (let row = 0; row < rows; row += 1) {
    // Of `far` places drawn without putting back, those among the first 256.
    let [first, left] = [0, far];
    for (let place = 0; place < 256; place += 1) {
      if (random() * (1024 - place) < left) {
        left -= 1;
        first += 1;
      }
    }
    if (first > limit) beyond += 1;
  }
  expect(beyond / rows).toBeLessThan(0.002);
  expect(beyond / rows).toBeGreaterThan(0.0004);
});

test("a row's bits come back as they were put, in one plane and in two", () => {
  const rows = rowsOf(9, 20, 1);
  for (const from of [1, IN_ONE]) {
    const { planes } = partOf(rows, admittedOf(9, 1), from);
    const back = new Uint32Array(9 * WORDS);
    rows.forEach((_, at) => {
      copyBits(planes, at, back, at * WORDS);
    });
    expect([...back]).toEqual(rows.flatMap((row) => [...row]));
  }
  expect(bitPlanes(10, 16, { sketchedFrom: 1 }).sketches).toBeNull();
});
