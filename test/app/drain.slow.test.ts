// SIGTERM at random moments under load: while it starts, once or twice, the process ends with 0 in
// time, loses nothing that it accepted, says nothing twice and leaves its files whole. NIGHTLY=1
// tries 200 moments, else two.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { until } from "./app-harness.ts";
import { BACKUP, summaryOf } from "./change-builders.ts";
import { type Deployment, deployment, opened, type ServerProcess } from "./server-process.ts";

const NIGHTLY = process.env.NIGHTLY === "1";
const SEED = 20_261_122;

let deployed: Deployment;
beforeEach(async () => {
  deployed = await deployment();
});
afterEach(() => deployed.close());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A whole and checked file without a log beside it; null when the process never came to making one.
 */
function queueFile(): Database.Database | null {
  const path = join(deployed.dataDir, "queue.db");
  if (!existsSync(path)) return null;
  const log = `${path}-wal`;
  expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
  const db = new Database(path);
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  return db;
}

/** mulberry32: the same moments each time. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A pull request that GitHub has, and the delivery about it. */
interface Real {
  readonly pull: Pull;
  readonly id: string;
  readonly payload: unknown;
}

/** Opened, and GitHub's delivery about it kept back. */
async function kept(repository: Repository, round: number): Promise<Real> {
  const { world } = deployed;
  world.setFate(() => "lost");
  const pull = await world.pullRequest(repository, { title: "Back up", files: { [`ops/backup_${round}.py`]: BACKUP } });
  world.setFate(null);
  return { pull, id: `real-${round}`, payload: world.deliveries.at(-1)?.payload };
}

/**
 * Two deliveries of pull requests that exist, and between and after them ones that nobody knows.
 */
async function load(server: ServerProcess, round: number, reals: readonly Real[], isOver: () => boolean) {
  const accepted: string[] = [];
  const left = [...reals];
  for (let number = 1; !isOver(); number += 1) {
    const real = accepted.length % 4 === 0 ? left[0] : undefined;
    const id = real?.id ?? `${round}-${number}`;
    const status = await server.deliver("pull_request", real?.payload ?? opened(round * 1_000 + number, 1), id);
    if (status === 202) accepted.push(id);
    if (status === 202 && real !== undefined) left.shift();
    if (status === null) await pause(5);
  }
  return accepted;
}

/**
 * Processor time in milliseconds: a busy machine makes a start longer, not more work. Linux counts
 * in hundredths.
 */
function cpuMs({ child }: ServerProcess): number {
  if (child.exitCode !== null || child.signalCode !== null) return Number.POSITIVE_INFINITY;
  const [, after = ""] = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ");
  const [user, system] = after.split(" ").slice(11, 13).map(Number);
  return 10 * ((user ?? 0) + (system ?? 0));
}
/** By then Node itself is up and signals are heeded: before, a process ends by them as any does. */
const HEEDS_CPU_MS = 250;
/** What a start costs. */
const START_CPU_MS = 1_500;
/** An orchestrator gives up on a process then. */
const MOST_MS = 30_000;

/** Ends it at a random moment, by one signal or two. Returns the milliseconds until it ended. */
async function terminated(server: ServerProcess, round: number, random: () => number): Promise<number> {
  // Every other moment lies in the start.
  const isStarting = round % 2 === 0;
  const listens = () => server.log().includes("Kodiai is listening");
  const moment = random();
  const begun = HEEDS_CPU_MS + moment * START_CPU_MS;
  await until("it began", () => listens() || (isStarting && cpuMs(server) >= begun));
  if (!isStarting) await pause(moment * 1_500);
  server.child.kill("SIGTERM");
  const since = performance.now();
  if (random() < 0.5) {
    await pause(random() * 100);
    server.child.kill("SIGTERM");
  }
  expect({ round, ended: await server.ended(), log: server.log() }).toMatchObject({ round, ended: 0 });
  return performance.now() - since;
}

