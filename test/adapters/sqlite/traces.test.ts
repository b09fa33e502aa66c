// What the queue's file keeps of a repository: gone together, without its neighbours by number.
import { expect, test } from "vitest";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteLedger } from "../../../src/adapters/sqlite/ledger.ts";
import { sqliteQueue } from "../../../src/adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { sqliteTraces } from "../../../src/adapters/sqlite/traces.ts";
import { review } from "../contracts/ledger.ts";
import { reviewJob } from "../contracts/queue.ts";

const JOBS = [
  [42, 1],
  [42, 12],
  [421, 1],
  [4, 2],
] as const;

test("reviews and jobs of a repository go together, those of its neighbours by number stay", async () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  const [ledger, queue] = [sqliteLedger(db), sqliteQueue(db)];
  for (const [repo, number] of JOBS) {
    const job = reviewJob(number, "a", repo);
    await ledger.save(job, review("h1"), 1);
    await queue.add(job, 1);
  }
  const { repo } = reviewJob(1, "a", 42);
  expect(await sqliteTraces(db).forgetRepository(repo)).toBe(2);
  expect(await sqliteTraces(db).forgetRepository(repo)).toBe(0);
  const left = await Promise.all(JOBS.map(([id, number]) => ledger.unsent(reviewJob(number, "a", id))));
  expect(left.map((one) => one !== null)).toEqual([false, false, true, true]);
  expect((await queue.counts()).waiting).toBe(2);
  db.close();
});
