// The queue among other processes: on both databases, by their real clocks.
import { AsyncLocalStorage } from "node:async_hooks";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { LeaseLost } from "../../../src/domain/errors.ts";
import type { ReviewJob } from "../../../src/domain/job.ts";
import type { Lease, Queue } from "../../../src/ports.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { openQueueFile } from "../../../src/store/queue/clock.ts";
import { storedInbox } from "../../../src/store/queue/deliveries.ts";
import { storedJobAdmin } from "../../../src/store/queue/job-admin.ts";
import { fenced, isHeld, progressed } from "../../../src/store/queue/lease-fence.ts";
import { storedQueue } from "../../../src/store/queue/queue.ts";
import { QUEUE_PART } from "../../../src/store/queue/schema.ts";
import type { Database, Sql } from "../../../src/store/sql.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";
import { testDatabase } from "../../postgres.ts";

const folder = mkdtempSync(join(tmpdir(), "kodiai-troubles-"));
const given = await testDatabase([]);
const url = given?.url ?? "";
const file = await openQueueFile(join(folder, "queue.db"));
const server = given === null ? null : openPostgres(url, { connections: 12 });
if (server !== null) await migrate(server, [QUEUE_PART], "the test database");
afterAll(async () => {
  await file.close();
  rmSync(folder, { recursive: true });
  await server?.close();
  await given?.drop();
});

/** Runs what it is given outside of the transaction in which it is called. */
const outside = AsyncLocalStorage.snapshot();

const accept = (queue: Queue, job: ReviewJob) =>
  queue.accept({ id: job.delivery, event: "pull_request", receivedAt: Date.now(), meaning: null }, job);

const onServer = server ?? file;
describe("on SQLite", () => onBoth(file));
describe.skipIf(server === null)("on PostgreSQL", () => {
  onBoth(onServer);

  test("a job is not taken from a process that is just writing", async () => {
    const [mine, theirs] = [storedQueue(onServer), storedQueue(onServer)];
    await accept(mine, reviewJob(1, "a"));
    const held = (await theirs.lease()) as Lease;
    await onServer.run("DELETE FROM instances");
    await fenced(onServer, held, async () => {
      // Another process's statements: they are no part of this transaction.
      expect(await outside(() => mine.heartbeat())).toBe(0);
    });
    expect(await mine.heartbeat()).toBe(1);
  });
});

