// What the dashboard reads of the work, the same on each database.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { storedRetrievals } from "../../../src/store/reviews/retrievals.ts";
import { storedReviews } from "../../../src/store/reviews/reviews.ts";
import { storedSpending } from "../../../src/store/reviews/spending.ts";
import { storedWorkFigures } from "../../../src/store/reviews/work-figures.ts";
import { review } from "../../adapters/contracts/ledger.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";
import { anEntry, aSkip } from "../../adapters/contracts/retrieval-log.ts";
import { postgresHarness, type StoreHarness, sqliteHarness } from "../store-harness.ts";

const DAY = 24 * 60 * 60_000;
const SHOP = "github.com/42";
/** Its key begins like the shop's. */
const NEIGHBOUR = 421;

figures("SQLite", await sqliteHarness());
const onPostgres = await postgresHarness();
describe.skipIf(onPostgres === null)("on PostgreSQL", () => {
  if (onPostgres !== null) figures("PostgreSQL", onPostgres);
});

function figures(name: string, harness: StoreHarness): void {
  describe(`figures of the work on ${name}`, () => {
    const { db } = harness;
    const work = storedWorkFigures(db);
    afterAll(() => harness.close());
    beforeEach(() => harness.empty());

    test("reviews are listed newest first, a page at a time, and counted by day and by what became of them", async () => {
      const ledger = storedReviews(db);
      const [one, two, other] = [reviewJob(1, "a"), reviewJob(2, "a"), reviewJob(1, "a", NEIGHBOUR)];
      for (const [job, head, at] of [
        [one, "h1", DAY + 1],
        [one, "h2", DAY + 2],
        [two, "h1", 2 * DAY],
        [other, "h1", 2 * DAY + 5],
      ] as const)
        await ledger.save(job, review(head), at);
      await ledger.settle(one, review("h1"), 2 * DAY, "posted");
      await ledger.settle(two, review("h1"), 2 * DAY + 1, "superseded");
      const shown = async (of: typeof SHOP | null, skip: number, most: number) => {
        const { total, reviews } = await work.reviews(of, { skip, most });
        return [total, ...reviews.map(({ key, review: { headSha }, outcome }) => `${key} ${headSha} ${outcome}`)];
      };
      expect(await shown(SHOP, 0, 2)).toEqual([3, `${two.key} h1 superseded`, `${one.key} h2 null`]);
      expect(await shown(SHOP, 2, 2)).toEqual([3, `${one.key} h1 posted`]);
      expect((await shown(null, 0, 9))[1]).toBe(`${other.key} h1 null`);
      expect(await work.review(one.key, "h1")).toEqual({
        key: one.key,
        review: review("h1"),
        writtenAt: DAY + 1,
        settledAt: 2 * DAY,
        outcome: "posted",
      });
      expect(await work.review(one.key, "h9")).toBeNull();
      expect(await work.reviewDays(SHOP, 0)).toEqual([
        { day: DAY, name: "not settled", count: 1 },
        { day: DAY, name: "posted", count: 1 },
        { day: 2 * DAY, name: "superseded", count: 1 },
      ]);
      expect(await work.reviewDays(null, 2 * DAY)).toEqual([
        { day: 2 * DAY, name: "not settled", count: 1 },
        { day: 2 * DAY, name: "superseded", count: 1 },
      ]);
      expect(await work.reviewed()).toEqual([
        { repo: SHOP, reviews: 3, posted: 1, lastAt: 2 * DAY },
        { repo: `github.com/${NEIGHBOUR}`, reviews: 1, posted: 0, lastAt: 2 * DAY + 5 },
      ]);
    });

    test("who opened a pull request is what its newest review says", async () => {
      const ledger = storedReviews(db);
      const [one, two, other] = [reviewJob(1, "a"), reviewJob(2, "a"), reviewJob(1, "a", NEIGHBOUR)];
      await ledger.save(one, { ...review("h1"), author: "@wren" }, DAY);
      await ledger.save(one, { ...review("h2"), author: "@[deleted]" }, 2 * DAY);
      await ledger.save(two, review("h1"), DAY);
      await ledger.save(other, { ...review("h1"), author: "@kim" }, DAY);
      expect([...(await work.authors([one.key, two.key]))]).toEqual([[one.key, "@[deleted]"]]);
      expect((await work.authors([])).size).toBe(0);
    });

    test("what a review retrieved comes back whole, and how long searches took oldest first", async () => {
      const log = storedRetrievals(db);
      const entry = anEntry({
        rerank: { by: "rerank-2.5", ms: 7, tokens: 5, usd: 0.1, topChanged: 0.2, meanMove: 1, failed: null },
        degraded: ["embedding"],
        distances: [0.2, null],
        createdAt: 100,
        retrievalMs: 41.5,
      });
      await log.write(entry);
      await log.write(anEntry({ createdAt: 200, origin: "search" }));
      await log.write(aSkip("few-files", { createdAt: 300 }));
      await log.write(anEntry({ createdAt: 150, repo: "github.com/421", retrievalMs: 9 }));
      expect(await work.retrievalBefore(SHOP, 12, 250)).toEqual(entry);
      expect(await work.retrievalBefore(SHOP, 12, 99)).toBeNull();
      expect(await work.retrievalBefore(SHOP, 13, 250)).toBeNull();
    });

    test("what models cost is summed by day and purpose; a question without a price costs nothing", async () => {
      const book = storedSpending(db);
      const usage = { inputTokens: 3_000_000_000, cachedTokens: 0, outputTokens: 7, usd: 0.25, ms: 1, requests: 1 };
      const { repo } = reviewJob(1, "a");
      await book.record(repo, DAY, "review", usage);
      await book.record(repo, DAY + 1, "review", { ...usage, usd: null });
      await book.record(repo, 2 * DAY, "review", usage);
      await book.record(reviewJob(1, "a", NEIGHBOUR).repo, DAY, "review", usage);
      const day = {
        day: DAY,
        purpose: "review",
        questions: 2,
        inputTokens: 6_000_000_000,
        outputTokens: 14,
        usd: 0.25,
      };
      expect(await work.spendingDays(SHOP, 0)).toEqual([
        day,
        { ...day, day: 2 * DAY, questions: 1, inputTokens: 3_000_000_000, outputTokens: 7 },
      ]);
      expect((await work.spendingDays(null, 0))[0]).toMatchObject({ questions: 3, usd: 0.5 });
    });

    test("jobs are counted by lane and state", async () => {
      const queue = harness.queue();
      for (const number of [1, 2]) await queue.add(reviewJob(number, "a"), 1);
      await queue.lease(2);
      expect(await work.jobCounts()).toEqual([
        { lane: "review", state: "running", count: 1 },
        { lane: "review", state: "waiting", count: 1 },
      ]);
    });
  });
}
