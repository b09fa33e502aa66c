// What Postgres does with vectors: which way of searching is taken, and that the quick one finds what the exact one finds.
import { afterAll, describe, expect, test } from "vitest";
import { postgresMemory } from "../../../src/adapters/postgres/memory.ts";
import { postgresRecall } from "../../../src/adapters/postgres/recall.ts";
import { postgresLabels } from "../../../src/adapters/postgres/repository-labels.ts";
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
    const found = async (recall: typeof exact, scope = pool) =>
      Promise.all(queries.map((query) => recall.nearest(scope, query, SPACE, 20, {})));
    const all = await found(exact);
    expect(await scans()).toBe(before);
    const quick = await found(indexed);
    expect(await scans()).toBeGreaterThan(before);
    const shared = all.flatMap((hits, at) => hits.filter(({ id }) => quick[at]?.some((hit) => hit.id === id)));
    expect(shared.length / (20 * 20)).toBeGreaterThanOrEqual(0.98);
    const after = await scans();
    await found(indexed, scopeOf({ repo: "github.com/1" }));
    expect(await scans()).toBe(after);
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
