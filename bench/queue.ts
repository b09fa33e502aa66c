// npm run bench -- queue [--store URL] [--jobs N] [--json FILE]: how much faster four worker
// processes on one PostgreSQL finish a fixed backlog than one, when a model of two seconds is the
// bottleneck; and how long 20 small repositories wait while another floods the queue.
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stopServer } from "../scripts/postgres-server.ts";
import { jobKey, type ReviewJob, UNSHAPED } from "../src/domain/job.ts";
import type { Arrival } from "../src/ports/inbox.ts";
import { openStore } from "../src/wire/store.ts";
import { machineNow } from "./machine.ts";
import { inDatabase, ownServer } from "./own-database.ts";

const MODEL_MS = 2_000;
const PARALLEL = 4;
const PROCESSES = 4;
const GOAL = { speedUp: 3, slowDown: 2 };
const SMALL = { repositories: 20, jobsEach: 5, apartMs: 400 };
const FLOOD = 5_000;
const BATCH = 64;

type Opened = Awaited<ReturnType<typeof openStore>>;

export async function queueBench(words: readonly string[]): Promise<void> {
  const option = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined);
  const backlog = Number(option("--jobs") ?? 128);
  const before = machineNow().load;
  const server = option("--store") === undefined ? await ownServer() : null;
  const admin = option("--store") ?? server?.url ?? "";
  try {
    const one = await inDatabase(admin, (url) => finishes(url, 1, backlog));
    const four = await inDatabase(admin, (url) => finishes(url, PROCESSES, backlog));
    const quiet = await inDatabase(admin, (url) => waits(url, 0));
    const flooded = await inDatabase(admin, (url) => waits(url, FLOOD));
    const cost = await inDatabase(admin, overheads);
    const report = {
      bench: "queue",
      machine: { ...machineNow(), before },
      settings: { modelMs: MODEL_MS, parallel: PARALLEL, backlog, flood: FLOOD, small: SMALL },
      backlog: { one, four, speedUp: one.seconds / four.seconds },
      fairness: { quiet, flooded, slowDown: flooded.p95Ms / quiet.p95Ms },
      cost,
      goal: GOAL,
    };
    console.log(JSON.stringify(report));
    tell(report);
    const file = option("--json");
    if (file !== undefined) writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    if (server !== null) await stopServer(server);
  }
}

interface Finished {
  readonly seconds: number;
  /** What the model alone takes. */
  readonly floorSeconds: number;
}

/** From the start of the workers, which are up and idle, to the last end. */
async function finishes(url: string, processes: number, backlog: number): Promise<Finished> {
  const opened = await openStore(url);
  await take(
    opened,
    Array.from({ length: backlog }, (_, number) => arrival(number % 20, number)),
  );
  const workers = await startWorkers(url, processes);
  const started = performance.now();
  let left = backlog;
  await new Promise<void>((resolve) => {
    for (const { lines } of workers)
      lines.on("line", () => {
        left -= 1;
        if (left === 0) resolve();
      });
    for (const { child } of workers) child.stdin?.write("start\n");
  });
  const seconds = (performance.now() - started) / 1_000;
  await end(workers);
  await opened.close();
  return { seconds, floorSeconds: (Math.ceil(backlog / (processes * PARALLEL)) * MODEL_MS) / 1_000 };
}

interface Waited {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly jobs: number;
}

