import { describe, expect, test } from "vitest";
import { LeaseLost } from "../../../src/domain/errors.ts";
import type { Lease } from "../../../src/ports.ts";
import { reviewJob } from "./queue.ts";
import { heldJob, NEIGHBOURS, type OpenStateStores, SHOP } from "./store-harness.ts";

const USAGE = { inputTokens: 900, cachedTokens: 0, outputTokens: 100, usd: 0.25, ms: 1, requests: 1 };
const [ONE, TWO] = [reviewJob(1, "a"), reviewJob(2, "b")];
/** As much as there is, up to a dollar. */
const REVIEW = { least: 0, most: 1 };
const OF_SHOP = [{ whose: "repository", repo: SHOP, of: 1.5 }] as const;

/** What every store promises of the book of what models cost, and of what jobs set aside. */
export function spendingContract(name: string, open: OpenStateStores): void {
  describe(`${name} counts what models cost`, () => {
    test("what models cost is summed since a moment, for a repository and for all; questions without a price count nothing", async () => {
      const { spending: book } = (await open()).stores;
      const since = async (repo: Parameters<typeof book.usage>[0], at: number) => (await book.usage(repo, at)).spent;
      expect(await since(null, 0)).toBe(0);
      await book.record(SHOP, 100, "review", USAGE);
      await book.record(SHOP, 200, "verify", { ...USAGE, usd: 0.5 });
      await book.record(SHOP, 200, "answer", { ...USAGE, usd: null });
      await book.record(NEIGHBOURS[0], 200, "review", { ...USAGE, usd: 1 });
      expect(await since(SHOP, 100)).toBe(0.75);
      expect(await since(SHOP, 101)).toBe(0.5);
      expect(await since(SHOP, 201)).toBe(0);
      expect(await since(null, 0)).toBe(1.75);
      expect(await since(NEIGHBOURS[2], 0)).toBe(0);
    });

    test("of jobs that run at the same time each sets aside what the others left, and what it spends is counted once", async () => {
      const { queue, stores } = await open();
      const { spending: book } = stores;
      const [one, two] = [await heldJob(queue, ONE), await heldJob(queue, TWO)];
      expect(await book.reservations(one, SHOP).reserve(REVIEW, OF_SHOP, 0)).toEqual({
        usd: 1,
        usages: [{ spent: 0, aside: 0 }],
      });
      expect(await book.reservations(two, SHOP).reserve(REVIEW, OF_SHOP, 0)).toEqual({
        usd: 0.5,
        usages: [{ spent: 0, aside: 1 }],
      });
      await book.record(SHOP, 100, "review", USAGE, one);
      await book.record(SHOP, 100, "review", { ...USAGE, usd: null }, one);
      expect(await book.usage(SHOP, 0)).toEqual({ spent: 0.25, aside: 1.25 });
      // What it spends beyond that comes off nobody else's.
      await book.record(SHOP, 100, "review", { ...USAGE, usd: 0.75 }, two);
      expect(await book.usage(SHOP, 0)).toEqual({ spent: 1, aside: 0.75 });
      await book.reservations(one, SHOP).release();
      expect(await book.usage(SHOP, 0)).toEqual({ spent: 1, aside: 0 });
      for (const repo of NEIGHBOURS) expect(await book.usage(repo, 0)).toEqual({ spent: 0, aside: 0 });
    });

    test("of many that ask at once the sum of what they get is what there is [T24]", async () => {
      const { queue, stores } = await open();
      const held: Lease[] = [];
      for (let at = 0; at < 12; at += 1) held.push(await heldJob(queue, reviewJob(at + 1, "a")));
      const bookings = await Promise.all(
        held.map((lease) => stores.spending.reservations(lease, SHOP).reserve({ least: 0, most: 0.5 }, OF_SHOP, 0)),
      );
      expect(bookings.map(({ usd }) => usd).sort()).toEqual([...Array(9).fill(0), 0.5, 0.5, 0.5]);
      expect(await stores.spending.usage(null, 0)).toEqual({ spent: 0, aside: 1.5 });
    });

    test("of several budgets the one counts of which least is left; what is too little for the job stays where it is", async () => {
      const { queue, stores } = await open();
      const { spending: book } = stores;
      const lease = await heldJob(queue, ONE);
      await book.record(NEIGHBOURS[0], 100, "review", { ...USAGE, usd: 2.5 });
      const budgets = [...OF_SHOP, { whose: "operator", repo: null, of: 2.75 }] as const;
      const usages = [
        { spent: 0, aside: 0 },
        { spent: 2.5, aside: 0 },
      ];
      const reservations = book.reservations(lease, SHOP);
      expect(await reservations.reserve(REVIEW, budgets, 0)).toEqual({ usd: 0.25, usages });
      expect(await reservations.reserve({ least: 0.5, most: 1 }, budgets, 0)).toEqual({ usd: 0, usages });
      expect(await book.usage(null, 0)).toEqual({ spent: 2.5, aside: 0 });
      // Another month.
      expect(await reservations.reserve(REVIEW, budgets, 101)).toMatchObject({ usd: 1 });
    });

    test("a job that starts again reserves again; its former reservation ends with its lease [T24]", async () => {
      const { queue, stores } = await open();
      const { spending: book } = stores;
      const lost = await heldJob(queue, ONE);
      await book.reservations(lost, SHOP).reserve(REVIEW, OF_SHOP, 0);
      await book.record(SHOP, 100, "review", USAGE, lost);
      await queue.leave(2);
      expect(await book.usage(SHOP, 0)).toEqual({ spent: 0.25, aside: 0 });
      const held = (await queue.lease(3)) as Lease;
      expect(held.id).toBe(lost.id);
      await expect(book.reservations(lost, SHOP).reserve(REVIEW, OF_SHOP, 0)).rejects.toBeInstanceOf(LeaseLost);
      expect(await book.reservations(held, SHOP).reserve(REVIEW, OF_SHOP, 0)).toEqual({
        usd: 1,
        usages: [{ spent: 0.25, aside: 0 }],
      });
      // A question of before that is answered now was paid, and comes off nothing; nor does its end
      // give anything back.
      await book.record(SHOP, 100, "review", USAGE, lost);
      await book.reservations(lost, SHOP).release();
      expect(await book.usage(SHOP, 0)).toEqual({ spent: 0.5, aside: 1 });
      await queue.end(held, 4, { state: "done", outcome: "posted" });
      expect(await book.usage(SHOP, 0)).toEqual({ spent: 0.5, aside: 0 });
    });

    const OUTSIDERS = [...OF_SHOP, { whose: "outsiders", repo: SHOP, of: 0.5 }] as const;

    test("what people without write access spend is counted beside what all do, and what is set aside for them too [T24]", async () => {
      const { queue, stores } = await open();
      const { spending: book } = stores;
      const [theirs, writers] = [await heldJob(queue, ONE), await heldJob(queue, TWO)];
      expect((await book.reservations(writers, SHOP).reserve({ least: 0, most: 0.75 }, OF_SHOP, 0)).usd).toBe(0.75);
      expect((await book.reservations(theirs, SHOP).reserve(REVIEW, OUTSIDERS, 0)).usd).toBe(0.5);
      expect(await book.usage(SHOP, 0, true)).toEqual({ spent: 0, aside: 0.5 });
      await book.record(SHOP, 100, "review", USAGE, theirs);
      await book.record(SHOP, 100, "review", { ...USAGE, usd: 0.5 }, writers);
      await book.record(SHOP, 100, "review", USAGE);
      expect(await book.usage(SHOP, 0, true)).toEqual({ spent: 0.25, aside: 0.25 });
      expect(await book.usage(SHOP, 0)).toEqual({ spent: 1, aside: 0.5 });
      expect(await book.usage(NEIGHBOURS[0], 0, true)).toEqual({ spent: 0, aside: 0 });
    });

    test("reviews of a pull request for people without write access are counted once each, without the one that asks", async () => {
      const { queue, stores } = await open();
      const { spending: book } = stores;
      const count = async (lease: Lease, since = 0) => book.reservations(lease, SHOP).outsidersReviews(since);
      const reviewed = async (head: string, at: number, budgets: typeof OF_SHOP | typeof OUTSIDERS = OUTSIDERS) => {
        const lease = await heldJob(queue, reviewJob(1, head), at);
        await book.reservations(lease, SHOP).reserve({ least: 0, most: 0.01 }, budgets, 0);
        const before = await count(lease);
        for (const _ of [1, 2]) await book.record(SHOP, at, "review", { ...USAGE, usd: 0.001 }, lease);
        expect(await count(lease)).toBe(before);
        await queue.end(lease, at, { state: "done", outcome: "posted" });
        return before;
      };
      expect([await reviewed("a", 10), await reviewed("b", 20), await reviewed("c", 30)]).toEqual([0, 1, 2]);
      // Of somebody with write access, and one that asked nothing.
      expect(await reviewed("d", 40, OF_SHOP)).toBe(3);
      await queue.end(await heldJob(queue, reviewJob(1, "e"), 50), 50, { state: "done", outcome: "posted" });
      const last = await heldJob(queue, reviewJob(1, "f"), 60);
      expect(await count(last)).toBe(3);
      expect(await count(last, 20)).toBe(2);
      expect(await count(await heldJob(queue, TWO, 60))).toBe(0);
    });
  });
}
