// What Postgres does with vectors: which way of searching is taken, and that the quick one finds what the exact one finds.
import { afterAll, describe, expect, test } from "vitest";
import { postgresMemory } from "../../../src/adapters/postgres/memory.ts";
import { bitChoice } from "../../../src/adapters/postgres/nearest-by-bits.ts";
import { postgresRecall } from "../../../src/adapters/postgres/recall.ts";
import { postgresLabels } from "../../../src/adapters/postgres/repository-labels.ts";
import type { MemoryFilter } from "../../../src/domain/retrieval.ts";
import { memoryRecord, SPACE, scopeOf } from "../contracts/memory.ts";
import { contractDatabase, emptied } from "./contract-database.ts";

// One session, so that it can have its own figures counted at once.
const db = await contractDatabase(1);
afterAll(() => db?.close());

const REPOSITORIES = 3;
const EACH = 300;

/** Numbers that look random and are the same each time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

describe.skipIf(db === null)("vectors in Postgres", () => {
  if (db === null) return;

  test("a large scope of several repositories is answered by an index, a repository never is; both find the same", async () => {
    await emptied(db);
    const random = dice(7);
    const vector = () => Float32Array.from({ length: SPACE.dimension }, random);
    const [memory, labels] = [postgresMemory(db), postgresLabels(db)];
    for (let id = 1; id <= REPOSITORIES; id += 1) {
      const about = { repo: `github.com/${id}`, repoName: `acme/r${id}` };
      const rows = Array.from({ length: EACH }, () => ({ record: memoryRecord(about), vector: vector() }));
      await memory.remember(rows, SPACE);
      await labels.give(
        { host: "github.com", id, ownerId: 9, owner: "acme", name: `r${id}`, visibility: "private" },
        true,
      );
    }
    const pool = scopeOf({ repo: "github.com/1", ownerPool: { ownerId: 9, targetIsPublic: false } });
    const exact = postgresRecall(db);
    const indexed = postgresRecall(db, { indexedRows: 500 });
    await indexed.warm();
    await db.run("ANALYZE vectors");
    const before = await scans();
    const queries = Array.from({ length: 20 }, vector);
    // As a review asks, which always says among which corpora.
    const corpora: MemoryFilter = { corpora: ["finding", "review_comment"] };
    const found = async (recall: typeof exact, scope = pool, filter = corpora) =>
      Promise.all(queries.map((query) => recall.nearest(scope, query, SPACE, 20, filter)));
    const all = await found(exact);
    expect(await scans()).toBe(before);
    const quick = await found(indexed);
    expect(await scans()).toBeGreaterThan(before);
    const shared = all.flatMap((hits, at) => hits.filter(({ id }) => quick[at]?.some((hit) => hit.id === id)));
    expect(shared.length / (20 * 20)).toBeGreaterThanOrEqual(0.98);
    const after = await scans();
    await found(indexed, scopeOf({ repo: "github.com/1" }));
    const narrow: MemoryFilter = { languages: ["typescript"] };
    expect(await found(indexed, pool, narrow)).toEqual(await found(exact, pool, narrow));
    expect(await scans()).toBe(after);
  });

  test("where a filter leaves too little of what the index found, all are compared", async () => {
    await emptied(db);
    const random = dice(5);
    const vector = () => Float32Array.from({ length: SPACE.dimension }, random);
    const [memory, labels] = [postgresMemory(db), postgresLabels(db)];
    for (const id of [1, 2]) {
      const about = { repo: `github.com/${id}`, repoName: `acme/r${id}` };
      const rows = Array.from({ length: EACH }, (_, at) => ({
        record: memoryRecord({ ...about, corpus: at % 5 === 0 ? "doc" : "review_comment" }),
        vector: vector(),
      }));
      await memory.remember(rows, SPACE);
      await labels.give(
        { host: "github.com", id, ownerId: 9, owner: "acme", name: `r${id}`, visibility: "private" },
        true,
      );
    }
    const pool = scopeOf({ repo: "github.com/1", ownerPool: { ownerId: 9, targetIsPublic: false } });
    const indexed = postgresRecall(db, { indexedRows: 100 });
    await indexed.warm();
    const before = await scans();
    const queries = Array.from({ length: 5 }, vector);
    const found = (recall: typeof indexed) =>
      Promise.all(queries.map((query) => recall.nearest(pool, query, SPACE, 20, { corpora: ["doc"] })));
    const quick = await found(indexed);
    expect(await scans()).toBeGreaterThan(before);
    expect(quick).toEqual(await found(postgresRecall(db)));
  });

  test("a large repository is gone through by bits first and finds the same; bits that are missing are made; a narrow filter is asked of all", async () => {
    await emptied(db);
    const random = dice(11);
    const vector = () => Float32Array.from({ length: SPACE.dimension }, random);
    const about = { repo: "github.com/1", repoName: "acme/r1" };
    const rows = Array.from({ length: 1_500 }, (_, at) => ({
      record: memoryRecord({ ...about, ...(at % 3 === 0 ? { language: "rust" } : {}) }),
      vector: vector(),
    }));
    await postgresMemory(db).remember(rows, SPACE);
    const bits = async () => (await db.one<{ n: number }>("SELECT count(*) AS n FROM vector_bits"))?.n;
    expect(await bits()).toBe(rows.length);
    await db.run("DELETE FROM vector_bits WHERE id % 2 = 0");
    const exact = postgresRecall(db);
    const quick = postgresRecall(db, { bitRows: { from: 1_200, below: 1_000 } });
    const scope = scopeOf({ repo: about.repo });
    const queries = Array.from({ length: 10 }, vector);
    // As a review asks, which always says among which corpora.
    const corpora: MemoryFilter = { corpora: ["finding", "review_comment"] };
    const found = (recall: typeof exact, filter = corpora) =>
      Promise.all(queries.map((query) => recall.nearest(scope, query, SPACE, 20, filter)));
    const all = await found(exact);
    // Half of the bits are not there: nobody relies on them.
    expect(await found(quick)).toEqual(all);
    await quick.warm();
    expect(await bits()).toBe(rows.length);
    await postgresMemory(db).remember([{ record: memoryRecord({ ...about, stale: true }), vector: null }], SPACE);
    const first = await found(quick);
    const shared = all.flatMap((hits, at) => hits.filter(({ id }) => first[at]?.some((hit) => hit.id === id)));
    expect(shared.length / (10 * 20)).toBeGreaterThanOrEqual(0.98);
    expect(first).toHaveLength(queries.length);
    const only = { ...scope, excludePull: 7 };
    await db.run("UPDATE records SET pull = 7 WHERE id % 2 = 0");
    const [some] = await Promise.all(
      queries.slice(0, 1).map((query) => quick.nearest(only, query, SPACE, 20, corpora)),
    );
    expect(some).toEqual(await exact.nearest(only, queries[0] ?? vector(), SPACE, 20, corpora));
    await db.run("UPDATE vector_bits SET b = ~b");
    expect(await found(quick)).not.toEqual(all);
    expect(await found(quick, { languages: ["rust"] })).toEqual(await found(exact, { languages: ["rust"] }));
    await postgresMemory(db).forgetRepository(about.repo);
    expect(await bits()).toBe(0);
  });

  test("more texts than one statement takes are answered each, in their order", async () => {
    await emptied(db);
    const random = dice(13);
    const vector = () => Float32Array.from({ length: SPACE.dimension }, random);
    const rows = Array.from({ length: 60 }, () => ({ record: memoryRecord(), vector: vector() }));
    await postgresMemory(db).remember(rows, SPACE);
    for (const bitRows of [
      { from: 1_000, below: 1_000 },
      { from: 1, below: 1 },
    ]) {
      const recall = postgresRecall(db, { bitRows });
      const own = await Promise.all(rows.map((row) => recall.nearest(scopeOf(), row.vector, SPACE, 1, {})));
      expect(own.map((hits) => hits[0]?.id)).toEqual(rows.map(({ record }) => record.id));
    }
  });

  test("a scope of about the size at which bits begin keeps to what it was searched by", async () => {
    const choice = bitChoice({ from: 100, below: 80 });
    const sql = { all: async () => [], run: async () => 0, one: async () => ({ same: true }) as never };
    const scope = scopeOf();
    const of = { scope, k: 20, filter: {}, paths: null, space: 1, dimension: SPACE.dimension };
    const chosen: boolean[] = [];
    for (const rows of [99, 100, 85, 79, 99]) {
      chosen.push(await choice(sql, [{ id: 1, version: rows, own: true, rows }], of));
    }
    expect(chosen).toEqual([false, true, true, false, false]);
    const large = [{ id: 1, version: 1, own: true, rows: 200 }];
    expect(await choice(sql, large, { ...of, filter: { corpora: ["finding"] } })).toBe(true);
    expect(await choice(sql, large, { ...of, filter: { languages: ["go"] } })).toBe(false);
    expect(await choice(sql, large, { ...of, scope: { ...scope, before: 5 } })).toBe(false);
  });

  /** How often the index was used. */
  async function scans(): Promise<number> {
    await db?.run("SELECT pg_stat_force_next_flush()");
    const row = await db?.one<{ n: number }>(
      "SELECT coalesce(sum(idx_scan), 0)::bigint AS n FROM pg_stat_all_indexes WHERE indexrelname LIKE 'vectors_nearest_%'",
    );
    return row?.n ?? 0;
  }
});
