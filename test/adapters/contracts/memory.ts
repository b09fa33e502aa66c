import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EmbeddingSpace, MemoryRecord } from "../../../src/domain/memory.ts";
import type { Scope } from "../../../src/domain/retrieval.ts";
import type { Memory, Recall } from "../../../src/ports/memory.ts";
import { aMemory } from "../../builders/memory-record.ts";

export const SPACE: EmbeddingSpace = { model: "local-words-1", dimension: 64 };
export const SHOP = "github.com/42";

let serial = 0;

/**
 * A remembered comment of acme/shop; every field that a test does not care about is as in
 * production.
 */
export function memoryRecord(over: Partial<MemoryRecord> = {}, from: Partial<MemoryRecord["provenance"]> = {}) {
  return aMemory({
    ownerId: 9,
    sourceId: `r${++serial}`,
    replies: ["Done in 3f2a1bc."],
    tags: ["resource-leak", "C++"],
    severity: "major",
    category: "reliability",
    path: "src/net/dial.cpp",
    language: "C++",
    symbol: "openConnection",
    hunk: "@@ -1,2 +1,3 @@\n+  conn_ = dial(host);\n   return conn_;",
    outcome: "accepted",
    ...over,
    provenance: over.provenance ?? {
      url: "https://github.com/acme/shop/pull/7#discussion_r1",
      ...{ author: "zoë", sha: "a".repeat(40), pull: 7, at: 1_700_000_000_000, ...from },
    },
  });
}

export function scopeOf(over: Partial<Scope> = {}): Scope {
  return { repo: SHOP, ownerPool: null, excludePull: null, before: null, ...over };
}

/** A unit vector that leans to one axis. */
export function vectorAt(axis: number, lean = 0, dimension = SPACE.dimension): Float32Array {
  const vector = new Float32Array(dimension);
  vector[axis] = Math.cos(lean);
  vector[(axis + 1) % dimension] = Math.sin(lean);
  return vector;
}

export interface OpenMemory {
  readonly memory: Memory;
  readonly recall: Recall;
  close(): Promise<void>;
}

