// Jobs run in a worker process: the server answers whatever they cost, and the worker ends and is
// replaced without a loss.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { longestTurn } from "../growth/longest-turn.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, said, summaryOf } from "./change-builders.ts";
import { type Deployment, deployment, type ServerProcess } from "./server-process.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

let opened: Harness | Deployment | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

/** Its review takes seconds of the processor, in each of its stages. */
const LARGE = Object.fromEntries(
  Array.from({ length: 250 }, (_, at) => [`src/file${at}.ts`, `export const value${at} = read(${at});\n`.repeat(300)]),
);
const GATE = "review: {checks: {enabled: true, failOn: major}}\n";

test("a change that takes too much of the processor is ended twice, and then refused on its pull request; the server answers meanwhile, and a job beside it loses nothing", async () => {
  const waits = { settledMs: 0, drainMs: 1_000, processorMs: 3_000 };
  const harness = await openHarness({ app: { inProcess: false, inspector: undefined, waits } });
  opened = harness;
  const { world } = harness;
  const repository = await world.repository("acme", "shop", {
    files: { "README.md": "# Shop\n", ".kodiai.yml": GATE },
  });
  const quick = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(quick);

  const path = new RegExp(`/pulls/${quick.number + 1}/files$`);
  world.fail({ match: { path }, delay: 20_000, onlyHeaders: true, headers: {} });
  const beside = await world.pullRequest(repository, { title: "Another", files: { "ops/other.py": BACKUP } });
  await until("it is being read", () => world.requests.some((one) => path.test(one.path)));
  const large = await world.pullRequest(repository, { title: "Large", files: LARGE });
  let isOver = false;
  let answered = 0;
  const asking = (async () => {
    while (!isOver) {
      expect((await fetch(`${harness.adminUrl()}/healthz`)).status).toBe(200);
      answered += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const ended = await harness.settled(large);
  isOver = true;
  await asking;

  expect(ended).toMatchObject({ state: "parked", outcome: expect.stringContaining("too expensive to read") });
  expect(answered).toBeGreaterThan(50);
  expect(summaryOf(world, large).body).toMatch(/^Not reviewed: this change is too expensive to read\./);
  expect(said(world, large)).toEqual([]);
  expect((await world.checks(large)).map(({ conclusion }) => conclusion)).not.toContain("success");
  expect(harness.log.filter((line) => line.includes("it took more than 3 s of processor time"))).toHaveLength(2);

  expect(await harness.settled(beside)).toMatchObject({ state: "done", attempt: 1 });
  expect(world.comments(beside).reviews).toHaveLength(1);
  expect(harness.rows("SELECT deaths, overruns FROM jobs WHERE state = 'done' AND lane = 'review'")).toEqual([
    { deaths: 0, overruns: 0 },
    { deaths: 0, overruns: 0 },
  ]);
  // What the workers counted, also those that are gone. A worker records the end of a job before it
  // tells the server.
  const metrics = async () => (await fetch(`${harness.adminUrl()}/metrics`)).text();
  for (const line of [
    'kodiai_worker_replacements_total{cause="overran"} 2',
    'kodiai_reviews_total{outcome="posted"} 2',
    'kodiai_job_ends_total{lane="review",state="parked"} 1',
  ])
    await expect.poll(metrics).toContain(`${line}\n`);
  expect(world.violations).toEqual([]);
});

test.each([
  ["a worker process", { inProcess: false, inspector: undefined }],
  ["the server's own", {}],
])(
  "14 KB of equal registrations, which once blocked the server for 15 s, block nothing in %s [T22]",
  async (_, app) => {
    const harness = await openHarness({ app });
    opened = harness;
    const { world } = harness;
    world.person("mallory", { permission: "read" });
    const repository = await world.repository("acme", "shop", { files: { "a.md": "x\n", ".kodiai.yml": GATE } });
    const files = { "src/a.ts": 'app.get("/a", x);\n'.repeat(800) };
    const { loops } = await longestTurn(async () => {
      const pull = await world.pullRequest(repository, { title: "feat", author: "mallory", fork: "mallory", files });
      expect(await harness.settled(pull)).toMatchObject({ state: "done" });
    });
    expect(loops).toBeLessThan(15);
  },
);

/** Processes below it, with the names of their programs. */
function below({ child }: ServerProcess): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const parents = new Set([child.pid]);
  // A child may have a lower id than its parent: ids begin again at the highest.
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const pid of readdirSync("/proc").map(Number)) {
      if (!(pid > 0) || parents.has(pid) || !parents.has(parentOf(pid))) continue;
      parents.add(pid);
      isNew = true;
      const program = programOf(pid);
      if (program !== undefined) found.set(pid, program);
    }
  }
  return found;
}

