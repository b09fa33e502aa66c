// What a log of retrievals keeps, and for how long, on each database.
import { afterAll, describe, expect, test } from "vitest";
import { storedRetrievals } from "../../../src/store/reviews/retrievals.ts";
import type { Database } from "../../../src/store/sql.ts";
import { anEntry, NOW } from "../../adapters/contracts/retrieval-log.ts";
import { postgresTestDatabase, sqliteTestDatabase } from "../databases.ts";

/** As they are by default. */
const LIMITS = { rows: 100_000, ageMs: 30 * 24 * 3_600_000, chunk: 500 };

const idsOf = async (db: Database) =>
  (await db.all<{ id: string }>('SELECT id FROM retrievals ORDER BY "row"')).map(({ id }) => id);

for (const [name, given] of [
  ["SQLite", await sqliteTestDatabase()],
  ["PostgreSQL", await postgresTestDatabase()],
] as const) {
  describe.skipIf(given === null)(name, () => {
    afterAll(() => given?.close());

    async function opened(limits: Partial<typeof LIMITS> = {}) {
      if (given === null) throw new Error("there is no database");
      await given.db.run("DELETE FROM retrievals");
      return { db: given.db, log: storedRetrievals(given.db, { ...LIMITS, ...limits }) };
    }

    test("every part of an entry is in its row [003-30]", async () => {
      const { db, log } = await opened();
      const rerank = { by: "rerank-2.5", ms: 7, tokens: 5, usd: 0.1, topChanged: 0.2, meanMove: 1, failed: null };
      const entry = anEntry({
        rerank,
        rerankMs: 7,
        rerankScores: [0.9, 0.1],
        degraded: ["embedding"],
        distances: [0.2, null],
      });
      await log.write(entry);
      expect(await db.one("SELECT * FROM retrievals")).toEqual({
        row: expect.any(Number),
        id: entry.id,
        repo: "github.com/42",
        repo_name: "acme/shop",
        pull: 12,
        origin: "review",
        searched: 1,
        retrieval_ms: 40,
        query: entry.query,
        entry: expect.any(String),
        created_at: entry.createdAt,
      });
      const { query, ...rest } = entry;
      const kept = await db.one<{ entry: string }>("SELECT entry FROM retrievals");
      expect(JSON.parse(kept?.entry ?? "")).toEqual(rest);
    });

    test("a log over its limit loses its oldest rows, a few with each row that is written", async () => {
      const long = await opened({ rows: 1_000 });
      for (let at = 0; at < 20; at += 1) await long.log.write(anEntry());
      const short = storedRetrievals(long.db, { ...LIMITS, rows: 5, chunk: 10 });
      await short.write(anEntry());
      expect(await idsOf(long.db)).toHaveLength(11);
      const newest = anEntry();
      await short.write(newest);
      expect(await idsOf(long.db)).toHaveLength(5);
      expect((await idsOf(long.db)).at(-1)).toBe(newest.id);
      await short.write(newest);
      expect(await idsOf(long.db)).toHaveLength(5);
    });

    test("rows older than thirty days go", async () => {
      const { db, log } = await opened({ chunk: 2 });
      const days = (count: number) => anEntry({ createdAt: NOW - count * 24 * 3_600_000 });
      const [old, older, oldest, recent] = [days(31), days(32), days(33), days(29)];
      for (const entry of [oldest, older, old, recent]) await storedRetrievals(db).write(entry);
      expect(await idsOf(db)).toHaveLength(4);
      const now = anEntry({ createdAt: NOW });
      await log.write(now);
      expect(await idsOf(db)).toEqual([old.id, recent.id, now.id]);
      const next = anEntry({ createdAt: NOW });
      await log.write(next);
      expect(await idsOf(db)).toEqual([recent.id, now.id, next.id]);
    });
  });
}
