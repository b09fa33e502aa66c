import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { connectPostgres } from "../../../src/adapters/postgres/database.ts";
import { cameOn, fenced } from "../../../src/adapters/postgres/hold.ts";
import { postgresInbox } from "../../../src/adapters/postgres/inbox.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { PARTS } from "../../../src/adapters/postgres/migrations.ts";
import { postgresQueue } from "../../../src/adapters/postgres/queue.ts";
import type { Postgres } from "../../../src/adapters/postgres/sql.ts";
import { BOSS_SCHEMA, openTickets, type Tickets } from "../../../src/adapters/postgres/tickets.ts";
import type { ReviewJob } from "../../../src/domain/job.ts";
import { LeaseLost } from "../../../src/domain/lease-lost.ts";
import type { Lease, Queue } from "../../../src/ports.ts";
import { testDatabase } from "../../postgres.ts";
import { reviewJob } from "../contracts/queue.ts";
import { EMPTY } from "./stage.ts";

const given = await testDatabase();
const url = given?.url ?? "";
let db: Postgres;
let tickets: Tickets;
if (given !== null) {
  db = connectPostgres(url, { connections: 12 });
  await migrate(db, PARTS);
  tickets = await openTickets(url, () => {});
}
afterAll(async () => {
  if (given === null) return;
  await tickets.close();
  await db.close();
  await given.drop();
});

const now = () => Date.now();
const accept = (queue: Queue, job: ReviewJob) =>
  queue.accept({ id: job.delivery, event: "pull_request", receivedAt: now() }, job);