/** 0 when the process has ended. */
function parentOf(pid: number): number {
  const stat = procFile(pid, "stat");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

function programOf(pid: number): string | undefined {
  return /([\w-]+)\.ts\0/.exec(procFile(pid, "cmdline"))?.[1];
}

/** Empty when the process has ended. */
function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

function isAlive(pid: number): boolean {
  // A zombie has ended: only nobody asked for its code.
  return /\) [^ZX] /.test(procFile(pid, "stat"));
}

const onLinux = test.runIf(process.platform === "linux");

onLinux(
  "a worker that is killed is replaced, one whose server is killed ends, and no review is lost or posted twice",
  async () => {
    const deployed = await deployment();
    opened = deployed;
    const { world } = deployed;
    const posts = () => world.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/reviews"));
    const isPosting = (count: number) => until("a review is being posted", () => posts().length === count);
    const slowly = () =>
      world.fail({ match: { method: "POST", path: /\/reviews$/ }, delay: 1_500, onlyHeaders: true, headers: {} });
    const files = { "ops/backup.py": BACKUP };
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const server = await deployed.start();
    const workerOf = async (one: ServerProcess) => {
      // It has reported: then it heeds signals, too.
      const hasReported = async () =>
        /^kodiai_worker_resident_memory_bytes \d/m.test(await (await fetch(`${one.adminUrl}/metrics`)).text());
      while (!(await hasReported())) await sleep(50);
      return [...below(one)].find(([, program]) => program === "job-process")?.[0] ?? 0;
    };

    // A signal of a terminal or an init system to every process is the server's to heed.
    const first = await workerOf(server);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(first, signal);
    world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 502, afterApplying: true, delay: 500 });
    const one = await world.pullRequest(repository, { title: "Back up", files });
    await isPosting(1);
    expect(isAlive(first)).toBe(true);
    process.kill(first, "SIGKILL");
    await until("the review is found again", () => server.log().includes('"state":"done"'));
    expect(server.log()).toContain("the worker process died; it is started again");
    expect(world.comments(one).reviews).toHaveLength(1);
    expect((await server.ready()).status).toBe(200);

    // The server is killed: nothing of it goes on.
    slowly();
    const two = await world.pullRequest(repository, { title: "Again", files: { "ops/other.py": BACKUP } });
    await isPosting(2);
    const all = [...below(server).keys()];
    expect(all.length).toBeGreaterThanOrEqual(2);
    server.child.kill("SIGKILL");
    await until("all its processes end", () => !all.some(isAlive));

    // SIGTERM: the review that runs is finished, and no process stays.
    const next = await deployed.start();
    await until("the review that was interrupted is done", () => next.log().includes('"state":"done"'));
    expect(world.comments(two).reviews).toHaveLength(1);
    slowly();
    const sent = posts().length;
    const three = await world.pullRequest(repository, { title: "Last", files: { "ops/last.py": BACKUP } });
    await isPosting(sent + 1);
    const last = [...below(next).keys()];
    next.child.kill("SIGTERM");
    expect(await next.ended()).toBe(0);
    expect(last.some(isAlive)).toBe(false);
    expect(world.comments(three).reviews).toHaveLength(1);
    expect(next.log().match(/"state":"done"/g)).toHaveLength(2);
    expect(world.violations).toEqual([]);
  },
  120_000,
);

test("a job that waits longer than it may by the clock is ended twice and then refused; a job beside it loses nothing", async () => {
  const waits = { settledMs: 0, drainMs: 1_000, wallMs: 8_000 };
  const harness = await openHarness({ app: { inProcess: false, inspector: undefined, waits } });
  opened = harness;
  const { world } = harness;
  const repository = await world.repository("acme", "shop", { files: { "a.md": "x\n", ".kodiai.yml": GATE } });
  // GitHub sends its answer, and takes a minute for it.
  world.fail({ match: { path: /\/pulls\/1\/files$/ }, delay: 60_000, onlyHeaders: true, headers: {}, times: 5 });
  const files = { "ops/backup.py": BACKUP };
  const slow = await world.pullRequest(repository, { title: "Slow", files });
  const ends = harness.settled(slow);
  await until("its second try runs", () => harness.rows("SELECT id FROM jobs WHERE overruns = 1").length === 1);
  const beside = await world.pullRequest(repository, { title: "Beside", files });
  expect(await ends).toMatchObject({ state: "parked", outcome: expect.stringContaining("too expensive to read") });
  const told = harness.log.filter((line) => line.includes("it was not done after 8 s"));
  expect(told).toHaveLength(2);
  expect(harness.rows("SELECT overruns FROM jobs WHERE state = 'parked'")).toEqual([{ overruns: 2 }]);
  expect(summaryOf(world, slow).body).toMatch(/^Not reviewed: this change is too expensive to read\./);
  // It was not read far enough to begin one: a required check keeps waiting.
  expect(await world.checks(slow)).toEqual([]);
  expect(await harness.settled(beside)).toMatchObject({ state: "done" });
  expect(world.comments(beside).reviews).toHaveLength(1);
  expect(harness.rows("SELECT deaths, overruns FROM jobs WHERE state = 'done' AND lane = 'review'")).toEqual([
    { deaths: 0, overruns: 0 },
  ]);
  expect(world.violations).toEqual([]);
});