function onBoth(db: Database): void {
  beforeEach(async () => {
    for (const table of ["jobs", "deliveries", "account_turns", "instances", "installations", "probes"])
      await db.run(`DELETE FROM ${table}`);
  });

  test("of many workers each job is taken by one, and of one pull request one at a time [R26]", async () => {
    const queues = [1, 2, 3, 4].map(() => storedQueue(db));
    const jobs = Array.from({ length: 40 }, (_, at) => reviewJob(at + 1, "a", at % 7));
    await storedInbox(db).take(
      jobs.map((job) => ({
        delivery: { id: job.delivery, event: "pull_request", receivedAt: Date.now(), meaning: null },
        outcome: job,
        beside: [],
      })),
    );
    const running = new Set<string>();
    const ran: string[] = [];
    const work = async (queue: Queue) => {
      for (;;) {
        const lease = await queue.lease();
        if (lease === null) return;
        const { key } = lease.job;
        expect(running.has(key)).toBe(false);
        running.add(key);
        // The first time there is a push while it runs.
        if (lease.job.headSha.startsWith("a") && lease.job.number % 4 === 0)
          await accept(queue, { ...reviewJob(lease.job.number, "b", lease.job.repo.id) });
        ran.push(`${key} ${lease.job.headSha.slice(0, 1)}`);
        running.delete(key);
        expect(await queue.end(lease, { state: "done", outcome: "posted" })).toBe(true);
      }
    };
    await Promise.all(queues.flatMap((queue) => [work(queue), work(queue)]));
    // A worker that found nothing may have looked a moment too early.
    await work(queues[0] as Queue);
    expect(new Set(ran).size).toBe(ran.length);
    expect(ran).toHaveLength(50);
    expect(await queues[0]?.counts()).toEqual({ waiting: 0, running: 0, parked: 0 });
  });

  test("what a job writes is not kept once another process has the job [R26]", async () => {
    const [mine, theirs] = [storedQueue(db), storedQueue(db)];
    await accept(mine, reviewJob(1, "a"));
    const lost = (await theirs.lease()) as Lease;
    const write = (held: Lease) =>
      fenced(db, held, async (tx) => {
        await tx.run("INSERT INTO probes (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at", [
          held.token,
        ]);
        await progressed(tx, held);
      });
    await write(lost);
    await db.run("DELETE FROM instances");
    expect(await mine.heartbeat()).toBe(1);
    expect(await isHeld(db, lost)).toBe(false);
    await expect(write(lost)).rejects.toThrow(LeaseLost);
    const held = (await mine.lease()) as Lease;
    expect(held).toMatchObject({ attempt: 1, token: 2 });
    await expect(write(lost)).rejects.toThrow(LeaseLost);
    await write(held);
    expect(await db.one("SELECT at FROM probes")).toEqual({ at: 2 });
  });

  test("progress that is written down clears a job of the deaths before it", async () => {
    const [mine, theirs] = [storedQueue(db), storedQueue(db)];
    await accept(mine, reviewJob(1, "a"));
    await theirs.lease();
    await db.run("DELETE FROM instances");
    await mine.heartbeat();
    const held = (await mine.lease()) as Lease;
    expect((await storedJobAdmin(db).find(held.id))?.deaths).toBe(1);
    await fenced(db, held, (tx) => progressed(tx, held));
    expect((await storedJobAdmin(db).find(held.id))?.deaths).toBe(0);
  });

  test("of the jobs of a process that was ended only the one that took too much time counts the attempt", async () => {
    const [mine, theirs] = [storedQueue(db), storedQueue(db, { instance: "worker" })];
    for (const number of [1, 2]) await accept(mine, reviewJob(number, "a"));
    const [costly, beside] = [(await theirs.lease()) as Lease, (await theirs.lease()) as Lease];
    await mine.vouch("worker");
    expect(await db.one("SELECT beats FROM instances WHERE id = 'worker'")).toEqual({ beats: 1 });
    expect(await mine.ended("worker", { kind: "overran", job: costly, reason: "too long" })).toBe(2);
    expect(await mine.heartbeat()).toBe(0);
    const state = "SELECT id, state, attempt, deaths, overruns, outcome FROM jobs ORDER BY id";
    expect(await db.all(state)).toEqual([
      { id: costly.id, state: "waiting", attempt: 1, deaths: 0, overruns: 1, outcome: "too long" },
      { id: beside.id, state: "waiting", attempt: 0, deaths: 0, overruns: 0, outcome: null },
    ]);
    expect(await theirs.end(costly, { state: "done", outcome: "late" })).toBe(false);
    // One that died blames each of its jobs; an overrun stays on record through a retry.
    await db.run("UPDATE jobs SET run_at = 0 WHERE state = 'waiting'");
    const again = (await theirs.lease()) as Lease;
    expect(again).toMatchObject({ id: costly.id, attempt: 2, overruns: 1 });
    expect(await mine.ended("worker", { kind: "died" })).toBe(1);
    await db.run("UPDATE jobs SET run_at = 0 WHERE state = 'waiting'");
    await mine.end((await mine.lease()) as Lease, { state: "retry", inMs: 0, reason: "GitHub is away" });
    expect(await db.one("SELECT overruns FROM jobs WHERE id = $1", [costly.id])).toEqual({ overruns: 1 });
    expect(await db.one("SELECT deaths FROM jobs WHERE id = $1", [beside.id])).toEqual({ deaths: 0 });
  });

  test("a job that was taken by a commit of which its process never learned waits again", async () => {
    const held = new Set<number>();
    const queue = storedQueue(db, { held, silentMs: 0 });
    await accept(queue, reviewJob(1, "a"));
    await queue.lease();
    expect(await queue.heartbeat()).toBe(0);
    held.clear();
    expect(await queue.heartbeat()).toBe(1);
    expect(await queue.lease()).toMatchObject({ attempt: 1, token: 2 });
  });

  test("jobs of an installation that GitHub asks to leave alone wait until then", async () => {
    const queue = storedQueue(db);
    await accept(queue, reviewJob(1, "a"));
    await db.run(`INSERT INTO installations (id, closed_until) VALUES (7, ${db.dialect.now} + 60000)`);
    await accept(queue, { ...reviewJob(2, "a", 43), installationId: 8 });
    expect(await queue.lease()).toMatchObject({ job: { number: 2 } });
    expect(await queue.lease()).toBeNull();
    await db.run("UPDATE installations SET closed_until = 0");
    expect(await queue.lease()).toMatchObject({ job: { number: 1 }, attempt: 1 });
  });

  test("an outcome may hold what no database takes as text", async () => {
    const queue = storedQueue(db);
    await accept(queue, { ...reviewJob(1, "a"), focus: "the \0 in it, and \ud800" });
    const held = (await queue.lease()) as Lease;
    expect(held.job.focus).toBe("the \0 in it, and \ud800");
    expect(await queue.end(held, { state: "parked", reason: "SyntaxError: \0 \ud800" })).toBe(true);
  });

  const OLD_STATISTICS = "statistics of a time without a queue";
  const statistics = ["no statistics", ...(db.dialect.name === "postgres" ? [OLD_STATISTICS] : [])];
  test.each(statistics)(
    "an index serves what waits, by %s: a long queue is neither read for a delivery nor sorted",
    async (known) => {
      // Else it takes statistics in the middle of the test, once a minute.
      if (db.dialect.name === "postgres") await db.script("ALTER TABLE jobs SET (autovacuum_enabled = false)");
      if (known === OLD_STATISTICS) {
        await db.run(
          `INSERT INTO jobs (key, lane, job, repo, account, state, run_at, created_at, finished_at)
         SELECT 'github.com/9#' || x, 'review', '{}', 'github.com/9', 'github.com/9', 'done', x, x, x FROM generate_series(1, 2000) AS x`,
        );
        await db.script("ANALYZE jobs");
      }
      const asked: (readonly [text: string, values: readonly unknown[]])[] = [];
      const queue = storedQueue(listened(db, (text, values) => void asked.push([text, values])));
      await accept(queue, reviewJob(1, "a"));
      // What statistics do not say yet. One delivery brings all: 5,000 take PostgreSQL a minute.
      const [outcome = reviewJob(2, "a"), ...beside] = Array.from({ length: 5_000 }, (_, at) =>
        reviewJob(at + 2, "a", at % 50),
      );
      const delivery = { id: outcome.delivery, event: "pull_request", receivedAt: Date.now(), meaning: null };
      await storedInbox(db).take([{ delivery, outcome, beside }]);
      asked.length = 0;
      await accept(queue, reviewJob(1, "b"));
      const placing = asked.filter(([text]) => text.includes("waitingRunAt"));
      expect(placing).toHaveLength(1);
      for (const [text, values] of placing)
        expect(await planOf(db, text, values)).toMatch(/\(key=\?\)|Index Cond: \(key =/);
      asked.length = 0;
      expect(await queue.lease()).not.toBeNull();
      const leasing = asked.filter(([text]) => text.includes("WITH RECURSIVE accounts"));
      expect(leasing).toHaveLength(2);
      for (const [text, values] of leasing) {
        const plan = await planOf(db, text, values);
        expect(plan).toContain("jobs_of_account");
        expect(plan).not.toMatch(/SCAN (?:jobs|own|later)\b|Seq Scan on jobs/);
        // Accounts.
        expect(sorts(plan)).toBeLessThanOrEqual(1);
      }
    },
  );
}

/** The same database; each statement is named before it runs. */
function listened(db: Database, asked: (text: string, values: readonly unknown[]) => void): Database {
  const over = <S extends Sql>(sql: S): S => ({
    ...sql,
    all: (text: string, values: readonly unknown[] = []) => {
      asked(text, values);
      return sql.all(text, values);
    },
    one: (text: string, values: readonly unknown[] = []) => {
      asked(text, values);
      return sql.one(text, values);
    },
  });
  return { ...over(db), transaction: (work) => db.transaction((tx) => work(over(tx))) };
}

/** How often a plan sorts what waits. What runs is grouped by repository, and is little. */
function sorts(plan: string): number {
  const sorted = plan.match(/TEMP B-TREE FOR (?:LAST TERM OF )?ORDER|Sort Key: (?!held\.)/g);
  return sorted?.length ?? 0;
}

async function planOf(db: Database, text: string, values: readonly unknown[]): Promise<string> {
  const explain = db.dialect.name === "sqlite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
  const rows = await db.all<Record<string, unknown>>(`${explain} ${text}`, values);
  return rows.map((row) => Object.values(row).join(" ")).join("\n");
}