async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 600; turn++) {
    if (await done()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it did not come to pass");
}

describe.skipIf(given === null)("the queue on PostgreSQL, on the clock of the database", () => {
  beforeEach(() => db.run(EMPTY));

  test("of many workers on several connections each job is taken by one, and of one pull request one at a time", async () => {
    const queues = [1, 2, 3, 4].map(() => postgresQueue(db, tickets));
    const inbox = postgresInbox(db, tickets);
    const jobs = Array.from({ length: 40 }, (_, at) => reviewJob(at + 1, "a", at % 7));
    const batch = jobs.map((job) => ({
      delivery: { id: job.delivery, event: "pull_request", receivedAt: now() },
      outcome: job,
      beside: [],
    }));
    await inbox.take(batch);
    const running = new Set<string>();
    const ran: string[] = [];
    const work = async (queue: Queue) => {
      for (;;) {
        const lease = await queue.lease(now());
        if (lease === null) return;
        const { key } = lease.job;
        expect(running.has(key)).toBe(false);
        running.add(key);
        // The first time somebody pushes while it runs.
        if (lease.job.headSha.startsWith("a") && lease.job.number % 4 === 0)
          await accept(queue, { ...reviewJob(lease.job.number, "b", lease.job.repo.id) });
        ran.push(`${key} ${lease.job.headSha.slice(0, 1)}`);
        running.delete(key);
        expect(await queue.end(lease, now(), { state: "done", outcome: "posted" })).toBe(true);
      }
    };
    await Promise.all(queues.flatMap((queue) => [work(queue), work(queue)]));
    // A worker that found nothing may have looked a moment too early.
    await work(queues[0] as Queue);
    expect(new Set(ran).size).toBe(ran.length);
    expect(ran).toHaveLength(50);
    expect(await queues[0]?.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
  });

  test("what a job writes is not kept once another process has the job", async () => {
    const [mine, theirs] = [postgresQueue(db, tickets), postgresQueue(db, tickets)];
    await accept(mine, reviewJob(1, "a"));
    const lost = (await theirs.lease(now())) as Lease;
    const write = (held: Lease) =>
      fenced(db, held, async (sql) => {
        await sql.run("INSERT INTO probes (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = $1", [
          held.token,
        ]);
        await cameOn(sql, held);
      });
    await write(lost);
    await db.run("DELETE FROM instances");
    expect(await mine.beat(1)).toBe(1);
    await expect(write(lost)).rejects.toThrow(LeaseLost);
    const held = (await mine.lease(now())) as Lease;
    expect(held).toMatchObject({ attempt: 1, token: 2 });
    await expect(write(lost)).rejects.toThrow(LeaseLost);
    await write(held);
    expect(await db.one("SELECT at FROM probes")).toEqual({ at: 2 });
  });

  test("a job is not taken from somebody who is just writing", async () => {
    const [mine, theirs] = [postgresQueue(db, tickets), postgresQueue(db, tickets)];
    await accept(mine, reviewJob(1, "a"));
    const held = (await theirs.lease(now())) as Lease;
    await db.run("DELETE FROM instances");
    await fenced(db, held, async () => expect(await mine.beat(1)).toBe(0));
    expect(await mine.beat(2)).toBe(1);
  });

  test("a job that was taken by a commit nobody heard of waits again", async () => {
    const held = new Set<number>();
    const queue = postgresQueue(db, tickets, { held, silentMs: 0 });
    await accept(queue, reviewJob(1, "a"));
    await queue.lease(now());
    expect(await queue.beat(1)).toBe(0);
    held.clear();
    expect(await queue.beat(2)).toBe(1);
    expect(await queue.lease(now())).toMatchObject({ attempt: 1, token: 2 });
  });

  test("a job without a ticket, and one whose ticket is lost, are delivered all the same", async () => {
    const queue = postgresQueue(db, tickets);
    await accept(queue, reviewJob(1, "a"));
    await accept(queue, reviewJob(2, "a"));
    // As after a move from another store, and after somebody emptied pg-boss.
    await db.run(`UPDATE jobs SET ticket = NULL WHERE key LIKE '%#1'`);
    await db.run(`DELETE FROM ${BOSS_SCHEMA}.job`);
    expect(await queue.lease(now())).toBeNull();
    await queue.beat(1);
    const numbers = [await queue.lease(now()), await queue.lease(now())].map((lease) => lease?.job.number);
    expect(numbers.toSorted()).toEqual([1, 2]);
  });

  test("a ticket for a job that may not run yet is put back until it may", async () => {
    const queue = postgresQueue(db, tickets);
    await accept(queue, reviewJob(1, "a"));
    await db.run("INSERT INTO installations (id, closed_until) VALUES (7, queue_now() + 60000)");
    await accept(queue, { ...reviewJob(2, "a", 43), installationId: 8 });
    expect(await queue.lease(now())).toMatchObject({ job: { number: 2 } });
    expect(await queue.lease(now())).toBeNull();
    const next = await queue.nextAt();
    expect(next).toBeGreaterThan(now() + 30_000);
    await db.run("UPDATE installations SET closed_until = 0");
    await db.run(`UPDATE ${BOSS_SCHEMA}.job SET start_after = now() WHERE state = 'created'`);
    expect(await queue.lease(now())).toMatchObject({ job: { number: 1 }, attempt: 1 });
  });

  test("who waits elsewhere is woken when a job may run, and when the next of a busy pull request may", async () => {
    const other = await openTickets(url, () => {});
    const woken: string[] = [];
    other.heard((lane) => void woken.push(lane));
    // Whoever begins to listen looks once: nobody knows what came before.
    await until(() => woken.length === 3);
    expect(woken.splice(0)).toEqual(["review", "command", "upkeep"]);
    const queue = postgresQueue(db, tickets);
    await accept(queue, reviewJob(1, "a"));
    await until(() => woken.length === 1);
    const held = (await queue.lease(now())) as Lease;
    await accept(queue, reviewJob(1, "b"));
    await queue.end(held, now(), { state: "done", outcome: "superseded" });
    await until(() => woken.length === 2);
    expect(woken).toEqual(["review", "review"]);
    await other.close();
  });

  test("an outcome may hold what Postgres does not take as text", async () => {
    const queue = postgresQueue(db, tickets);
    await accept(queue, { ...reviewJob(1, "a"), focus: "the \0 in it, and \ud800" });
    const held = (await queue.lease(now())) as Lease;
    expect(held.job.focus).toBe("the \0 in it, and \ud800");
    expect(await queue.end(held, now(), { state: "dead", reason: "SyntaxError: \0 \ud800" })).toBe(true);
  });
});
