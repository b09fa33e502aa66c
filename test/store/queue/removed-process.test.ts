// A process takes a job while another holds it for dead: each wants rows that the other has, and neither may wait for ever.
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { openPostgres } from "../../../src/store/postgres.ts";
import { storedQueue } from "../../../src/store/queue/queue.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";
import { testDatabase } from "../../postgres.ts";

const given = await testDatabase();
const db = given === null ? null : openPostgres(given.url, { connections: 6 });
const client = given === null ? null : new pg.Client(given.url);
afterAll(async () => {
  await client?.end();
  await db?.close();
  await given?.drop();
});

test.skipIf(given === null)("a process that is removed while it takes a job takes it, and both go on", async () => {
  if (db === null || client === null) return;
  await client.connect();
  const taking = storedQueue(db);
  const other = storedQueue(db, { silentMs: 0 });
  const job = reviewJob(1, "a");
  await taking.add(job, 1);
  // Over it a process died alone: whoever removes one that died without it writes to its row.
  await client.query("UPDATE jobs SET alone = 1, deaths = 1");
  await taking.heartbeat();
  // The taking stops when it holds the job's row, before it writes its own name.
  await client.query(`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$;
    CREATE TRIGGER hold BEFORE INSERT ON instances FOR EACH ROW WHEN (NEW.beats = 0) EXECUTE FUNCTION hold();
    SELECT pg_advisory_lock(1)`);
  const waiting = async (count: number) => {
    const asked =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while ((await client.query(asked)).rows[0].n < count) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const taken = taking.lease();
  await waiting(1);
  const removed = other.heartbeat();
  await waiting(2);
  await client.query("SELECT pg_advisory_unlock(1)");
  expect(await Promise.allSettled([taken, removed])).toMatchObject([
    { status: "fulfilled", value: { job: { number: 1 } } },
    { status: "fulfilled" },
  ]);
});
