import { describe, expect, test } from "vitest";
import type { OpenPull } from "../../../src/ports/missed-events.ts";
import type { TimedEnd } from "../../builders/timed-queue.ts";
import { review } from "./ledger.ts";
import { reviewJob } from "./queue.ts";
import { heldJob, SHOP, type StateStoreHarness } from "./store-harness.ts";

const HEAD = "a".repeat(40);
/** Refused reviews are not tried again. */
const NOT_AGAIN = { endedForMs: Number.POSITIVE_INFINITY, begunForMs: Number.POSITIVE_INFINITY };
const pull = (number: number, updatedAt = 1_000): OpenPull => {
  return { number, headSha: HEAD, baseRef: "main", createdAt: 500, updatedAt, described: {} };
};

/** What every store of missed events promises. */
export function missedEventsContract(
  name: string,
  open: () => Promise<
    Pick<StateStoreHarness, "queue"> & { readonly stores: Pick<StateStoreHarness["stores"], "missed" | "ledger"> }
  >,
): void {
  describe(`${name} keeps the promises of a store of missed events`, () => {
    test("when each installation was checked and when each repository was, is kept", async () => {
      const { missed } = (await open()).stores;
      expect([await missed.lastRound(1), await missed.lastRound(12)]).toEqual([null, null]);
      await missed.round(1, 30);
      expect([await missed.lastRound(1), await missed.lastRound(12)]).toEqual([30, null]);
      expect([await missed.firstRound(5.7), await missed.firstRound(9)]).toEqual([5, 5]);
      await missed.recordCheck(SHOP, [], 40);
      await missed.recordCheck({ host: "github.com", id: 421 }, [], 41);
      await missed.recordCheck(SHOP, [], 42);
      expect(await missed.checkedAt()).toEqual(
        new Map([
          ["github.com/42", 42],
          ["github.com/421", 41],
        ]),
      );
    });

    test("a head needs a review unless one waits, runs or is posted, or it is older than the installation", async () => {
      const { queue, stores } = await open();
      const { missed, ledger } = stores;
      expect(await missed.owes(SHOP, pull(1), NOT_AGAIN)).toBe(true);
      await missed.recordCheck(SHOP, [pull(2)], 1);
      expect(await missed.owes(SHOP, pull(2), NOT_AGAIN)).toBe(false);
      expect(await missed.owes({ host: "github.com", id: 421 }, pull(2), NOT_AGAIN)).toBe(true);
      await queue.add(reviewJob(3, "b"), 1);
      expect(await missed.owes(SHOP, pull(3), NOT_AGAIN)).toBe(false);
      const posted = review(HEAD);
      await ledger.save(reviewJob(4, "a"), posted, 1);
      expect(await missed.owes(SHOP, pull(4), NOT_AGAIN)).toBe(true);
      await ledger.settle(reviewJob(4, "a"), posted, 2, "posted");
      expect(await missed.owes(SHOP, pull(4), NOT_AGAIN)).toBe(false);
      // What stands on GitHub is the latest review: one of another head, or of another branch.
      expect(await missed.owes(SHOP, { ...pull(4), baseRef: "legacy" }, NOT_AGAIN)).toBe(true);
      const later = review("b".repeat(40));
      await ledger.save(reviewJob(4, "b"), later, 3);
      await ledger.settle(reviewJob(4, "b"), later, 4, "posted");
      expect(await missed.owes(SHOP, pull(4), NOT_AGAIN)).toBe(true);
    });

    test("a pull request with an event is not older than the installation, however late it is checked", async () => {
      const { queue, stores } = await open();
      await queue.end(await heldJob(queue, reviewJob(1, "b")), 5_000, { state: "done", outcome: "posted https://x" });
      await stores.missed.recordCheck(SHOP, [pull(1), pull(2)], 6_000);
      expect(await stores.missed.owes(SHOP, pull(1), NOT_AGAIN)).toBe(true);
      expect(await stores.missed.owes(SHOP, pull(2), NOT_AGAIN)).toBe(false);
    });

    const ENDS: readonly (readonly [how: string, end: TimedEnd, isOwed: boolean])[] = [
      ["given up", { state: "parked", reason: "bug" }, false],
      ["given up while the App was suspended", { state: "parked", reason: "suspended: GitHub answered 403" }, true],
      ["stopped by a person", { state: "done", outcome: "stopped: by @mona" }, false],
      ["reviewed before", { state: "done", outcome: "skipped: this head was reviewed before" }, false],
      ["left alone after the last thing that happened", { state: "done", outcome: "skipped: a draft" }, false],
      ["posted, which its review would tell", { state: "done", outcome: "posted https://x" }, true],
    ];
    test.each(ENDS)("a head whose job was %s", async (_how, end, isOwed) => {
      const { queue, stores } = await open();
      const lease = await heldJob(queue, reviewJob(1, "a"));
      await queue.end(lease, 5_000, end);
      expect(await stores.missed.owes(SHOP, pull(1, 4_000), NOT_AGAIN)).toBe(isOwed);
      // Another head is another matter.
      expect(await stores.missed.owes(SHOP, { ...pull(1), headSha: "b".repeat(40) }, NOT_AGAIN)).toBe(true);
    });

    test.each(["refused", "unauthorised"])("a head whose review was %s is owed again from a moment on", async (why) => {
      const { queue, stores } = await open();
      const lease = await heldJob(queue, reviewJob(1, "a"));
      await queue.end(lease, 5_000, { state: "parked", reason: `${why}: GitHub answered 40x` });
      const owes = (again: Partial<typeof NOT_AGAIN>) =>
        stores.missed.owes(SHOP, pull(1, 4_000), { ...NOT_AGAIN, ...again });
      expect(await owes({})).toBe(false);
      expect(await owes({ endedForMs: 0 })).toBe(true);
      expect(await owes({ begunForMs: 0 })).toBe(true);
    });

    test("a reason against a head is over when something happened to its pull request since", async () => {
      const { queue, stores } = await open();
      const lease = await heldJob(queue, reviewJob(1, "a"));
      await queue.end(lease, 5_000, { state: "done", outcome: "skipped: a draft" });
      expect(await stores.missed.owes(SHOP, pull(1, 4_001), NOT_AGAIN)).toBe(true);
    });

    test("heads that were recovered are counted since a moment", async () => {
      const { queue, stores } = await open();
      await queue.add({ ...reviewJob(1, "a"), trigger: "missed" }, 20);
      await queue.add({ ...reviewJob(2, "a"), focus: 'say "trigger":"missed"' }, 20);
      expect(await stores.missed.recovered(11)).toBe(1);
      expect(await stores.missed.recovered(21)).toBe(0);
    });
  });
}
