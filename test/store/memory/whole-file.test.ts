// A piece of code is found by what its whole file is about, on each database.
import { afterAll, describe, expect, test } from "vitest";
import type { MemoryRecord } from "../../../src/domain/memory.ts";
import { ROWS_IN_DATABASE } from "../../../src/search/memory-search.ts";
import { storedMemory } from "../../../src/store/memory/memory.ts";
import { storedLabels } from "../../../src/store/memory/repositories.ts";
import type { Database } from "../../../src/store/sql.ts";
import { memoryRecord, SPACE, scopeOf } from "../../adapters/contracts/memory.ts";
import { postgresTestDatabase, sqliteTestDatabase } from "../databases.ts";
import { recallInProcess } from "./recall-in-process.ts";

/** A record that is found by its text and its path alone. */
function piece(over: Partial<MemoryRecord>): MemoryRecord {
  return memoryRecord({
    corpus: "code",
    symbol: null,
    hunk: null,
    tags: [],
    replies: [],
    chunkType: "function",
    ...over,
  });
}

async function searchedIn(db: Database, records: readonly MemoryRecord[], text: string, scope = scopeOf()) {
  const memory = storedMemory(db, () => Promise.resolve());
  for (const repo of ["github.com/42", "github.com/43"]) await memory.forgetRepository(repo);
  await memory.remember(
    records.map((record) => ({ record, vector: null })),
    SPACE,
  );
  for (const { repo, ownerId, visibility } of records) {
    const id = Number(repo.split("/").at(-1));
    await storedLabels(db).give({ host: "github.com", id, ownerId, owner: "acme", name: "shop", visibility }, true);
  }
  const [hits = []] = await recallInProcess(db, ROWS_IN_DATABASE).matching(scope, [text], 10, {});
  const score = (record: MemoryRecord) => hits.find(({ id }) => id === record.id)?.score ?? 0;
  return { ids: hits.map(({ id }) => id), score };
}

const pool = piece({ path: "src/a.ts", text: "export class ConnectionPool { drain() { return this.waiting; } }" });
const ofPool = piece({ path: "src/a.ts", text: "function closeHandle(handle) { handle.close(); }" });
const ofTimer = piece({ path: "src/b.ts", text: "function closeHandle(handle) { handle.close(); }" });
const timer = piece({ path: "src/b.ts", text: "export class Timer { tick() { return this.elapsed; } }" });

for (const [name, given] of [
  ["SQLite", await sqliteTestDatabase()],
  ["PostgreSQL", await postgresTestDatabase()],
] as const) {
  describe.skipIf(given === null)(name, () => {
    afterAll(() => given?.close());
    const searched = (records: readonly MemoryRecord[], text: string, scope = scopeOf()) =>
      searchedIn(given?.db as Database, records, text, scope);

    test("of two equal pieces of code the one whose file is about the question comes first", async () => {
      const { ids } = await searched([timer, ofTimer, ofPool, pool], "How does the connection pool close a handle?");
      expect(ids.indexOf(ofPool.id)).toBeLessThan(ids.indexOf(ofTimer.id));
    });

    test("a piece that shares no word with the question is found by its file, after what does", async () => {
      const { ids } = await searched([timer, ofTimer, ofPool, pool], "connection pool drain");
      expect(ids).toEqual([pool.id, ofPool.id]);
    });

    test("what was said about a file in reviews is judged by its own words", async () => {
      const said = { corpus: "review_comment", chunkType: null } as const;
      const comments = [pool, ofPool, ofTimer, timer].map((record) =>
        piece({ path: record.path, text: record.text, ...said }),
      );
      const { ids, score } = await searched(comments, "close handle");
      expect(ids).toHaveLength(2);
      expect(score(comments[1] ?? (said as never))).toBeCloseTo(score(comments[2] ?? (said as never)), 9);
    });

    test("the same path in another repository of the owner is another file", async () => {
      const other = { repo: "github.com/43", visibility: "public" } as const;
      const elsewhere = piece({ ...other, path: "src/a.ts", text: "function closeHandle(handle) { handle.close(); }" });
      const filler = piece({ ...other, path: "src/c.ts", text: "export const version = 3;" });
      const shared = scopeOf({ ownerPool: { ownerId: pool.ownerId, targetIsPublic: false } });
      const { score } = await searched([pool, ofPool, elsewhere, filler], "connection pool close handle", shared);
      expect(score(elsewhere)).toBeGreaterThan(0);
      expect(score(ofPool)).toBeGreaterThan(score(elsewhere) * 1.1);
    });
  });
}
