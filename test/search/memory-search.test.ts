// The search against brute force, by each of its ways: vectors compared in the database and in
// memory by usearch, on each database.
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { randomFrom, syntheticVectors } from "../../bench/synthetic-memory.ts";
import { CORPORA, type MemoryRecord } from "../../src/domain/memory.ts";
import type { MemoryFilter, Scope } from "../../src/domain/retrieval.ts";
import { BACKGROUND_TEXTS, KEYWORDS } from "../../src/domain/text/bm25.ts";
import { tokenise } from "../../src/domain/text/tokenise.ts";
import { BACKGROUND } from "../../src/domain/text/word-rarity.ts";
import type { Recall } from "../../src/ports/memory.ts";
import { codeDistance, encodeVector } from "../../src/search/code.ts";
import { PARTS, TERM_WEIGHTS } from "../../src/search/terms.ts";
import { usearchExact } from "../../src/search/vector-index.ts";
import { storedRecall } from "../../src/store/memory/recall.ts";
import { storedLabels } from "../../src/store/memory/repositories.ts";
import { storedMemory } from "../../src/store/memory/stored-memory.ts";
import { memoryRecord, SPACE, scopeOf, vectorAt } from "../adapters/contracts/memory.ts";
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from "../store/databases.ts";

test("usearch is there: what is compared below are two ways, not one twice", () => {
  expect(usearchExact()).not.toBeNull();
});

/**
 * BM25 as in the books, over lists of words, as if texts from everywhere were beside those of the
 * repository.
 */
