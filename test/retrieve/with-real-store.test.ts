// The room over the real memory of ten thousand records: words that no index could misread, filters
// inside the search, and how long it takes at most.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { passage, randomFrom, syntheticVectors, wordMaker } from "../../bench/synthetic-memory.ts";
import { defaultKnowledge } from "../../src/config/knowledge.ts";
import type { MemoryFilter, Scope } from "../../src/domain/retrieval.ts";
import { OF_THE_CHANGE, retrieve, UNAIDED } from "../../src/retrieve/retrieve.ts";
import { openStore, type Store } from "../../src/wire/store.ts";
import { added, embedder, given, memory, NOW, type Shape } from "./retrieve-builders.ts";

const MANY = 10_000;
const DIMENSION = 256;
const space = { model: "synthetic", dimension: DIMENSION };
const SCOPE: Scope = { repo: "github.com/42", ownerPool: null, excludePull: null, before: null };
const random = randomFrom(11);
const vectors = syntheticVectors(MANY + 40, DIMENSION, random);
const word = wordMaker(random);
const text = () => passage({ median: 60, deviation: 0.5, most: 200, repeats: 0.2 }, word, random);
const vector = (at: number) => vectors.slice(at * DIMENSION, (at + 1) * DIMENSION);
const LANGUAGES = ["cpp", "csharp", "python", "typescript"] as const;
const CATEGORIES = ["security", "performance", "tests"] as const;

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-room-"));
  store = await openStore(folder);
  const rows = Array.from({ length: MANY }, (_, at) => ({
    record: memory(`mem_${at}`, {
      text: at === 7 ? "getUserId() must not throw: AND, OR, NOT and NEAR( are words of the query language" : text(),
      language: LANGUAGES[at % 4] ?? "cpp",
      category: CATEGORIES[at % 3] ?? "tests",
      severity: at % 2 === 0 ? "major" : "minor",
      path: at % 5 === 0 ? `src/auth/part${at}.cpp` : `lib/deep/er/part${at}.ts`,
    }),
    vector: vector(at),
  }));
  for (let at = 0; at < MANY; at += 1_000) await store.memory.remember(rows.slice(at, at + 1_000), space);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An embedder whose queries are vectors that memory has not seen. */
function unseen(from: number) {
  const asking = embedder(async (texts) => ({
    vectors: texts.map((_, at) => vector(MANY + ((from + at) % 40))),
    tokens: 0,
    usd: 0,
    cached: 0,
    failed: null,
  }));
  return { ...asking, space };
}

function search(shape: Shape, from = 0, retrieval: object = {}) {
  const { context, signals } = given(shape);
  const { retrieval: own, ...knowledge } = defaultKnowledge();
  const settings = { ...OF_THE_CHANGE, knowledge: { ...knowledge, retrieval: { ...own, ...retrieval } }, now: NOW };
  return retrieve(context, signals, { ...UNAIDED, embedder: unseen(from), recall: store.recall }, settings);
}

const CODE: Shape = { title: "feat: carts", files: { "src/auth/cart.cpp": added("int a;"), "b.py": added("b = 1") } };