/** What every Memory and the Recall beside it promise. */
export function memoryContract(name: string, open: () => OpenMemory | Promise<OpenMemory>): void {
  describe(`${name} keeps the promises of a memory`, () => {
    let opened: OpenMemory;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const remember = (...records: readonly MemoryRecord[]) =>
      opened.memory.remember(
        records.map((record, axis) => ({ record, vector: vectorAt(axis) })),
        SPACE,
      );
    const near = async (vector: Float32Array, scope = scopeOf(), filter = {}, space = SPACE, k = 20) =>
      (await opened.recall.nearest(scope, [vector], space, k, filter))[0] ?? [];
    const match = async (text: string, scope = scopeOf(), filter = {}, k = 20) =>
      (await opened.recall.matching(scope, [text], k, filter))[0] ?? [];
    const ids = (hits: readonly { readonly id: string }[]) => hits.map((hit) => hit.id);

    test("a record comes back as it was written [002-03]", async () => {
      const written = [
        memoryRecord(),
        memoryRecord({ situation: "A dial fails halfway.", lesson: "Close what you opened.", stale: false }),
        memoryRecord(
          {
            path: null,
            severity: null,
            category: null,
            hunk: null,
            symbol: null,
            outcome: null,
            replies: [],
            tags: [],
          },
          { url: null, author: null, sha: null, pull: null },
        ),
        memoryRecord({ flaggedCode: "dial(host);", fixedCode: "conn_ = dial(host);" }),
        memoryRecord({ corpus: "doc", chunkType: "section", text: "naïve 数据库 😀 \u0301" }),
        memoryRecord({
          situation: "A dial fails halfway.",
          lesson: "Close what you opened.",
          tags: ["failed dial", "missing close", "connection pool"],
          described: { by: "claude-haiku-5-5", source: "0123456789abcdef", confidence: 0.7, problems: [] },
        }),
      ];
      await remember(...written);
      const read = await opened.recall.records(
        scopeOf(),
        written.map((record) => record.id),
      );
      expect(read).toEqual(written);
    });

    test("records come in the order of the ids that were asked for, each once, unknown ones not at all", async () => {
      const [a, b] = [memoryRecord(), memoryRecord()];
      await remember(a, b);
      const read = await opened.recall.records(scopeOf(), [b.id, "mem_000000000000", a.id, b.id]);
      expect(ids(read)).toEqual([b.id, a.id]);
    });

    test("so do the records of a whole review, though several may be asked at once", async () => {
      const written = Array.from({ length: 120 }, () => memoryRecord());
      await remember(...written.slice(0, 60));
      await remember(...written.slice(60));
      const asked = ids([...written.toReversed(), ...written]);
      // Once asked one after the other, and once together, which threads share in another way.
      expect(ids(await opened.recall.records(scopeOf(), asked))).toEqual(ids(written.toReversed()));
      const twice = [asked, ids(written)].map((some) => opened.recall.records(scopeOf(), some));
      expect((await Promise.all(twice)).map(ids)).toEqual([ids(written.toReversed()), ids(written)]);
    });

    test("the same id written again replaces the record and is reported as an update", async () => {
      const record = memoryRecord();
      expect(await remember(record)).toEqual({ added: 1, updated: 0, refused: [] });
      const changed = { ...record, text: "Use a context manager.", outcome: "declined" as const };
      expect(await remember(changed)).toEqual({ added: 0, updated: 1, refused: [] });
      expect(await opened.recall.records(scopeOf(), [record.id])).toEqual([changed]);
      expect(await match("handshake")).toEqual([]);
      expect(ids(await match("context manager"))).toEqual([record.id]);
      expect((await opened.recall.counts(scopeOf())).total).toBe(1);
    });

    test("distance is 1 − cosine: 0 for the same direction, 1 at a right angle, 2 for the opposite, at any length [000-25][000-29][002-24]", async () => {
      const record = memoryRecord();
      await remember(record);
      for (const [vector, distance] of [
        [vectorAt(0), 0],
        [vectorAt(0, Math.PI / 3), 0.5],
        [vectorAt(5), 1],
        [vectorAt(0, Math.PI), 2],
        [vectorAt(0).map((value) => value * 40), 0],
      ] as const) {
        const [hit] = await near(vector);
        expect(hit?.id).toBe(record.id);
        expect(hit?.distance).toBeGreaterThanOrEqual(0);
        expect(hit?.distance).toBeLessThanOrEqual(2);
        expect(Math.abs((hit?.distance ?? 9) - distance)).toBeLessThan(0.02);
      }
    });

    test("nearest comes first, at most k are returned, and ties are ordered by id", async () => {
      const records = Array.from({ length: 30 }, () => memoryRecord());
      await opened.memory.remember(
        records.map((record, at) => ({ record, vector: vectorAt(0, at < 10 ? 0 : at / 60) })),
        SPACE,
      );
      const found = await near(vectorAt(0), scopeOf(), {}, SPACE, 12);
      expect(found).toHaveLength(12);
      expect(ids(found).slice(0, 10)).toEqual(ids(records.slice(0, 10)).sort());
      expect(found.map((hit) => hit.distance)).toEqual(found.map((hit) => hit.distance).sort((a, b) => a - b));
      expect(await near(vectorAt(0), scopeOf(), {}, SPACE, 0)).toEqual([]);
    });

    test("vectors that are not finite, all zero or of another dimension are refused by id; their neighbours are kept [T28]", async () => {
      const bad = [
        vectorAt(0).fill(Number.NaN, 3, 4),
        vectorAt(0).fill(Number.POSITIVE_INFINITY, 3, 4),
        new Float32Array(SPACE.dimension),
        new Float32Array(0),
        vectorAt(0, 0, 32),
        vectorAt(0, 0, 1024),
      ];
      const good = memoryRecord();
      const rows = bad.map((vector) => ({ record: memoryRecord(), vector }));
      const reported = await opened.memory.remember([...rows, { record: good, vector: vectorAt(0) }], SPACE);
      expect(reported.added).toBe(1);
      expect(ids(reported.refused)).toEqual(rows.map((row) => row.record.id));
      expect(reported.refused.every((refusal) => /finite|zero|components/.test(refusal.reason))).toBe(true);
      expect(ids(await near(vectorAt(0)))).toEqual([good.id]);
      for (const vector of bad) await expect(near(vector)).rejects.toThrow(RangeError);
    });

    test("vectors of another space are never compared, even at the same dimension; words still find the record [T28]", async () => {
      const record = memoryRecord();
      await remember(record);
      expect(await near(vectorAt(0), scopeOf(), {}, { model: "voyage-code-3", dimension: 64 })).toEqual([]);
      expect(ids(await match("handshake"))).toEqual([record.id]);
      const space = { model: "voyage-code-3", dimension: 128 };
      await opened.memory.remember([{ record, vector: vectorAt(3, 0, 128) }], space);
      expect(await near(vectorAt(0))).toEqual([]);
      expect(ids(await near(vectorAt(3, 0, 128), scopeOf(), {}, space))).toEqual([record.id]);
    });

    test("a record without a vector is found by words only; learning an outcome keeps the vector, other words drop it", async () => {
      const record = memoryRecord();
      await opened.memory.remember([{ record, vector: null }], SPACE);
      expect(await near(vectorAt(0))).toEqual([]);
      expect(ids(await match("handshake"))).toEqual([record.id]);
      await remember(record);
      await opened.memory.remember([{ record: { ...record, outcome: "fixed" }, vector: null }], SPACE);
      expect(ids(await near(vectorAt(0)))).toEqual([record.id]);
      await opened.memory.remember([{ record: { ...record, text: "Other words." }, vector: null }], SPACE);
      expect(await near(vectorAt(0))).toEqual([]);
    });

    test("what is stale is kept and never found", async () => {
      const record = memoryRecord({ stale: true });
      expect((await remember(record)).added).toBe(1);
      expect(await near(vectorAt(0))).toEqual([]);
      expect(await match("handshake")).toEqual([]);
      expect(await opened.recall.records(scopeOf(), [record.id])).toEqual([]);
      await remember({ ...record, stale: false });
      expect(ids(await match("handshake"))).toEqual([record.id]);
      await remember({ ...record, stale: true });
      expect(await match("handshake")).toEqual([]);
    });

    test("identifiers are found whole and by their parts, in text, path, symbol and hunk", async () => {
      const record = memoryRecord({ text: "getUserId leaks", path: "lib/http_client2.rs", hunk: "+ retryBudget--;" });
      await remember(record);
      for (const words of ["user", "getUserId", "http", "client", "connection", "budget", "LEAK"]) {
        expect([words, ids(await match(words))]).toEqual([words, [record.id]]);
      }
      expect(await match("unrelated")).toEqual([]);
      expect((await match("user"))[0]?.score).toBeGreaterThan(0);
    });

    test("filters by corpus, language, kind and path choose inside the search, before k [003-04][003-05]", async () => {
      const noise = Array.from({ length: 25 }, () => memoryRecord({ language: "Go", path: "cmd/main.go" }));
      const wanted = memoryRecord({ language: "C++", path: "src/auth/token.cpp", category: "security" });
      const chunk = memoryRecord({ corpus: "doc", chunkType: "section", path: "src/[id]/page.tsx", category: null });
      await opened.memory.remember(
        [...noise, wanted, chunk].map((record) => ({ record, vector: vectorAt(0, record === wanted ? 1 : 0) })),
        SPACE,
      );
      for (const [filter, expected] of [
        [{ languages: ["C++"], corpora: ["review_comment"] }, wanted],
        [{ paths: ["src/auth/token.cpp"] }, wanted],
        [{ paths: ["src/auth/"] }, wanted],
        [{ paths: ["**/auth/*.{cpp,h}", "nowhere"] }, wanted],
        [{ paths: ["src/[id]/page.tsx"] }, chunk],
        [{ chunkTypes: ["security"] }, wanted],
        [{ chunkTypes: ["section"] }, chunk],
        [{ corpora: ["wiki", "doc"] }, chunk],
      ] as const) {
        expect([filter, ids(await near(vectorAt(0), scopeOf(), filter, SPACE, 1))]).toEqual([filter, [expected.id]]);
        expect([filter, ids(await match("handshake", scopeOf(), filter, 1))]).toEqual([filter, [expected.id]]);
      }
      expect(await match("handshake", scopeOf(), { languages: ["c++"] })).toEqual([]);
      expect(await near(vectorAt(0), scopeOf(), { paths: ["src/aut"] })).toEqual([]);
      expect(await match("handshake", scopeOf(), { languages: [], paths: [] })).toHaveLength(20);
    });

    test("a pull request does not see what was said in itself, nor anything said later", async () => {
      const own = memoryRecord({}, { pull: 12 });
      const late = memoryRecord({}, { pull: 3, at: 2_000 });
      const early = memoryRecord({}, { pull: 3, at: 1_999 });
      const nowhere = memoryRecord({}, { pull: null, at: 1 });
      await remember(own, late, early, nowhere);
      const scope = scopeOf({ excludePull: 12, before: 2_000 });
      const expected = [early.id, nowhere.id].sort();
      expect(ids(await match("handshake", scope)).sort()).toEqual(expected);
      expect(ids(await near(vectorAt(0), scope)).sort()).toEqual(expected);
      expect(ids(await opened.recall.records(scope, ids([own, late, early, nowhere]))).sort()).toEqual(expected);
      expect((await opened.recall.counts(scope)).total).toBe(2);
    });

    test("counts cover languages, corpora and outcomes in scope", async () => {
      await remember(
        memoryRecord({ language: "Go", outcome: null }),
        memoryRecord({ language: "Go", corpus: "doc" }),
        memoryRecord({ repo: "github.com/43" }),
      );
      const counts = await opened.recall.counts(scopeOf());
      expect(counts.total).toBe(2);
      expect([...counts.byLanguage]).toEqual([["Go", 2]]);
      expect(counts.byCorpus.get("doc")).toBe(1);
      expect(counts.byOutcome.get("none")).toBe(1);
      expect((await opened.recall.counts(scopeOf({ repo: "github.com/999" }))).total).toBe(0);
    });

    test("fields that a model wrote are listed by id, until the record is written without them or forgotten", async () => {
      const described = { by: "claude-haiku-5-5", source: "0123456789abcdef", confidence: 1, problems: [] };
      const fields = { situation: "A dial fails.", lesson: "Close what you opened.", tags: ["failed dial"], described };
      const [plain, written] = [memoryRecord(), memoryRecord()];
      const [removed, elsewhere] = [memoryRecord(), memoryRecord({ repo: "github.com/43" })];
      await remember(plain, ...[written, removed, elsewhere].map((record) => ({ ...record, ...fields })));
      const all = [plain, written, removed, elsewhere].map(({ id }) => id);
      const reported = () => opened.memory.fields(SHOP, [...all, "mem_unknown"]);
      expect(Object.fromEntries(await reported())).toEqual({ [written.id]: fields, [removed.id]: fields });
      await opened.memory.forget(SHOP, [removed.id]);
      await remember(written);
      expect(await reported()).toEqual(new Map());
    });

    test("memories of reviews are counted by whether they have a lesson, and if not by the rules they broke", async () => {
      const none = (...problems: readonly string[]) => ({
        described: { by: "m", source: "s", confidence: 0.5, problems },
      });
      const lesson = { situation: "A dial fails.", lesson: "Close what you opened.", ...none("tags/too-few") };
      await remember(
        memoryRecord(),
        memoryRecord({ corpus: "doc" }),
        memoryRecord({ repo: "github.com/43" }),
        memoryRecord({ ...lesson, stale: true }),
        memoryRecord({ ...lesson, corpus: "finding" }),
        memoryRecord(none("rejected/chat")),
        memoryRecord(none("lesson/too-long", "situation/identifier")),
        memoryRecord(none("lesson/too-long")),
      );
      const { without, ...counts } = await opened.memory.fieldCounts(SHOP);
      expect(counts).toEqual({ described: 1, waiting: 1 });
      expect([...without]).toEqual([
        ["lesson/too-long", 2],
        ["rejected/chat", 1],
        ["situation/identifier", 1],
      ]);
    });

    test("the version changes with every change of this repository, also when it comes back after being forgotten", async () => {
      const versions = [await opened.recall.version(SHOP)];
      const record = memoryRecord();
      const then = async () => versions.push(await opened.recall.version(SHOP));
      await remember(record);
      await then();
      await remember({ ...record, outcome: "fixed" });
      await then();
      await opened.memory.forget(SHOP, [record.id]);
      await then();
      await remember(record);
      await then();
      await opened.memory.forgetRepository(SHOP);
      await remember(record);
      await then();
      expect(new Set(versions).size).toBe(versions.length);
      await remember(memoryRecord({ repo: "github.com/43" }));
      expect(await opened.recall.version(SHOP)).toBe(versions.at(-1));
    });

    test("forgetting takes the asked ids of this repository from every search, and a repository as a whole", async () => {
      const [a, b] = [memoryRecord(), memoryRecord()];
      const other = memoryRecord({ repo: "github.com/43" });
      await remember(a, b, other);
      expect(await match("handshake")).toHaveLength(2);
      expect(await opened.memory.forget(SHOP, [a.id, other.id, "mem_ffffffffffff"])).toBe(1);
      expect(ids(await match("handshake"))).toEqual([b.id]);
      expect(ids(await near(vectorAt(0)))).toEqual([b.id]);
      expect(await opened.memory.forgetRepository(SHOP)).toBe(1);
      expect(await opened.memory.forgetRepository(SHOP)).toBe(0);
      expect(await match("handshake")).toEqual([]);
      expect(await near(vectorAt(0))).toEqual([]);
      expect(ids(await match("handshake", scopeOf({ repo: "github.com/43" })))).toEqual([other.id]);
    });

    test("an id of another repository is refused and that repository's record stays as it was", async () => {
      const theirs = memoryRecord({ repo: "github.com/43" });
      await remember(theirs);
      const reported = await remember({ ...theirs, repo: SHOP, text: "Overwritten." });
      expect(reported.refused).toEqual([{ id: theirs.id, reason: "id belongs to another repository" }]);
      expect(await opened.recall.records(scopeOf({ repo: "github.com/43" }), [theirs.id])).toEqual([theirs]);
    });

    test("U+0000 is left out of what is kept", async () => {
      const record = memoryRecord({ text: "null\0byte", path: "a\0b.c" });
      await remember(record);
      const [read] = await opened.recall.records(scopeOf(), [record.id]);
      expect([read?.text, read?.path]).toEqual(["nullbyte", "ab.c"]);
    });

    test("no text breaks the search by words [T27]", async () => {
      await remember(memoryRecord());
      const nasty = [
        `"`,
        `'; DROP TABLE records; --`,
        `NEAR(handshake pool, 2)`,
        `handshake*`,
        `^handshake`,
        `text:handshake`,
        `{text path}: x`,
        `AND OR NOT`,
        `(((`,
        `handshake AND`,
        `- + : ^ *`,
        "\0",
        "\ud800",
        "🤯".repeat(5_000),
        "x ".repeat(5_000),
        "a".repeat(10_000),
        "__proto__ constructor toString",
        "数据库连接",
        "İ ß ﬁ ½ ² ٣",
      ];
      for (const text of nasty) await expect(match(text)).resolves.toBeInstanceOf(Array);
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (text) => {
          await match(`${text} handshake`);
        }),
        { numRuns: 50 },
      );
      expect(await match("NEAR(handshake)")).toHaveLength(1);
    });

    test("an answer is the same each time it is asked for", async () => {
      await remember(...Array.from({ length: 40 }, () => memoryRecord()));
      expect(await match("handshake pool dry")).toEqual(await match("handshake pool dry"));
      expect(await near(vectorAt(2))).toEqual(await near(vectorAt(2)));
    });
  });
}
