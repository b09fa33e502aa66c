import { describe, expect, test } from "vitest";
import { LeaseLost } from "../../../src/domain/errors.ts";
import type { Lease } from "../../../src/ports.ts";
import { heldJob, NEIGHBOURS, type OpenBooks, SHOP } from "./book-stage.ts";
import { reviewJob } from "./queue.ts";

const USAGE = { inputTokens: 900, cachedTokens: 0, outputTokens: 100, usd: 0.25, ms: 1, requests: 1 };
const [ONE, TWO] = [reviewJob(1, "a"), reviewJob(2, "b")];
/** As much as there is, up to a dollar. */
const REVIEW = { least: 0, most: 1 };
const OF_SHOP = [{ repo: SHOP, of: 1.5 }];

/** What every store promises of the book of what models cost, and of what jobs set aside. */
export function spendingContract(name: string, open: OpenBooks): void {
  describe(`${name} counts what models cost`, () => {
    test("what models cost is summed since a moment, for a repository and for all; questions without a price count nothing", async () => {
      const { book } = (await open()).books;
      const since = async (repo: Parameters<typeof book.purse>[0], at: number) => (await book.purse(repo, at)).spent;
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
      const { queue, books } = await open();
      const { book } = books;
      const [one, two] = [await heldJob(queue, ONE), await heldJob(queue, TWO)];
      expect(await book.reserve(one, SHOP).book(REVIEW, OF_SHOP, 0)).toEqual({
        usd: 1,
        purses: [{ spent: 0, aside: 0 }],
      });
      expect(await book.reserve(two, SHOP).book(REVIEW, OF_SHOP, 0)).toEqual({
        usd: 0.5,
        purses: [{ spent: 0, aside: 1 }],
      });
      await book.record(SHOP, 100, "review", USAGE, one);
      await book.record(SHOP, 100, "review", { ...USAGE, usd: null }, one);
      expect(await book.purse(SHOP, 0)).toEqual({ spent: 0.25, aside: 1.25 });
      // What it spends beyond that comes off nobody else's.
      await book.record(SHOP, 100, "review", { ...USAGE, usd: 0.75 }, two);
      expect(await book.purse(SHOP, 0)).toEqual({ spent: 1, aside: 0.75 });
      await book.reserve(one, SHOP).release();
      expect(await book.purse(SHOP, 0)).toEqual({ spent: 1, aside: 0 });
      for (const repo of NEIGHBOURS) expect(await book.purse(repo, 0)).toEqual({ spent: 0, aside: 0 });
    });

    test("of many that ask at once the sum of what they get is what there is", async () => {
      const { queue, books } = await open();
      const held: Lease[] = [];
      for (let at = 0; at < 12; at += 1) held.push(await heldJob(queue, reviewJob(at + 1, "a")));
      const bookings = await Promise.all(
        held.map((lease) => books.book.reserve(lease, SHOP).book({ least: 0, most: 0.5 }, OF_SHOP, 0)),
      );
      expect(bookings.map(({ usd }) => usd).sort()).toEqual([...Array(9).fill(0), 0.5, 0.5, 0.5]);
      expect(await books.book.purse(null, 0)).toEqual({ spent: 0, aside: 1.5 });
    });

    test("of several budgets the one counts of which least is left; what is too little for the job stays where it is", async () => {
      const { queue, books } = await open();
      const { book } = books;
      const lease = await heldJob(queue, ONE);
      await book.record(NEIGHBOURS[0], 100, "review", { ...USAGE, usd: 2.5 });
      const budgets = [...OF_SHOP, { repo: null, of: 2.75 }];
      const purses = [
        { spent: 0, aside: 0 },
        { spent: 2.5, aside: 0 },
      ];
      const reserve = book.reserve(lease, SHOP);
      expect(await reserve.book(REVIEW, budgets, 0)).toEqual({ usd: 0.25, purses });
      expect(await reserve.book({ least: 0.5, most: 1 }, budgets, 0)).toEqual({ usd: 0, purses });
      expect(await book.purse(null, 0)).toEqual({ spent: 2.5, aside: 0 });
      // Another month.
      expect(await reserve.book(REVIEW, budgets, 101)).toMatchObject({ usd: 1 });
    });

    test("a job that is begun again sets aside anew; what it had set aside ends with its lease", async () => {
      const { queue, books } = await open();
      const { book } = books;
      const lost = await heldJob(queue, ONE);
      await book.reserve(lost, SHOP).book(REVIEW, OF_SHOP, 0);
      await book.record(SHOP, 100, "review", USAGE, lost);
      await queue.leave(2);
      expect(await book.purse(SHOP, 0)).toEqual({ spent: 0.25, aside: 0 });
      const held = (await queue.lease(3)) as Lease;
      expect(held.id).toBe(lost.id);
      await expect(book.reserve(lost, SHOP).book(REVIEW, OF_SHOP, 0)).rejects.toBeInstanceOf(LeaseLost);
      expect(await book.reserve(held, SHOP).book(REVIEW, OF_SHOP, 0)).toEqual({
        usd: 1,
        purses: [{ spent: 0.25, aside: 0 }],
      });
      // A question of before that is answered now was paid, and comes off nothing; nor does its end give anything back.
      await book.record(SHOP, 100, "review", USAGE, lost);
      await book.reserve(lost, SHOP).release();
      expect(await book.purse(SHOP, 0)).toEqual({ spent: 0.5, aside: 1 });
      await queue.end(held, 4, { state: "done", outcome: "posted" });
      expect(await book.purse(SHOP, 0)).toEqual({ spent: 0.5, aside: 0 });
    });
  });
}
