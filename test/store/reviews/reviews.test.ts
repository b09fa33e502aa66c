// What a row of a review holds, and for how long, on each database.
import { afterAll, describe, expect, test } from "vitest";
import type { Review } from "../../../src/domain/review.ts";
import { storedReviews } from "../../../src/store/reviews/reviews.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";
import { postgresTestDatabase, sqliteTestDatabase } from "../databases.ts";

for (const [name, given] of [
  ["SQLite", await sqliteTestDatabase()],
  ["PostgreSQL", await postgresTestDatabase()],
] as const) {
  describe.skipIf(given === null)(name, () => {
    afterAll(() => given?.close());

    test("when a review is settled, the code that it was about leaves the row", async () => {
      if (given === null) throw new Error("there is no database");
      const { db } = given;
      const ledger = storedReviews(db);
      const job = reviewJob(1, "a");
      const hunks = [{ findingId: "fnd_1", hunk: "@@ -1 +1 @@\n+eval(x)" }];
      const review = {
        kind: "review",
        headSha: "h1",
        baseSha: "base",
        baseRef: "main",
        findings: [],
        hunks,
      } as unknown as Review;
      const stored = async () => (await db.one<{ review: string }>("SELECT review FROM reviews"))?.review ?? "";
      await ledger.save(job, review, 1);
      expect(await stored()).toContain("eval(x)");
      await ledger.settle(job, review, 2, "posted");
      expect(await stored()).not.toContain("eval(x)");
      expect(JSON.parse(await stored())).toMatchObject({ headSha: "h1", findings: [] });
    });
  });
}