/** They may be many, but one after the other comes. */
async function reviewed(left: () => readonly Pull[]): Promise<void> {
  for (let before = left(); before.length > 0; before = left()) {
    const { length } = before;
    await until(`a review of one of ${length} more`, () => left().length < length).catch((error: unknown) => {
      const db = new Database(join(deployed.dataDir, "queue.db"), { readonly: true });
      const jobs = db.prepare(
        "SELECT key, state, attempt, deaths, run_at - ? AS due, outcome FROM jobs WHERE key LIKE ?",
      );
      const reported = before.slice(0, 5).flatMap(({ number }) => jobs.all(Date.now(), `%#${number}`));
      db.close();
      throw new Error(`${error}: ${JSON.stringify(reported)}`);
    });
  }
}

test(
  "at any moment under load [R21]",
  async () => {
    const random = randomOf(SEED);
    const { world } = deployed;
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const accepted: string[] = [];
    const reals: Real[] = [];
    let longest = 0;
    for (let round = 0; round < (NIGHTLY ? 200 : 2); round += 1) {
      // A process writes once in a second at most, so that half of the many rounds leave enough to
      // do for all of them.
      const isQuiet = NIGHTLY && round % 2 === 1;
      const now = isQuiet ? [] : [await kept(repository, 2 * round), await kept(repository, 2 * round + 1)];
      reals.push(...now);
      const server = await deployed.launch();
      let over = false;
      const loading = load(server, round, now, () => over);
      longest = Math.max(longest, await terminated(server, round, random));
      over = true;
      accepted.push(...(await loading));
      queueFile()?.close();
      if (round % 20 === 19)
        console.log(`${round + 1} ends: ${accepted.length} deliveries kept, the longest took ${longest.toFixed(0)} ms`);
    }
    const db = queueFile();
    const keeps = db?.prepare("SELECT 1 FROM deliveries WHERE id = ?").pluck();
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted.filter((id) => keeps?.get(id) === undefined)).toEqual([]);
    db?.close();
    expect(longest).toBeLessThan(MOST_MS);
    const known = reals.filter(({ id }) => accepted.includes(id)).map(({ pull }) => pull);
    const reviewsOf = (pull: Pull) => world.comments(pull).reviews.length;
    const before = known.filter((pull) => reviewsOf(pull) > 0).length;
    await deployed.start();
    await reviewed(() => known.filter((pull) => reviewsOf(pull) === 0));
    for (const pull of known) summaryOf(world, pull);
    expect(reals.filter(({ pull }) => reviewsOf(pull) > 1)).toEqual([]);
    const ended = `the longest took ${longest.toFixed(0)} ms to end`;
    console.log(
      `${accepted.length} deliveries kept, ${known.length} reviews (${before} before the last start), ${ended}`,
    );
  },
  NIGHTLY ? 60 * 60_000 : 120_000,
);

test("while it stops it refuses deliveries and says that it is not ready, and the review that runs comes to its end [R21]", async () => {
  const { world } = deployed;
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const server = await deployed.start();
  world.fail({ match: { method: "POST", path: /\/reviews$/ }, delay: 1_500, onlyHeaders: true, headers: {} });
  const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  const isPosting = () => world.requests.some(({ method, path }) => method === "POST" && path.endsWith("/reviews"));
  await until("the review is being posted", isPosting);
  server.child.kill("SIGTERM");
  await until("it stops", () => server.log().includes("stopping"));
  expect(await server.deliver("ping", {}, "late")).toBe(503);
  const { status, reasons } = await server.ready();
  expect({ status, reasons }).toEqual({ status: 503, reasons: ["the process is stopping"] });
  expect(await server.ended()).toBe(0);
  expect(world.comments(pull).reviews).toHaveLength(1);
  const db = queueFile();
  expect(db?.prepare("SELECT state, count(*) FROM jobs WHERE lane = 'review' GROUP BY state").raw().all()).toEqual([
    ["done", 1],
  ]);
  expect(db?.prepare("SELECT 1 FROM deliveries WHERE id = 'late'").get()).toBeUndefined();
  db?.close();
});
