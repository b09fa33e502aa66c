import { exactSearch, MetricKind } from "usearch";
import { describe, expect, test } from "vitest";
import type { Place, Stored } from "../../bench/engines/engine.ts";
import { usearchExact } from "../../bench/engines/exact-search.ts";
import { float32Array } from "../../bench/engines/in-memory.ts";
import { plainBm25 } from "../../bench/engines/plain-bm25.ts";
import { randomFrom, syntheticVectors } from "../../bench/synthetic-memory.ts";

const [ROWS, DIMENSION] = [400, 64];
const LANGUAGES = ["go", "rust", "ruby"];
const PLACE: Place = { folder: "", name: "", fingerprint: "", stays: false };

function storedOf(texts: readonly string[] = []): Stored {
  const vectors = syntheticVectors(ROWS, DIMENSION, randomFrom(7));
  return {
    rows: texts.length || ROWS,
    dimension: DIMENSION,
    languages: Array.from({ length: ROWS }, (_, row) => LANGUAGES[row % LANGUAGES.length] ?? ""),
    vectors: (first, count) => vectors.slice(first * DIMENSION, (first + count) * DIMENSION),
    texts: (first, count) => texts.slice(first, first + count),
  };
}

const queriesOf = (count: number) => {
  const vectors = syntheticVectors(count, DIMENSION, randomFrom(8));
  return Array.from({ length: count }, (_, at) => vectors.slice(at * DIMENSION, (at + 1) * DIMENSION));
};

describe("usearch exactSearch", () => {
  test("finds what an exact scan finds, for all queries of a review at once and within a language", async () => {
    const stored = storedOf();
    const [exact, scan] = [await usearchExact.make(stored, PLACE), await float32Array.make(stored, PLACE)];
    const queries = queriesOf(11);
    const all = exact.nearestAll?.(queries, 20) ?? [];
    let [found, wanted] = [0, 0];
    for (const [at, query] of queries.entries()) {
      expect(all[at]).toEqual(await exact.nearest?.(query, 20, null));
      for (const language of [null, "rust"]) {
        const near = (await scan.nearest?.(query, 20, language)) ?? [];
        const rows = (await exact.nearest?.(query, 20, language)) ?? [];
        if (language !== null) expect(rows.every((row) => stored.languages[row] === language)).toBe(true);
        wanted += near.length;
        found += rows.filter((row) => near.includes(row)).length;
      }
    }
    expect(found / wanted).toBeGreaterThan(0.95);
  });

  test("asked for more than there are it gives all, and of a language that is not there none", async () => {
    const way = await usearchExact.make(storedOf(), PLACE);
    const [query = new Float32Array()] = queriesOf(1);
    expect(new Set(await way.nearest?.(query, ROWS + 50, null)).size).toBe(ROWS);
    expect(await way.nearest?.(query, 5, "cobol")).toEqual([]);
  });

  test("reads a view from the start of its buffer: a part of a matrix must be copied", () => {
    const matrix = Int8Array.from([1, 0, 0, 0, 0, 1, 0, 0]);
    const second = matrix.subarray(4);
    const query = Int8Array.from([0, 1, 0, 0]);
    const distance = (rows: Int8Array) => exactSearch(rows, query, 4, 1, MetricKind.Cos, 1).distances[0];
    expect(distance(second.slice())).toBeCloseTo(0, 6);
    expect(distance(second)).toBeCloseTo(1, 6);
  });
});

test("plain BM25 ranks rare shared words first, and a short text before a long one", async () => {
  const filler = "release notes describe every visible change of the module";
  const way = await plainBm25.make(
    storedOf([
      `${filler} and one mutex is named somewhere among all of these other words`,
      "the mutex stays locked",
      filler,
      "deadlock of a mutex: two threads wait",
    ]),
    PLACE,
  );
  expect(await way.matching?.("mutex deadlock", 10)).toEqual([3, 1, 0]);
  expect(await way.matching?.("mutex deadlock", 1)).toEqual([3]);
  expect(await way.matching?.("nothing is shared", 10)).toEqual([]);
});
