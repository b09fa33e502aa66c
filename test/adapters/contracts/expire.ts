import { describe, expect, test } from "vitest";
import type { TimedEnd } from "../../builders/timed-queue.ts";
import { review } from "./ledger.ts";
import { reviewJob } from "./queue.ts";
import { heldJob, type OpenStateStores, SHOP } from "./store-harness.ts";

const DAY = 24 * 60 * 60_000;

/** What every store promises of what is old. */
export function expireContract(name: string, open: OpenStateStores): void {
  describe(`${name} keeps things as long as it says`, () => {
    test("what is older goes, what is younger or not yet over stays, and nothing goes twice", async () => {
      const { queue, stores } = await open();
      const job = reviewJob(1, "a");
      const ping = (id: string, receivedAt: number) =>
        queue.accept(
          { id, event: "ping", receivedAt, meaning: null },
          { kind: "ignored", delivery: id, reason: "a ping" },
        );
      await ping("old", DAY);
      await ping("young", 50 * DAY);
      const answer = { repo: "github.com/42", thread: "t", userId: 5, kind: "reply" } as const;
      await stores.answers.record({ ...answer, comment: "c1", at: DAY });
      await stores.answers.record({ ...answer, comment: "c2", at: 50 * DAY });
      for (const headSha of ["h1", "h2"]) await stores.ledger.save(job, review(headSha), DAY);
      await stores.ledger.settle(job, review("h1"), DAY, "posted");
      const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 1, usd: 2, ms: 1, requests: 1 };
      await stores.spending.record(SHOP, DAY, "review", usage);
      // Never finished, however long it takes.
      await queue.add(reviewJob(2, "b"), DAY);
      const lease = await heldJob(queue, job, DAY);
      expect(await stores.expire(61 * DAY + 1)).toBe(2);
      expect(await stores.answers.given({ ...answer, comment: "c9" }, "reply", 0)).toBe(1);
      expect((await stores.spending.usage(null, 0)).spent).toBe(2);
      await queue.end(lease, DAY, { state: "done", outcome: "posted" });
      expect(await stores.expire(401 * DAY + 1)).toBe(5);
      expect((await stores.ledger.earlier(job)).filter(({ posted }) => posted)).toEqual([]);
      expect(await stores.ledger.unsent(job)).not.toBeNull();
      expect((await stores.spending.usage(null, 0)).spent).toBe(0);
      expect((await queue.counts()).waiting).toBe(1);
      expect(await stores.expire(401 * DAY + 1)).toBe(0);
      expect(await stores.signs.lastUsed()).toBe(401 * DAY + 1);
    });

    test("when it was last in use, for how long a job waits, and when a review was last posted", async () => {
      const { queue, stores, pass } = await open();
      expect(await stores.signs.lastUsed()).toBeNull();
      const none = { review: 0, command: 0, upkeep: 0 };
      expect(await stores.signs.progress(DAY)).toEqual({
        oldestWaitingMs: none,
        sincePostedMs: null,
        refusedInstallations: 0,
      });
      const job = reviewJob(1, "a");
      const lease = await heldJob(queue, job);
      await pass(60_001);
      expect((await stores.signs.progress(DAY)).oldestWaitingMs).toEqual(none);
      // Tried again: it waits since it was created, not since it was tried.
      await queue.end(lease, 60_001, { state: "retry", at: 70_000, reason: "later" });
      const { review: waiting } = (await stores.signs.progress(DAY)).oldestWaitingMs;
      expect(waiting).toBeGreaterThanOrEqual(60_000);
      await stores.ledger.save(job, review("a"), 2 * DAY);
      await stores.ledger.settle(job, review("a"), 2 * DAY, "posted");
      expect((await stores.signs.progress(3 * DAY)).sincePostedMs).toBe(DAY);
      expect(await stores.signs.lastUsed()).toBe(2 * DAY);
    });

    test("a refused installation is reported until a review ends that read what was refused", async () => {
      const { queue, stores } = await open();
      const ended = async (number: number, end: TimedEnd) => {
        await queue.end(await heldJob(queue, reviewJob(number, "a")), DAY + number, end);
        return (await stores.signs.progress(2 * DAY)).refusedInstallations;
      };
      expect(await ended(1, { state: "parked", reason: "refused: GitHub answered 403" })).toBe(1);
      expect(await ended(2, { state: "done", outcome: "skipped: the pull request is closed" })).toBe(1);
      expect(await ended(3, { state: "done", outcome: "skipped: review.enabled is false" })).toBe(0);
    });
  });
}
