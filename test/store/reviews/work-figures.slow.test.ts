// What lists and counts of reviews cost does not grow with the texts of the reviews.
import { afterAll, expect, test } from "vitest";
import { storedReviews } from "../../../src/store/reviews/reviews.ts";
import { storedWorkFigures } from "../../../src/store/reviews/work-figures.ts";
import { review } from "../../adapters/contracts/ledger.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";
import { sqliteHarness } from "../store-harness.ts";

const REVIEWS = 2_000;
/** Of a review with sixteen findings; without them 1 kB. */
const TEXT_BYTES = 35_000;

const { db, close } = await sqliteHarness();
afterAll(close);

test("what the dashboard counts and lists costs the same for long reviews as for short ones", async () => {
  const work = storedWorkFigures(db);
  const ledger = storedReviews(db);
  for (let at = 0; at < REVIEWS; at++) await ledger.save(reviewJob(at % 50, "a"), review(`h${at}`), at * 1_000);
  const lists = {
    counted: () => work.reviewed(),
    byDay: () => work.reviewDays(null, 0),
    newest: () => work.reviews(null, { skip: 0, most: 1 }),
    newestOfOne: () => work.reviews("github.com/42", { skip: 100, most: 1 }),
  };
  const costs = async () => {
    const found: Record<string, number> = {};
    for (const [name, list] of Object.entries(lists)) {
      const runs: number[] = [];
      for (let run = 0; run < 5; run++) {
        const start = process.cpuUsage();
        await list();
        const { user, system } = process.cpuUsage(start);
        runs.push(user + system);
      }
      found[name] = Math.min(...runs);
    }
    return found;
  };
  const short = await costs();
  await db.run("UPDATE reviews SET review = json_set(review, '$.padding', $1)", ["x".repeat(TEXT_BYTES)]);
  const long = await costs();
  const grown = Object.keys(lists).filter((name) => (long[name] ?? 0) > 2.6 * (short[name] ?? 0) + 1_000);
  expect(grown, JSON.stringify({ short, long })).toEqual([]);
});