describe("ten thousand memories", () => {
  test("a review asks them all, within ten times the processor time that it was measured to take [003-32]", async () => {
    const costs: number[] = [];
    for (let run = 0; run < 8; run += 1) {
      const before = process.cpuUsage();
      const { provenance, degraded } = await search(CODE, run);
      const { user, system } = process.cpuUsage(before);
      costs.push((user + system) / 1_000);
      expect(provenance.totalCandidates).toBeGreaterThanOrEqual(50);
      expect(degraded).toEqual([]);
    }
    // The first reads the index. A watchdog: the median was about 300 ms; how long it takes is
    // measured in bench/.
    expect(costs.slice(1).toSorted((a, b) => a - b)[3]).toBeLessThan(3_000);
  });

  test.each([
    'fix: "AND" OR NEAR( NOT * ^ : - + {} "',
    "fix: getUserId() throws",
    "fix: get_user_id is slow",
    "fix: the and of to",
    "fix: '); DROP TABLE records; --",
  ])("a title of operators and identifiers is a question in words: %s [002-19]", async (title) => {
    const { degraded, provenance } = await search({ title, files: { "b.zz": added("q") } });
    expect(degraded).toEqual([]);
    expect(provenance.method).toBe("hybrid");
  });

  test("an identifier is found whole and by its parts, for any case and punctuation [002-19]", async () => {
    for (const title of ["getUserId()", "GETUSERID!", "why does get_user_id throw?", "user id"]) {
      const precedents = await search({ title, files: { "b.zz": added("q") } }, 0, { method: "keyword" });
      const seen = [...precedents.ranked.map(({ record }) => record.id), ...precedents.cut.map(({ id }) => id)];
      expect(seen).toContain("mem_7");
    }
  });

  test("a title of words that say nothing is searched by meaning alone [003-11]", async () => {
    const { ranked, cut, provenance, degraded } = await search(
      { title: "a the is to of", files: { "€": added("…") } },
      0,
      { distanceThreshold: 2 },
    );
    expect(ranked.length).toBeGreaterThan(0);
    expect(ranked.every(({ keywordRank, vectorRank }) => keywordRank === null && vectorRank !== null)).toBe(true);
    expect([provenance.method, degraded, cut.length > 0]).toEqual(["hybrid", [], true]);
  });

  test("words of fewer than three letters are not searched for, unless the configuration says so [003-11]", async () => {
    const found = async (title: string, retrieval: object) => {
      const { ranked, cut } = await search({ title, files: { "€": added("…") } }, 0, {
        method: "keyword",
        ...retrieval,
      });
      return [...ranked.map(({ record }) => record.id), ...cut.map(({ id }) => id)].includes("mem_7");
    };
    // `getUserId` of the seventh memory holds the word.
    expect([await found("ID?", {}), await found("User!", {})]).toEqual([false, true]);
    expect(await found("ID?", { minKeywordLength: 2 })).toBe(true);
  });
});

describe("filters choose inside the search, before the best are taken", () => {
  const both = async (filter: MemoryFilter) => {
    const [near = []] = await store.recall.nearest(SCOPE, [vector(MANY)], space, 20, filter);
    const [words = []] = await store.recall.matching(SCOPE, [text()], 20, filter);
    return Promise.all(
      [near, words].map((hits) =>
        store.recall.records(
          SCOPE,
          hits.map(({ id }) => id),
        ),
      ),
    );
  };

  test.each<
    [
      string,
      MemoryFilter,
      (record: { language: string; category: string | null; severity: string | null; path: string | null }) => boolean,
    ]
  >([
    ["a language, exactly [003-04]", { languages: ["csharp"] }, ({ language }) => language === "csharp"],
    [
      "a kind, which of what was said is its category [003-05]",
      { chunkTypes: ["security"] },
      ({ category }) => category === "security",
    ],
    ["or its severity [003-05]", { chunkTypes: ["minor"] }, ({ severity }) => severity === "minor"],
    ["paths below a folder [003-06]", { paths: ["src/auth/"] }, ({ path }) => path?.startsWith("src/auth/") === true],
    ["paths by a glob [003-06]", { paths: ["lib/**/*.ts"] }, ({ path }) => path?.startsWith("lib/") === true],
    [
      "any of several paths, one of them exact [003-06]",
      { paths: ["src/auth/part0.cpp", "lib/deep/er/part1.ts"] },
      ({ path }) => path === "src/auth/part0.cpp" || path === "lib/deep/er/part1.ts",
    ],
  ])("%s", async (_, filter, holds) => {
    const [near = [], words = []] = await both(filter);
    expect(near.length).toBe(filter.paths?.length === 2 ? 2 : 20);
    expect([...near, ...words].every(holds)).toBe(true);
  });
});