function naiveBm25(records: readonly MemoryRecord[], text: string): { id: string; score: number }[] {
  const bags = records.map((record) => {
    const bag = new Map<string, number>();
    // A document's tags are languages.
    const tags = record.corpus === "doc" || record.corpus === "wiki" ? [] : record.tags;
    const parts = [
      [TERM_WEIGHTS.text / PARTS, [record.text, ...tags, ...record.replies].join("\n")],
      [TERM_WEIGHTS.path / PARTS, record.path?.replace(/(?<=[^/])\.[^./]*$/, "") ?? ""],
      [TERM_WEIGHTS.symbol / PARTS, record.symbol ?? ""],
      [TERM_WEIGHTS.hunk / PARTS, record.hunk ?? ""],
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
        const having = df + (BACKGROUND_TEXTS * (BACKGROUND.counts.get(word) ?? 0)) / BACKGROUND.texts;
        const idf = Math.log(1 + (bags.length + BACKGROUND_TEXTS - having + 0.5) / (having + 0.5));
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
  ...["pool", "getUserId", "http_client2", "leak", "Naïve", "数据库", "retry", "x9", "Close", "C++"],
);
const words = (maxLength: number) => fc.array(word, { maxLength }).map((list) => list.join(" "));
const PATHS = ["src/auth/login.ts", "src/auth/deep/token.ts", "src/cart.py", "lib/a.ts", "lib/[odd]/b.cs", "src"];
const LANGUAGES = ["typescript", "python", "csharp"];
/** Kinds of chunks, categories and severities share one filter. */
const KINDS = ["function", "class", "security", "tests", "major", "minor"];

const row = fc.record({
  repo: fc.constantFrom("github.com/42", "github.com/43"),
  of: fc.nat(30),
  text: words(12),
  hunk: fc.option(words(8)),
  path: fc.option(fc.constantFrom(...PATHS)),
  corpus: fc.constantFrom(...CORPORA),
  language: fc.constantFrom(...LANGUAGES),
  chunkType: fc.option(fc.constantFrom("function", "class")),
  category: fc.option(fc.constantFrom("security", "tests")),
  severity: fc.option(fc.constantFrom("major", "minor")),
  pull: fc.nat(2),
  at: fc.nat(3),
  stale: fc.boolean(),
  /** Not for every record. */
  axis: fc.option(fc.tuple(fc.nat(7), fc.double({ min: -1, max: 1, noNaN: true })), { freq: 4 }),
});
const some = <T>(...values: readonly T[]) => fc.option(fc.subarray([...values]), { nil: undefined, freq: 2 });
/** What is asked for, with what it means, in words of JavaScript. */
const PATTERNS: readonly (readonly [pattern: string, admits: (path: string) => boolean])[] = [
  ...PATHS.map((path) => [path, (other: string) => other === path] as const),
  ["src/", (path) => path.startsWith("src/")],
  ["src/auth/", (path) => path.startsWith("src/auth/")],
  ["**/*.ts", (path) => path.endsWith(".ts")],
  ["src/*.py", (path) => path === "src/cart.py"],
];
const filters = fc.record({
  corpora: some(...CORPORA),
  languages: some(...LANGUAGES),
  chunkTypes: some(...KINDS),
  patterns: some(...PATTERNS),
});
const asked = fc.record({
  text: words(6),
  axis: fc.tuple(fc.nat(7), fc.double({ min: -1, max: 1, noNaN: true })),
  excludePull: fc.option(fc.nat(2)),
  before: fc.option(fc.nat(4)),
  isShared: fc.boolean(),
  filter: filters,
  k: fc.constantFrom(1, 3, 1_000),
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(row, { minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.nat(30) },
);

type Filter = typeof filters extends fc.Arbitrary<infer T> ? T : never;

const hasAny = (wanted: readonly unknown[] | undefined, ...values: readonly unknown[]) =>
  wanted === undefined || wanted.length === 0 || values.some((value) => wanted.includes(value));

function isWanted(record: MemoryRecord, { corpora, languages, chunkTypes, patterns }: Filter): boolean {
  const { path } = record;
  return (
    hasAny(corpora, record.corpus) &&
    hasAny(languages, record.language) &&
    hasAny(chunkTypes, record.chunkType, record.category, record.severity) &&
    (patterns === undefined || patterns.length === 0 || (path !== null && patterns.some(([, admits]) => admits(path))))
  );
}

const NIGHTLY = process.env.NIGHTLY === "1";
/**
 * Changes and questions of the first property, and memories of the second; on a PostgreSQL each
 * costs several times as much.
 */
const SIZES = NIGHTLY
  ? { SQLite: 150, PostgreSQL: 40, memories: 3_000, queries: 30 }
  : { SQLite: 40, PostgreSQL: 12, memories: 1_000, queries: 20 };
if (!NIGHTLY) console.warn("skipped: three of four histories, and 2,000 of 3,000 vectors; NIGHTLY=1 compares all");

for (const [name, given] of [
  ["SQLite", await sqliteTestDatabase()],
  ["PostgreSQL", await postgresTestDatabase()],
] as const) {
  describe.skipIf(given === null)(name, () => {
    const { db } = (given ?? {}) as TestDatabase;
    const inDatabase = storedRecall(db, null, { rowsInDatabase: Number.POSITIVE_INFINITY });
    const inMemory = storedRecall(db, null, { rowsInDatabase: 0 });
    afterAll(() => given?.close());
    const emptied = async () => {
      const memory = storedMemory(db, () => Promise.resolve());
      for (const repo of ["github.com/42", "github.com/43"]) await memory.forgetRepository(repo);
      return memory;
    };

    test("every filter and scope chooses what brute force chooses, before the best are taken, through every kind of change [000-29][002-19][003-16]", async () => {
      const memory = await emptied();
      for (const id of [42, 43]) {
        const shop = { host: "github.com", id, ownerId: 9, owner: "acme", name: "shop", visibility: "public" } as const;
        await storedLabels(db).give(shop, true);
      }
      const known = new Map<string, { readonly record: MemoryRecord; readonly vector: Float32Array | null }>();
      await fc.assert(
        fc.asyncProperty(step, asked, async (change, { text, axis, excludePull, before, isShared, filter, k }) => {
          if (typeof change === "number") {
            const { id } = memoryRecord({ sourceId: `b${change}` });
            known.delete(id);
            await memory.forget("github.com/42", [id]);
          } else {
            const rows = change.map(({ of, pull, at, axis: own, ...rest }) => {
              const over = { sourceId: `b${of}`, visibility: "public", ...rest } as Partial<MemoryRecord>;
              return {
                record: memoryRecord(over, { pull, at }),
                vector: own === null ? null : vectorAt(...own),
              };
            });
            for (const one of rows) known.set(one.record.id, one);
            await memory.remember(rows, SPACE);
          }
          const ownerPool = isShared ? { ownerId: 9, targetIsPublic: true } : null;
          const scope: Scope = scopeOf({ excludePull, before, ownerPool });
          const inScope = [...known.values()].filter(
            ({ record }) =>
              !record.stale &&
              (isShared || record.repo === scope.repo) &&
              !(record.repo === scope.repo && record.provenance.pull === excludePull) &&
              (before === null || record.provenance.at < before),
          );
          const { patterns, ...rest } = filter;
          const asking: MemoryFilter = { ...rest, paths: patterns?.map(([pattern]) => pattern) } as MemoryFilter;
          // How rare a word is, is of all in scope; the filter only chooses among them.
          const wanted = new Map(
            inScope.filter(({ record }) => isWanted(record, filter)).map((one) => [one.record.id, one]),
          );
          const byWords = naiveBm25(
            inScope.map(({ record }) => record),
            text,
          ).filter(({ id }) => wanted.has(id));
          const query = vectorAt(...axis);
          const byMeaning = [...wanted]
            .flatMap(([id, { vector }]) =>
              vector === null ? [] : [{ id, distance: codeDistance(encodeVector(query), encodeVector(vector)) }],
            )
            .sort((one, other) => one.distance - other.distance || (one.id < other.id ? -1 : 1))
            .slice(0, k);
          for (const recall of [inDatabase, inMemory]) {
            const [near = []] = await recall.nearest(scope, [query], SPACE, k, asking);
            expect(near).toEqual(byMeaning);
            const [matches = []] = await recall.matching(scope, [text], 1_000, asking);
            expect(new Set(matches.map(({ id }) => id))).toEqual(new Set(byWords.map(({ id }) => id)));
            for (const [at, hit] of matches.entries())
              expect(Math.abs(hit.score - (byWords[at]?.score ?? 0))).toBeLessThan(1e-9);
            expect(await recall.matching(scope, [text], k, asking)).toEqual([matches.slice(0, k)]);
          }
        }),
        { numRuns: SIZES[name], endOnFailure: true },
      );
    });

    test("both ways find nearly what measuring every vector finds: 98 of 100 of the true 20, distances within .005 [000-29]", async () => {
      const { memories: n, queries } = SIZES;
      const dimension = 256;
      const space = { model: "synthetic", dimension };
      const vectors = syntheticVectors(n + queries, dimension, randomFrom(7));
      const vector = (at: number) => vectors.slice(at * dimension, (at + 1) * dimension);
      const memory = await emptied();
      const records = Array.from({ length: n }, (_, at) =>
        memoryRecord({ id: `mem_${at}`, text: "one", hunk: null, language: at % 2 === 0 ? "python" : "csharp" }),
      );
      await memory.remember(
        records.map((record, at) => ({ record, vector: vector(at) })),
        space,
      );
      const texts = Array.from({ length: queries }, (_, at) => vector(n + at));
      const [found, again] = await Promise.all(
        [inDatabase, inMemory].map((recall) => recall.nearest(scopeOf(), texts, space, 20, {})),
      );
      expect(again).toEqual(found);
      // More rows are left out than are searched with the others.
      const [half, halfAgain] = await Promise.all(
        [inDatabase, inMemory].map((recall) => recall.nearest(scopeOf(), texts, space, 20, { languages: ["python"] })),
      );
      expect(halfAgain).toEqual(half);
      const pythons = new Set(records.filter(({ language }) => language === "python").map(({ id }) => id));
      expect(half?.map((hits) => hits.filter(({ id }) => pythons.has(id)).length)).toEqual(texts.map(() => 20));
      let met = 0;
      texts.forEach((query, place) => {
        const exact = records
          .map(({ id }, at) => ({
            id,
            distance: 1 - vector(at).reduce((sum, value, of) => sum + value * (query[of] ?? 0), 0),
          }))
          .sort((one, other) => one.distance - other.distance);
        const distances = new Map(found?.[place]?.map((hit) => [hit.id, hit.distance]));
        for (const { id, distance } of exact.slice(0, 20)) {
          const measured = distances.get(id);
          if (measured === undefined) continue;
          met += 1;
          expect(Math.abs(measured - distance)).toBeLessThan(0.005);
        }
      });
      expect(met / (queries * 20)).toBeGreaterThanOrEqual(0.98);
    });

    test("equal distances come in the order of their names, however many there are, in both ways", async () => {
      const memory = await emptied();
      const records = Array.from({ length: 200 }, (_, at) =>
        memoryRecord({ id: `mem_${String(199 - at)}`, text: "one" }),
      );
      await memory.remember(
        records.map((record) => ({ record, vector: vectorAt(0) })),
        SPACE,
      );
      const names = records.map(({ id }) => id).sort();
      for (const recall of [inDatabase, inMemory]) {
        const [hits = []] = await recall.nearest(scopeOf(), [vectorAt(0)], SPACE, 5, {});
        expect(hits.map(({ id }) => id)).toEqual(names.slice(0, 5));
      }
    });

    test("the index in memory follows many small writes, and too small a limit changes no answer", async () => {
      const memory = await emptied();
      // For 20 rows; an index takes more, so that none is held.
      const cramped: Recall = storedRecall(db, null, { rowsInDatabase: 0, memoryBytes: 20 * 1_700 });
      for (let round = 0; round < 30; round += 1) {
        const record = memoryRecord({ sourceId: `n${round % 20}`, text: `round${round} shared` });
        const vector = Float32Array.from({ length: 64 }, (_, at) => Math.sin(at * (round + 1)));
        await memory.remember([{ record, vector }], SPACE);
        const reported: string[] = [];
        const answers = [];
        for (const recall of [inMemory, cramped]) {
          const tell = (part: string) => void reported.push(part);
          const [matches = []] = await recall.matching(scopeOf(), ["shared"], 50, {}, tell);
          const [near = []] = await recall.nearest(scopeOf(), [vector], SPACE, 50, {}, tell);
          answers.push({ matches, near });
        }
        expect(answers[0]?.matches).toHaveLength(Math.min(20, round + 1));
        expect(answers[0]?.near[0]?.id).toBe(record.id);
        expect([answers[1], reported]).toEqual([answers[0], []]);
      }
    });
  });
}
