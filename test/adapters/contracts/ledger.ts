import { beforeEach, describe, expect, test } from "vitest";
import type { Review } from "../../../src/domain/review.ts";
import type { Ledger } from "../../../src/ports.ts";
import { reviewJob } from "./queue.ts";

/** What the ledger reads of a review; the rest is carried as it is. */
export const review = (headSha: string, baseSha = "base") =>
  ({
    kind: "review",
    headSha,
    baseSha,
    findings: [],
    fingerprint: "",
    scope: { kind: "full", reason: null },
    said: [],
    addressed: [],
  }) as unknown as Review;

/** What every Ledger promises. */
export function ledgerContract(name: string, open: () => Ledger): void {
  describe(`${name} keeps the promises of a ledger`, () => {
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = open();
    });
    const job = reviewJob(1, "a");

    test("a written review is found until it is settled", async () => {
      expect(await ledger.unsent(job)).toBeNull();
      await ledger.save(job, review("h1"), 1);
      expect(await ledger.unsent(job)).toEqual(review("h1"));
      await ledger.settle(job, review("h1"), 2, "posted");
      expect(await ledger.unsent(job)).toBeNull();
    });

    test("posted is remembered by head and base; overtaken is not posted", async () => {
      await ledger.save(job, review("h1"), 1);
      await ledger.settle(job, review("h1"), 2, "posted");
      await ledger.save(job, review("h2"), 3);
      await ledger.settle(job, review("h2"), 4, "superseded");
      expect(await ledger.wasPosted(job, "h1", "base")).toBe(true);
      expect(await ledger.wasPosted(job, "h1", "other base")).toBe(false);
      expect(await ledger.wasPosted(job, "h2", "base")).toBe(false);
    });

    test("the latest of several unsent reviews is the one to send", async () => {
      await ledger.save(job, review("h1"), 1);
      await ledger.save(job, review("h2"), 2);
      expect((await ledger.unsent(job))?.headSha).toBe("h2");
    });

    test("the code of findings is kept until the review is sent, and no longer", async () => {
      const hunks = [{ findingId: "fnd_1", hunk: "@@ -1 +1 @@\n+eval(x)" }];
      await ledger.save(job, { ...review("h1"), hunks }, 1);
      expect((await ledger.unsent(job))?.hunks).toEqual(hunks);
      await ledger.settle(job, review("h1"), 2, "posted");
      expect(await ledger.wasPosted(job, "h1", "base")).toBe(true);
    });

    test("earlier reviews come newest first, and say whether they were posted", async () => {
      expect(await ledger.earlier(job)).toEqual([]);
      for (const [at, head] of ["h1", "h2", "h3"].entries()) await ledger.save(job, review(head), at);
      await ledger.settle(job, review("h1"), 5, "posted");
      await ledger.settle(job, review("h2"), 6, "superseded");
      expect((await ledger.earlier(job)).map(({ review: { headSha }, posted }) => [headSha, posted])).toEqual([
        ["h3", false],
        ["h2", false],
        ["h1", true],
      ]);
      expect(await ledger.earlier(reviewJob(2, "a"))).toEqual([]);
    });

    test("reviews of another pull request are not found", async () => {
      await ledger.save(job, review("h1"), 1);
      expect(await ledger.unsent(reviewJob(2, "a"))).toBeNull();
    });
  });
}
