import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { randomFrom, syntheticVectors } from "../../../bench/synthetic-memory.ts";
import { COLUMN_WEIGHTS } from "../../../src/adapters/memory/word-index.ts";
import type { Database } from "../../../src/adapters/sqlite/database.ts";
import { sqliteMemory } from "../../../src/adapters/sqlite/memory.ts";
import { openMemory } from "../../../src/adapters/sqlite/memory-file.ts";
import { sqliteLabels } from "../../../src/adapters/sqlite/repository-label.ts";
import {
  DEFAULT_LIMITS,
  type MemorySearch,
  openSearch,
  type SearchLimits,
} from "../../../src/adapters/sqlite/search-memory.ts";
import { KEYWORDS } from "../../../src/domain/bm25.ts";
import type { MemoryRecord } from "../../../src/domain/memory.ts";
import type { Scope } from "../../../src/domain/retrieval.ts";
import { tokenise } from "../../../src/domain/tokenise.ts";
import type { Memory } from "../../../src/ports/memory.ts";
import { memoryRecord, SPACE, scopeOf } from "../contracts/memory.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

function opened(...limits: Partial<SearchLimits>[]): {
  readonly db: Database.Database;
  readonly memory: Memory;
  readonly searches: readonly MemorySearch[];
} {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-search-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "memory.db");
  const db = openMemory(path);
  db.pragma("synchronous = OFF");
  closing.push(() => db.close());
  const searches = limits.map((some) => openSearch(path, { ...DEFAULT_LIMITS, ...some }));
  for (const search of searches) closing.push(() => search.close());
  return { db, memory: sqliteMemory(db), searches };
}

const IN_SQL = { rowsInSql: Number.POSITIVE_INFINITY };
const IN_MEMORY = { rowsInSql: 0 };
/** Room for words and bits of 3,000 rows, not for their vectors: those are read from the file. */
const WITHOUT_VECTORS = { rowsInSql: 0, memoryBytes: 3_000 * 1_200 };

test("nearest tells nearly what measuring every vector tells: 98 of 100 of the true 20, distances within .005", async () => {
  const [n, dimension, queries] = [3_000, 256, 30];
  const space = { model: "synthetic", dimension };
  const vectors = syntheticVectors(n + queries, dimension, randomFrom(7));
  const row = (at: number) => vectors.subarray(at * dimension, (at + 1) * dimension);
  const { memory, searches } = opened(IN_SQL, IN_MEMORY, WITHOUT_VECTORS);
  const records = Array.from({ length: n }, (_, at) => memoryRecord({ id: `mem_${at}`, text: "one", hunk: null }));
  await memory.remember(
    records.map((record, at) => ({ record, vector: row(at) })),
    space,
  );
  let met = 0;
  for (let query = n; query < n + queries; query += 1) {
    const exact = records
      .map((_, at) => ({
        at,
        distance: 1 - row(at).reduce((sum, value, of) => sum + value * (row(query)[of] ?? 0), 0),
      }))
      .sort((one, other) => one.distance - other.distance);
    const [inSql, inMemory, halfInMemory] = searches.map((search) =>
      search.nearest(scopeOf(), row(query), space, 20, {}),
    );
    expect(inMemory).toEqual(inSql);
    expect(halfInMemory).toEqual(inSql);
    const found = new Map(inSql?.map((hit) => [hit.id, hit.distance]));
    for (const { at, distance } of exact.slice(0, 20)) {
      const told = found.get(`mem_${at}`);
      if (told === undefined) continue;
      met += 1;
      expect(Math.abs(told - distance)).toBeLessThan(0.005);
    }
  }
  expect(met / (queries * 20)).toBeGreaterThanOrEqual(0.98);
});

