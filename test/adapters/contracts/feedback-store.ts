import { describe, expect, test } from "vitest";
import { review } from "./ledger.ts";
import { reviewJob } from "./queue.ts";
import { heldJob, type OpenStateStores } from "./store-harness.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const NOW = 400 * DAY;

/** What every book of looks promises. */
export function feedbackStoreContract(name: string, open: OpenStateStores): void {
  describe(`${name} keeps the promises of a book of looks`, () => {
    test("those with a posted review of the last 30 days, an hour after it or the last look, and once after their end", async () => {
      const { queue, stores } = await open();
      const { feedback: book, ledger } = stores;
      const { repo } = reviewJob(1, "a");
      const reviewed = async (number: number, settledAt: number, outcome: string) => {
        const job = reviewJob(number, "a");
        const lease = await heldJob(queue, job);
        const written = review(String(settledAt));
        await ledger.save(job, written, settledAt);
        await ledger.settle(job, written, settledAt, outcome);
        await queue.end(lease, 2, { state: "done", outcome });
      };
      await reviewed(1, NOW - 2 * HOUR, "posted");
      await reviewed(2, NOW - HOUR / 2, "posted");
      await reviewed(3, NOW - 31 * DAY, "posted");
      await reviewed(4, NOW - 2 * HOUR, "overtaken");
      const due = async (now: number, most = 50) => (await book.due(now, HOUR, most)).map(({ number }) => number);
      expect(await due(NOW)).toEqual([1]);
      expect((await book.due(NOW, HOUR, 50))[0]).toMatchObject({ key: "github.com/42:feedback#1", installationId: 7 });
      await book.recordCheck({ repo, number: 1 }, NOW, false);
      expect(await due(NOW + HOUR / 2)).toEqual([2]);
      expect(await due(NOW + 2 * HOUR)).toEqual([2, 1]);
      expect(await due(NOW + 2 * HOUR, 1)).toEqual([2]);
      await book.recordCheck({ repo, number: 1 }, NOW + HOUR, true);
      expect(await due(NOW + 9 * HOUR)).toEqual([2]);
      await reviewed(1, NOW + 2 * HOUR, "posted");
      expect(await due(NOW + 9 * HOUR)).toEqual([2, 1]);
    });
  });
}
