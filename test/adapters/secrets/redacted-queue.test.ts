// What is written down of how a job ended, in the words of whatever failed.
import { expect, test } from "vitest";
import { secretRedactor } from "../../../src/adapters/secrets/redact.ts";
import { redactedQueue } from "../../../src/adapters/secrets/redacted-queue.ts";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteQueue } from "../../../src/adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import type { JobEnd } from "../../../src/ports.ts";
import { reviewJob } from "../contracts/queue.ts";

/** Put together, so that no scanner takes this file for a leak. */
const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
const ENDS: readonly JobEnd[] = [
  { state: "dead", reason: `HttpError: Validation Failed: "${TOKEN}" is no line of the diff` },
  { state: "retry", at: 5, reason: `Transient: GitHub did not answer (read ECONNRESET after ${TOKEN})` },
  { state: "done", outcome: `skipped: the title says ${TOKEN}` },
];

test.each(ENDS)("a job that ended $state left no secret behind in the store", async (end) => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  const queue = redactedQueue(sqliteQueue(db), secretRedactor());
  const job = reviewJob(1, "a");
  await queue.accept({ id: job.delivery, event: "pull_request", receivedAt: 1 }, job);
  const lease = await queue.lease(2);
  if (lease === null) throw new Error("there is a job");
  expect(await queue.end(lease, 3, end)).toBe(true);
  const rows = JSON.stringify(db.prepare("SELECT * FROM jobs").all());
  expect(rows).toContain("‹redacted:github-token›");
  expect(rows).not.toContain(TOKEN.slice(0, 12));
  db.close();
});