onLinux.each([
  ["its review", "POST", /\/reviews$/],
  ["its summary", "POST", /\/issues\/\d+\/comments$/],
  ["the end of its check run", "PATCH", /\/check-runs\/\d+$/],
])(
  "a worker that is killed while it posts %s leaves each of them once",
  async (_, method, path) => {
    const deployed = await deployment();
    opened = deployed;
    const { world } = deployed;
    const server = await deployed.start();
    await until("its worker runs", () => [...below(server).values()].includes("job-process"));
    const [worker = 0] = [...below(server)].find(([, program]) => program === "job-process") ?? [];
    const repository = await world.repository("acme", "shop", { files: { "a.md": "x\n", ".kodiai.yml": GATE } });
    world.fail({ match: { method, path }, delay: 1_500, onlyHeaders: true, headers: {} });
    const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    const isSent = () => world.requests.some((one) => one.method === method && path.test(one.path));
    await until("it is being posted", isSent);
    process.kill(worker, "SIGKILL");
    await until("the review is done", () => server.log().includes('"state":"done"'));
    const { reviews, inline, summary } = world.comments(pull);
    expect([reviews.length, inline.length, summary.length]).toEqual([1, 1, 1]);
    expect((await world.checks(pull)).map(({ conclusion }) => conclusion)).toEqual(["failure"]);
    expect(server.log()).toContain("the worker process died; it is started again");
    expect(world.violations).toEqual([]);
  },
  120_000,
);

onLinux(
  "SIGTERM ends a server whose worker heeds nothing, and leaves no process",
  async () => {
    const deployed = await deployment();
    opened = deployed;
    const server = await deployed.start();
    const repository = await deployed.world.repository("acme", "shop", { files: { "a.md": "x\n" } });
    await deployed.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    await until("its worker has reviewed", () => server.log().includes('"state":"done"'));
    const all = [...below(server)];
    const [worker = 0] = all.find(([, program]) => program === "job-process") ?? [];
    process.kill(worker, "SIGSTOP");
    server.child.kill("SIGTERM");
    expect(await server.ended()).toBe(0);
    await until("all its processes end", () => !all.some(([pid]) => isAlive(pid)));
  },
  120_000,
);

onLinux("SIGTERM to the npm that started it ends the server, its worker and the launcher", async () => {
  const deployed = await deployment();
  opened = deployed;
  // npm changes into the folder; what follows `--` the server does not read.
  const npm = ["npm", "--prefix", ROOT, "--offline", "--no-update-notifier", "start", "--"];
  const server = await deployed.start({}, npm);
  const all = [...below(server).keys()];
  // The launcher, the server and its worker at least.
  expect(all.length).toBeGreaterThanOrEqual(3);
  server.child.kill("SIGTERM");
  await until("all its processes end", () => !all.some(isAlive));
  expect(server.log()).toContain("stopping");
});

onLinux("a server whose worker cannot be started takes deliveries, says so, and ends in time", async () => {
  const deployed = await deployment();
  opened = deployed;
  const bug = `if (process.argv[1]?.includes("job-process")) throw new Error("no worker today");`;
  const server = await deployed.start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}` });
  const problem = "the process that runs jobs cannot be started: see the log";
  let reasons: readonly string[] = [];
  const looking = setInterval(async () => ({ reasons } = await server.ready()), 50);
  await until("it says so", () => reasons.includes(problem)).finally(() => clearInterval(looking));
  expect(await server.deliver("ping", {})).toBe(202);
  server.child.kill("SIGTERM");
  expect(await server.ended()).toBe(0);
});

onLinux("with --in-process the server runs the jobs itself and starts no worker", async () => {
  const deployed = await deployment();
  opened = deployed;
  const { world } = deployed;
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const server = await deployed.start({}, [], ["--in-process"]);
  const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await until("the review is done", () => server.log().includes('"state":"done"'));
  expect(world.comments(pull).reviews).toHaveLength(1);
  expect([...below(server).keys()]).not.toContain("job-process");
  server.child.kill("SIGTERM");
  expect(await server.ended()).toBe(0);
  expect(world.violations).toEqual([]);
});
