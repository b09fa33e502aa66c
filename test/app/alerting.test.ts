// Reviews stop, and the figures say so: GitHub fails at everything, and a job waits and waits.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";

const HOUR_MS = 3_600_000;
let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

/** A sample of /metrics; undefined when it is absent. */
async function figure(sample: string): Promise<number | undefined> {
  const text = await (await fetch(`${harness.adminUrl()}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.split(" ")[1]);
}

/** As if it had happened so much earlier. */
function age(table: string, column: string): void {
  const db = new Database(join(harness.dataDir, "queue.db"));
  db.exec(`UPDATE ${table} SET ${column} = ${column} - ${HOUR_MS}`);
  db.close();
}

test("while GitHub answers 500 to everything, figures say for how long nothing came to its end", async () => {
  const { world } = harness;
  // Known from the start, so that the first of each is an increase.
  for (const sample of [
    'kodiai_deliveries_total{event="pull_request",outcome="review"}',
    'kodiai_reviews_total{outcome="posted"}',
    'kodiai_job_ends_total{lane="review",state="retry"}',
  ])
    expect(await figure(sample)).toBe(0);
  expect(await figure("kodiai_since_posted_review_seconds")).toBeUndefined();
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const first = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(first);
  expect(await figure('kodiai_oldest_waiting_job_seconds{lane="review"}')).toBe(0);
  expect(await figure("kodiai_since_posted_review_seconds")).toBeLessThan(60);

  const began = performance.now();
  world.fail({ match: { path: /./ }, status: 500, times: 10_000 });
  const second = await world.pullRequest(repository, { title: "Back up more", files: { "ops/more.py": BACKUP } });
  await harness.waitsAgain(second);
  expect(await figure('kodiai_job_ends_total{lane="review",state="retry"}')).toBe(1);
  const silentMs = performance.now() - began;
  expect(await figure("kodiai_since_github_answer_seconds")).toBeGreaterThan(silentMs / 1_000);
  age("jobs", "created_at");
  age("reviews", "settled_at");
  const hour = HOUR_MS / 1_000;
  expect(await figure('kodiai_oldest_waiting_job_seconds{lane="review"}')).toBeGreaterThanOrEqual(hour);
  expect(await figure("kodiai_since_posted_review_seconds")).toBeGreaterThanOrEqual(hour);
  // Deliveries can be kept all the same.
  expect((await fetch(`${harness.adminUrl()}/readyz`)).status).toBe(200);
});
