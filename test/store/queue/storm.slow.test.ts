// Several processes on one queue while they are killed and frozen and their database is kept from
// them.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { readFaults } from "../../../chaos/faults.ts";
import { openHistory } from "../../../chaos/history.ts";
import { openPostgresDatabase } from "../../../chaos/postgres-database.ts";
import { seededRandom } from "../../../chaos/seeded-random.ts";
import { Transient } from "../../../src/domain/errors.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { QUEUE_PART } from "../../../src/store/queue/schema.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";
import { serverUrl } from "../../postgres.ts";
import { openStormQueue } from "./storm-queue.ts";

const NIGHTLY = process.env.NIGHTLY === "1";
const store = serverUrl();
const SIZE = NIGHTLY ? { processes: 4, jobs: 600, forMs: 90_000 } : { processes: 2, jobs: 40, forMs: 4_000 };
const WORKER = fileURLToPath(new URL("storm-worker.ts", import.meta.url));

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

function start(url: string): ChildProcess {
  const child = spawn(process.execPath, [WORKER, url], { stdio: ["ignore", "ignore", "inherit"] });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** Kills, freezes and starts again, one process after the other. */
async function disturb(url: string, own: ReturnType<typeof seededRandom>, forMs: number): Promise<void> {
  const end = Date.now() + forMs;
  const slots = Array.from({ length: SIZE.processes }, () => start(url));
  while (Date.now() < end) {
    await wait(own.between(500, 2_500));
    const at = own.below(slots.length);
    const child = slots[at] as ChildProcess;
    if (own.chance(0.5)) {
      child.kill("SIGKILL");
      slots[at] = start(url);
    } else {
      child.kill("SIGSTOP");
      await wait(own.chance(NIGHTLY ? 0.4 : 0) ? own.between(8_000, 12_000) : own.between(200, 1_500));
      child.kill("SIGCONT");
    }
  }
}

async function againWhileItPasses<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Transient)) throw error;
      await wait(200);
    }
  }
}

test.skipIf(store === null)(
  "for any treatment of processes and database, each job ends once, and only its holder writes for it [R26]",
  async () => {
    const seed = process.env.CHAOS_SEED ?? "7";
    const own = seededRandom(`storm/${seed}`);
    const activeFaults = { faults: readFaults("backends,cut,swallow,full,slow"), isCalm: true };
    const history = openHistory(null);
    const harness = await openPostgresDatabase({
      store: store ?? "",
      random: own.fork("db"),
      activeFaults,
      history,
      say: () => {},
    });
    const admin = openPostgres(harness.direct);
    await migrate(admin, [QUEUE_PART], "the test database");
    await admin.run("CREATE TABLE effects (id bigserial, key text, head text, job bigint, token int)");
    const queue = openStormQueue(harness.direct);
    activeFaults.isCalm = false;
    const striking = disturb(harness.url, own.fork("processes"), SIZE.forMs);
    const last = new Map<string, string>();
    for (let number = 0; number < SIZE.jobs; number++) {
      const job = reviewJob(1 + own.below(12), own.pick(["a", "b", "c", "d"]), 1 + own.below(6));
      const delivery = { id: `storm-${number}`, event: "pull_request", receivedAt: Date.now(), meaning: null };
      await againWhileItPasses(() => queue.inbox.take([{ delivery, outcome: job, beside: [] }]));
      last.set(job.key, job.headSha);
      await wait(SIZE.forMs / SIZE.jobs / 2);
    }
    await striking;
    activeFaults.isCalm = true;
    const open = () => admin.one<{ n: number }>("SELECT count(*) AS n FROM jobs WHERE state IN ('waiting', 'running')");
    const calm = Date.now();
    while (((await againWhileItPasses(open))?.n ?? 1) > 0 && Date.now() - calm < 240_000) await wait(200);

    expect(await admin.all("SELECT key, state, outcome FROM jobs WHERE state NOT IN ('done', 'superseded')")).toEqual(
      [],
    );
    const effects = await admin.all<{ key: string; head: string; job: number; token: number }>(
      "SELECT key, head, job, token FROM effects ORDER BY id",
    );
    // Whoever writes holds the job: tokens never go back, and no job is written for after a later
    // one of its key.
    const seen = new Map<string, { job: number; token: number }>();
    for (const { key, job, token } of effects) {
      const before = seen.get(key);
      if (before?.job === job) expect(token).toBeGreaterThan(before.token);
      if (before !== undefined) expect(job).toBeGreaterThanOrEqual(before.job);
      seen.set(key, { job, token });
    }
    // What came last was done last.
    expect(new Map(effects.map(({ key, head }) => [key, head]))).toEqual(last);
    console.log(
      `storm ${seed}: ${effects.length} effects of ${SIZE.jobs} deliveries, ${history.all.length} troubles of the database, quiet ${Date.now() - calm} ms after the last`,
    );
    await queue.close();
    await admin.close();
    for (const child of children) child.kill("SIGKILL");
    await harness.close();
  },
);
