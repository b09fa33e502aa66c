import { afterAll, describe } from "vitest";
import { testDatabase } from "../../postgres.ts";
import { inboxContract } from "../contracts/inbox.ts";
import { jobShelfContract } from "../contracts/job-shelf.ts";
import { queueContract } from "../contracts/queue.ts";
import { postgresStage } from "./stage.ts";

const SLOW = process.env.SLOW === "1";
const given = await testDatabase();
const stage = given === null ? null : await postgresStage(given.url);
afterAll(async () => {
  await stage?.close();
  await given?.drop();
});

/** An empty store. */
async function fresh() {
  if (stage === null) throw new Error("there is no database");
  await stage.empty();
  return stage;
}

describe.skipIf(stage === null)("on PostgreSQL", () => {
  queueContract(
    "the queue",
    async () => (await fresh()).queue(),
    async (isFresh = true) => {
      const on = isFresh || stage === null ? await fresh() : stage;
      return [on.queue(), on.queue()];
    },
    SLOW ? 50 : 5,
  );
  jobShelfContract("the job shelf", async () => {
    const on = await fresh();
    return { queue: on.queue(), shelf: on.shelf() };
  });
  inboxContract("the inbox", async () => {
    const on = await fresh();
    return {
      inboxes: [on.inbox(), on.inbox()],
      queue: on.queue(),
      rows: async () =>
        (await on.db.all<Record<string, unknown>>("SELECT id, outcome, reason FROM deliveries ORDER BY id")).map(
          (row) => Object.values(row),
        ),
    };
  });
});
