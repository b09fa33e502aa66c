import { afterAll, describe } from "vitest";
import type { Review } from "../../../src/domain/review.ts";
import { storedInbox } from "../../../src/store/queue/deliveries.ts";
import { storedJobAdmin } from "../../../src/store/queue/job-admin.ts";
import { storedMissedEvents } from "../../../src/store/queue/missed-events.ts";
import type { Database } from "../../../src/store/sql.ts";
import type { Records } from "../../../src/wire/store.ts";
import { inboxContract } from "../../adapters/contracts/inbox.ts";
import { jobAdminContract } from "../../adapters/contracts/job-admin.ts";
import { missedEventsContract } from "../../adapters/contracts/missed-events.ts";
import { queueContract } from "../../adapters/contracts/queue.ts";
import { postgresHarness, type StoreHarness, sqliteHarness } from "../store-harness.ts";

const NIGHTLY = process.env.NIGHTLY === "1";

contracts("SQLite", await sqliteHarness(), 50);
const onPostgres = await postgresHarness();
describe.skipIf(onPostgres === null)("on PostgreSQL", () => {
  if (onPostgres !== null) contracts("PostgreSQL", onPostgres, NIGHTLY ? 50 : 5);
});

function contracts(name: string, harness: StoreHarness, numRuns: number): void {
  afterAll(() => harness.close());
  const { db } = harness;
  const fresh = async () => {
    await harness.empty();
    return harness.queue();
  };
  queueContract(
    `the queue on ${name}`,
    fresh,
    async (isFresh = true) => [isFresh ? await fresh() : harness.queue(), harness.queue()],
    numRuns,
  );
  jobAdminContract(`job administration on ${name}`, async () => ({ queue: await fresh(), admin: storedJobAdmin(db) }));
  inboxContract(`the inbox on ${name}`, async () => ({
    queue: await fresh(),
    inboxes: [storedInbox(db), storedInbox(db)],
    rows: async () => {
      const rows = await db.all<Record<string, unknown>>("SELECT id, outcome, reason FROM deliveries ORDER BY id");
      return rows.map((row) => Object.values(row));
    },
  }));
  missedEventsContract(`the store of missed events on ${name}`, async () => ({
    queue: await fresh(),
    stores: { missed: storedMissedEvents(db), ledger: reviewRows(db) },
  }));
}

/** As much of a ledger as the contract needs: rows of reviews. */
function reviewRows(db: Database): Records["ledger"] {
  const rows = {
    save: async ({ key }: { readonly key: string }, { headSha, baseSha, baseRef }: Review, now: number) =>
      void (await db.run(
        "INSERT INTO reviews (key, head_sha, base_sha, base_ref, review, written_at) VALUES ($1, $2, $3, $4, '{}', $5)",
        [key, headSha, baseSha, baseRef, now],
      )),
    settle: async ({ key }: { readonly key: string }, { headSha }: Review, now: number, outcome: string) =>
      void (await db.run("UPDATE reviews SET settled_at = $3, outcome = $4 WHERE key = $1 AND head_sha = $2", [
        key,
        headSha,
        now,
        outcome,
      ])),
  };
  return rows as unknown as Records["ledger"];
}
