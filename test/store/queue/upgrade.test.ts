// A queue that an earlier Kodiai filled, on each database: what waited is served, oldest first.
import { afterAll, describe, expect, test } from "vitest";
import { migrate, type SchemaPart } from "../../../src/store/migrate.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { storedQueue } from "../../../src/store/queue/queue.ts";
import { QUEUE_PART } from "../../../src/store/queue/schema.ts";
import type { Database } from "../../../src/store/sql.ts";
import { openSqlite } from "../../../src/store/sqlite.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";
import { testDatabase } from "../../postgres.ts";

/** With the turns of repositories, and a counter of crashes that a job had alone. */
const EARLIER: SchemaPart = { ...QUEUE_PART, steps: QUEUE_PART.steps.slice(0, 4) };
const given = await testDatabase([]);
afterAll(() => given?.drop());

for (const [name, open] of [
  ["SQLite", () => openSqlite(":memory:", { now: Date.now })],
  ["PostgreSQL", given === null ? null : () => openPostgres(given.url)],
] as const) {
  describe.skipIf(open === null)(name, () => {
    test("jobs of an earlier schema keep their places, crashes and parked ends", async () => {
      const db = open?.() as Database;
      await migrate(db, [EARLIER], "the queue");
      for (const [number, state, turn] of [
        [1, "waiting", 7],
        [2, "waiting", -2],
        [3, "parked", 3],
      ] as const) {
        const job = reviewJob(number, "a");
        await db.run(
          `INSERT INTO jobs (key, lane, job, repo, account, state, run_at, created_at, turn, deaths, alone, company)
           VALUES ($1, 'review', $2, 'github.com/42', 'github.com/9', $3, $4, $4, $5, 1, 1, 1)`,
          [job.key, JSON.stringify(job), state, number, turn],
        );
      }
      await migrate(db, [QUEUE_PART], "the queue");
      const queue = storedQueue(db);
      expect(await queue.counts()).toMatchObject({ waiting: 2, parked: 1 });
      expect([(await queue.lease())?.job.number, (await queue.lease())?.job.number]).toEqual([1, 2]);
      expect(await db.all("SELECT deaths FROM jobs ORDER BY id")).toEqual([
        { deaths: 1 },
        { deaths: 1 },
        { deaths: 1 },
      ]);
      await db.close();
    });
  });
}
