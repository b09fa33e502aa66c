// A store in which an earlier Kodiai remembered pieces of code, on each database.
import { afterAll, describe, expect, test } from "vitest";
import type { MemoryRecord } from "../../../src/domain/memory.ts";
import { storedRecall } from "../../../src/store/memory/recall.ts";
import { MEMORY_PART } from "../../../src/store/memory/schema.ts";
import { storedMemory } from "../../../src/store/memory/stored-memory.ts";
import type { Database } from "../../../src/store/sql.ts";
import { memoryRecord, SHOP, SPACE, scopeOf, vectorAt } from "../../adapters/contracts/memory.ts";
import { postgresTestDatabase, sqliteTestDatabase } from "../databases.ts";

for (const [name, given] of [
  ["SQLite", await sqliteTestDatabase()],
  ["PostgreSQL", await postgresTestDatabase()],
] as const) {
  describe.skipIf(given === null)(name, () => {
    afterAll(() => given?.close());

    test("an upgrade deletes remembered code with its terms and vectors, and everything else is found as before", async () => {
      const db = given?.db as Database;
      const said = memoryRecord({ text: "Close the handle of the pool." });
      const code = memoryRecord({
        corpus: "code" as MemoryRecord["corpus"],
        chunkType: "function",
        text: "function closeHandle(pool) {}",
      });
      const memory = storedMemory(db, () => Promise.resolve());
      await memory.remember(
        [said, code].map((record) => ({ record, vector: vectorAt(0) })),
        SPACE,
      );
      await db.run(MEMORY_PART.steps[1]?.(db.dialect) ?? "");
      const recall = storedRecall(db, null);
      const [near = []] = await recall.nearest(scopeOf(), [vectorAt(0)], SPACE, 10, {});
      const [matching = []] = await recall.matching(scopeOf(), ["close handle pool"], 10, {});
      expect([near.map(({ id }) => id), matching.map(({ id }) => id)]).toEqual([[said.id], [said.id]]);
      expect([...(await recall.counts(scopeOf())).byCorpus]).toEqual([["review_comment", 1]]);
      for (const table of ["records", "contents", "terms", "vectors"])
        expect(await db.one(`SELECT count(*) AS rows FROM ${table}`)).toEqual({ rows: 1 });
      expect(await memory.forget(SHOP, [code.id])).toBe(0);
    });
  });
}