/** BM25 as in the books, over lists of words. */
function naiveBm25(records: readonly MemoryRecord[], text: string): { id: string; score: number }[] {
  const bags = records.map((record) => {
    const bag = new Map<string, number>();
    const parts = [
      [COLUMN_WEIGHTS.text, [record.text, ...record.tags, ...record.replies].join("\n")],
      [COLUMN_WEIGHTS.path, record.path ?? ""],
      [COLUMN_WEIGHTS.symbol, record.symbol ?? ""],
      [COLUMN_WEIGHTS.hunk, record.hunk ?? ""],
    ] as const;
    let length = 0;
    for (const [weight, part] of parts) {
      for (const word of tokenise(part)) {
        bag.set(word, (bag.get(word) ?? 0) + weight);
        length += weight;
      }
    }
    return { id: record.id, bag, length };
  });
  const mean = bags.reduce((sum, { length }) => sum + length, 0) / Math.max(1, bags.length);
  const query = new Map<string, number>();
  for (const word of tokenise(text)) query.set(word, (query.get(word) ?? 0) + 1);
  return bags
    .map(({ id, bag, length }) => {
      let score = 0;
      for (const [word, times] of query) {
        const count = bag.get(word) ?? 0;
        const df = bags.filter((other) => other.bag.has(word)).length;
        const idf = Math.log(1 + (bags.length - df + 0.5) / (df + 0.5));
        score +=
          ((1 + Math.log(times)) * idf * count * (KEYWORDS.k1 + 1)) /
          (count + KEYWORDS.k1 * (1 - KEYWORDS.b + (KEYWORDS.b * length) / mean));
      }
      return { id, score };
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}

const word = fc.constantFrom(
  "pool",
  "getUserId",
  "http_client2",
  "leak",
  "Naïve",
  "数据库",
  "retry",
  "x9",
  "Close",
  "C++",
);
const words = (maxLength: number) => fc.array(word, { maxLength }).map((list) => list.join(" "));
const row = fc.record({
  repo: fc.constantFrom("github.com/42", "github.com/43"),
  of: fc.nat(30),
  text: words(12),
  hunk: fc.option(words(8)),
  path: fc.option(words(2)),
  pull: fc.nat(2),
  stale: fc.boolean(),
});

test("matching is BM25 over exactly what the scope admits, through every kind of change, and FTS5 finds the same rows", async () => {
  const { db, memory, searches } = opened({}, { memoryBytes: 0 });
  const give = (id: number) =>
    sqliteLabels(db).give(
      { host: "github.com", id, ownerId: 9, owner: "acme", name: "shop", visibility: "public" },
      true,
    );
  await give(42);
  await give(43);
  const known = new Map<string, MemoryRecord>();
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.array(row, { minLength: 1, maxLength: 12 }) },
    { weight: 1, arbitrary: fc.nat(30) },
  );
  await fc.assert(
    fc.asyncProperty(step, words(6), fc.option(fc.nat(2)), fc.boolean(), async (change, text, excludePull, shared) => {
      if (typeof change === "number") {
        const id = memoryRecord({ sourceId: `b${change}` }).id;
        known.delete(id);
        await memory.forget("github.com/42", [id]);
      } else {
        const records = change.map(({ repo, of, pull, ...rest }) =>
          memoryRecord({ repo, sourceId: `b${of}`, visibility: "public", ...rest }, { pull }),
        );
        for (const record of records) known.set(record.id, record);
        await memory.remember(
          records.map((record) => ({ record, vector: null })),
          SPACE,
        );
      }
      const scope: Scope = scopeOf({ excludePull, ownerPool: shared ? { ownerId: 9, targetIsPublic: true } : null });
      const admitted = [...known.values()].filter(
        (record) =>
          !record.stale &&
          (shared || record.repo === scope.repo) &&
          !(record.repo === scope.repo && record.provenance.pull === excludePull),
      );
      const expected = naiveBm25(admitted, text);
      const [inMemory, inFile] = searches.map((search) => search.matching(scope, text, 1_000, {}));
      expect(new Set(inMemory?.map((hit) => hit.id))).toEqual(new Set(expected.map((hit) => hit.id)));
      for (const [at, hit] of (inMemory ?? []).entries()) {
        expect(Math.abs(hit.score - (expected[at]?.score ?? 0))).toBeLessThan(1e-9);
      }
      expect(new Set(inFile?.map((hit) => hit.id))).toEqual(new Set(expected.map((hit) => hit.id)));
    }),
    { numRuns: 150, endOnFailure: true },
  );
});

test("a question in many words asks FTS5 for the rarest only, and still finds what they are in", async () => {
  const { memory, searches } = opened({ memoryBytes: 0 });
  const rare = memoryRecord({ text: "quokka" });
  const common = Array.from({ length: 100 }, (_, at) =>
    memoryRecord({ text: Array.from({ length: 100 }, (_, n) => `w${n}x`).join(" "), sourceId: `c${at}` }),
  );
  await memory.remember(
    [...common, rare].map((record) => ({ record, vector: null })),
    SPACE,
  );
  const question = `${Array.from({ length: 100 }, (_, n) => `w${n}x`).join(" ")} quokka unknownword`;
  expect(searches[0]?.matching(scopeOf(), question, 1, {})[0]?.id).toBe(rare.id);
});

test("what is held in memory follows many small writes, and a limit of bytes empties it without changing answers", async () => {
  const { memory, searches } = opened(IN_MEMORY, { ...IN_MEMORY, memoryBytes: 60_000 });
  for (let round = 0; round < 30; round += 1) {
    const record = memoryRecord({ sourceId: `n${round % 20}`, text: `round${round} shared` });
    const vector = Float32Array.from({ length: 64 }, (_, at) => Math.sin(at * (round + 1)));
    await memory.remember([{ record, vector }], SPACE);
    const [one, other] = searches.map((search) => [
      search.matching(scopeOf(), "shared", 50, {}),
      search.nearest(scopeOf(), vector, SPACE, 50, {}),
    ]);
    expect(one?.[0]).toHaveLength(Math.min(20, round + 1));
    expect(one?.[1]?.[0]?.id).toBe(record.id);
    expect(other).toEqual(one);
  }
});

test("bits that were rewritten around a mean are read again where they are held in memory", async () => {
  const [n, dimension] = [600, 1024];
  const space = { model: "synthetic", dimension };
  const vectors = syntheticVectors(n + 1, dimension, randomFrom(11));
  const row = (at: number) => vectors.subarray(at * dimension, (at + 1) * dimension);
  const { db, memory, searches } = opened(IN_SQL, IN_MEMORY);
  const rows = Array.from({ length: n }, (_, at) => ({
    record: memoryRecord({ id: `mem_${at}`, text: "one", hunk: null }),
    vector: row(at),
  }));
  const answers = () => searches.map((search) => search.nearest(scopeOf(), row(n), space, 50, {}));
  await memory.remember(rows.slice(0, -1), space);
  // As if the bits had been taken around something far off, and the mean became due with the next row.
  db.exec("UPDATE vec_bit SET b = zeroblob(128); UPDATE spaces SET trained = 0, seen = 4095");
  const [inSql, inMemory] = answers();
  expect(inSql).toHaveLength(50);
  expect(inMemory).toEqual(inSql);
  const before = db.prepare("SELECT group_concat(hex(b)) FROM vec_bit").pluck().get();
  await memory.remember(rows.slice(-1), space);
  expect(db.prepare("SELECT trained FROM spaces").pluck().get()).toBe(4096);
  expect(db.prepare("SELECT group_concat(hex(b)) FROM vec_bit").pluck().get()).not.toBe(before);
  const [inSqlThen, inMemoryThen] = answers();
  expect(inMemoryThen).toEqual(inSqlThen);
  expect(inMemoryThen).not.toEqual(inMemory);
});
