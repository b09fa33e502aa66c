// What is written down of how a job ended, in the words of whatever failed.
import { expect, test } from "vitest";
import { secretRedactor } from "../../../src/adapters/secrets/redact.ts";
import { redactedQueue } from "../../../src/adapters/secrets/redacted-reviews.ts";
import type { JobEnd } from "../../../src/ports.ts";
import { sqliteHarness } from "../../store/store-harness.ts";
import { reviewJob } from "../contracts/queue.ts";

/** Put together, so that no scanner takes this file for a leak. */
const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
const ENDS: readonly JobEnd[] = [
  { state: "parked", reason: `HttpError: Validation Failed: "${TOKEN}" is no line of the diff` },
  { state: "retry", inMs: 5, reason: `Transient: GitHub did not answer (read ECONNRESET after ${TOKEN})` },
  { state: "done", outcome: `skipped: the title says ${TOKEN}` },
];

test.each(ENDS)("a job that ended $state left no secret behind in the store", async (end) => {
  const harness = await sqliteHarness();
  const queue = redactedQueue(harness.queue().queue, secretRedactor());
  const job = reviewJob(1, "a");
  await queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 1, meaning: null }, job);
  const lease = await queue.lease();
  if (lease === null) throw new Error("there is a job");
  expect(await queue.end(lease, end)).toBe(true);
  const rows = JSON.stringify(await harness.db.all("SELECT * FROM jobs"));
  expect(rows).toContain("‹redacted:github-token›");
  expect(rows).not.toContain(TOKEN.slice(0, 12));
  await harness.close();
});