/** From the acceptance of a small repository's delivery to the end of its job. */
async function waits(url: string, flood: number): Promise<Waited> {
  const opened = await openStore(url);
  await take(
    opened,
    Array.from({ length: flood }, (_, number) => arrival(1_000, number)),
  );
  const workers = await startWorkers(url, PROCESSES);
  const ended = new Map<string, number>();
  for (const { lines, child } of workers) {
    lines.on("line", (line: string) => {
      const [key = "", at = "0"] = line.split(" ");
      ended.set(key, Number(at));
    });
    child.stdin?.write("start\n");
  }
  // All slots are taken by then.
  await wait(MODEL_MS + 1_000);
  const accepted = new Map<string, number>();
  for (let turn = 0; turn < SMALL.jobsEach; turn++)
    for (let repository = 0; repository < SMALL.repositories; repository++) {
      const one = arrival(repository, turn);
      accepted.set((one.outcome as ReviewJob).key, Date.now());
      await take(opened, [one]);
      await wait(SMALL.apartMs);
    }
  while ([...accepted.keys()].some((key) => !ended.has(key))) await wait(100);
  await end(workers);
  await opened.close();
  const times = [...accepted].map(([key, at]) => (ended.get(key) ?? 0) - at).toSorted((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { p50Ms: at(0.5), p95Ms: at(0.95), jobs: times.length };
}

/** What the queue itself costs, with no model: jobs a second. */
async function overheads(url: string) {
  const opened = await openStore(url);
  const count = 512;
  const all = Array.from({ length: count }, (_, number) => arrival(number % 20, number));
  let began = performance.now();
  await take(opened, all);
  const acceptedPerSecond = (count / (performance.now() - began)) * 1_000;
  began = performance.now();
  let ended = 0;
  const work = async () => {
    for (;;) {
      const lease = await opened.queue.lease();
      if (lease === null) return;
      await opened.queue.end(lease, { state: "done", outcome: "posted" });
      ended += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  const endedPerSecond = (ended / (performance.now() - began)) * 1_000;
  await opened.close();
  return { acceptedPerSecond, endedPerSecond };
}

async function take({ inbox }: Opened, arrivals: readonly Arrival[]): Promise<void> {
  for (let from = 0; from < arrivals.length; from += BATCH) await inbox.take(arrivals.slice(from, from + BATCH));
}

function arrival(repository: number, number: number): Arrival {
  const repo = { host: "github.com", id: repository + 1, ownerId: 1, owner: "acme", name: `r${repository}` } as const;
  const delivery = `${repository}-${number}`;
  const outcome: ReviewJob = {
    ...UNSHAPED,
    kind: "review",
    key: jobKey(repo, number + 1),
    delivery,
    installationId: 1,
    repo: { ...repo, visibility: "private" },
    number: number + 1,
    headSha: "a".repeat(40),
    trigger: "opened",
    explicit: false,
  };
  return {
    delivery: { id: delivery, event: "pull_request", receivedAt: Date.now(), meaning: null },
    outcome,
    beside: [],
  };
}

interface WorkerProcess {
  readonly child: ChildProcess;
  readonly lines: ReturnType<typeof createInterface>;
}

async function startWorkers(url: string, count: number): Promise<readonly WorkerProcess[]> {
  const path = fileURLToPath(new URL("queue-worker.ts", import.meta.url));
  return Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, [path, url, String(PARALLEL), String(MODEL_MS)], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      if (child.stdout === null) throw new Error("the process has no output");
      const lines = createInterface({ input: child.stdout });
      await new Promise((resolve) => lines.once("line", resolve));
      return { child, lines };
    }),
  );
}

async function end(workers: readonly WorkerProcess[]): Promise<void> {
  await Promise.all(
    workers.map(({ child }) => {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      return gone;
    }),
  );
}

function tell({ machine, backlog, fairness, cost }: Report): void {
  const { cpu, cores, node, load, before } = machine;
  console.log(`\n${cpu}, ${cores} cores, load ${before} before and ${load} after, Node ${node}`);
  console.log(
    `backlog: one process ${backlog.one.seconds.toFixed(1)} s (the model alone ${backlog.one.floorSeconds}),`,
  );
  console.log(
    `  four ${backlog.four.seconds.toFixed(1)} s (${backlog.four.floorSeconds}): ${backlog.speedUp.toFixed(2)} times as fast`,
  );
  console.log(
    `small repositories: p95 ${fairness.quiet.p95Ms} ms quiet, ${fairness.flooded.p95Ms} ms flooded: ${fairness.slowDown.toFixed(2)} times`,
  );
  console.log(
    `the queue alone: ${cost.acceptedPerSecond.toFixed(0)} accepted a second in batches of ${BATCH}, ${cost.endedPerSecond.toFixed(0)} taken and ended by 8 at a time`,
  );
}

interface Report {
  readonly machine: ReturnType<typeof machineNow> & { readonly before: number };
  readonly backlog: { readonly one: Finished; readonly four: Finished; readonly speedUp: number };
  readonly fairness: { readonly quiet: Waited; readonly flooded: Waited; readonly slowDown: number };
  readonly cost: { readonly acceptedPerSecond: number; readonly endedPerSecond: number };
}
