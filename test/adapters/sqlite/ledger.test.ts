import { expect, test } from "vitest";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteLedger } from "../../../src/adapters/sqlite/ledger.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import type { Review } from "../../../src/domain/review.ts";
import { ledgerContract } from "../contracts/ledger.ts";
import { reviewJob } from "../contracts/queue.ts";

ledgerContract("the SQLite ledger", async () => sqliteLedger(openDatabase(":memory:", QUEUE_MIGRATIONS)));

test("when a review is settled, the code that it was about leaves the file", async () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  const ledger = sqliteLedger(db);
  const job = reviewJob(1, "a");
  const hunks = [{ findingId: "fnd_1", hunk: "@@ -1 +1 @@\n+eval(x)" }];
  const review = { kind: "review", headSha: "h1", baseSha: "base", findings: [], hunks } as unknown as Review;
  const stored = () => db.prepare("SELECT review FROM reviews").pluck().get() as string;
  await ledger.save(job, review, 1);
  expect(stored()).toContain("eval(x)");
  await ledger.settle(job, review, 2, "posted");
  expect(stored()).not.toContain("eval(x)");
  expect(JSON.parse(stored())).toMatchObject({ headSha: "h1", findings: [] });
});
