// Disturbs the server: kills it at random moments and at breakpoints, freezes it, stops it with
// SIGTERM, takes the database's lock. One disturbance at a time, from its own random numbers.
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Breakpoints } from "./breakpoints.ts";
import type { WallClock } from "./clock.ts";
import { type ActiveFaults, happens } from "./faults.ts";
import type { History } from "./history.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { ServerProcess } from "./server-process.ts";
import { type SlowSenders, sendSlowly } from "./slow-senders.ts";

const MODEL = /^model asked$/;
/**
 * Points that can be seen from outside; the server's own fail points are added where it has them.
 */
const OUTSIDE = [
  /^(?:before|after) GET app$/,
  /^after POST app/,
  /^(?:before|after) GET pulls/,
  /^before (?:POST|PATCH) (?!app)/,
  /^after (?:POST|PATCH) (?!app)/,
  /^before POST pulls\/reviews$/,
  /^after POST pulls\/reviews$/,
  /^(?:before|after) (?:POST|PATCH) check-runs/,
  MODEL,
] as const;

/** The true time, and what people and NTP make of it. */
const CLOCKS = [0, 600_000, -600_000, 3_600_000, -3_600_000] as const;

/** Nobody comes by a rare point for ever. */
const PATIENCE_MS = 4_000;

export interface NemesisOptions {
  readonly random: SeededRandom;
  readonly activeFaults: ActiveFaults;
  readonly history: History;
  readonly breakpoints: Breakpoints;
  /** Where the database is a file; null where it is not. */
  readonly dataDir: string | null;
  /** Whether the data folder is on a disk that may be filled. */
  readonly fillsDisk: boolean;
  /** The server's public one. */
  readonly port: number;
  /** Holds the lock of a database that is no file. */
  readonly holdLock?: (forMs: number) => void;
  /** Freezes for longer than others wait for a process: only where there are others. */
  readonly outlastsLeases?: boolean;
  /** Names of the server's own fail points. */
  readonly failPoints: readonly string[];
  /** How many jobs the server has in its hands. */
  readonly atWork: (server: ServerProcess) => Promise<number>;
  /** Of several: which server it is against; absent where there is one. */
  readonly index?: number | undefined;
  readonly clock: WallClock;
  /** Strikes only where a job runs, as far as one comes within a few seconds. */
  readonly waitsForWork: boolean;
  /** The longest time in which nothing is done to a server that listens. */
  readonly patienceMs: number;
}

export interface Nemesis {
  /** A fail point of the server's own for its next life; null for most lives. */
  failAt(): string | null;
  /** Lets the server live for a while and ends it. Returns how it ended. */
  endLife(server: ServerProcess): Promise<"killed" | "terminated">;
  /** Holds connections to its public port for as long as it allows: resolves when all were cut. */
  molest(server: ServerProcess, each: number): Promise<void>;
  close(): void;
}

export function nemesis(options: NemesisOptions): Nemesis {
  const { random, activeFaults, breakpoints, history } = options;
  const helpers = new Set<ChildProcess>();
  const senders = new Set<SlowSenders>();
  const whose = options.index === undefined ? {} : { process: options.index };
  let turn = 0;

  function failAt(): string | null {
    if (options.failPoints.length === 0 || !happens(activeFaults, "kill") || !random.chance(0.5)) return null;
    return `${options.failPoints[turn++ % options.failPoints.length]}:${1 + random.below(3)}`;
  }

  /** Resolves when it has a job, or patience ends; to how many. */
  async function work(server: ServerProcess): Promise<number> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const running = await options.atWork(server).catch(() => 0);
      if (running > 0 || !options.waitsForWork || performance.now() > until || !server.isAlive()) return running;
      await wait(150);
    }
  }

  /**
   * NTP after an outage, an administrator, a virtual machine that wakes up: ten minutes or an hour,
   * while jobs run.
   */
  async function setClock(server: ServerProcess): Promise<void> {
    const running = await work(server);
    const before = options.clock.offset();
    const offsetMs = random.pick(CLOCKS.filter((one) => one !== before));
    options.clock.set(offsetMs);
    history.note({ kind: "clock", at: Date.now(), offsetMs, stepMs: offsetMs - before, running, ...whose });
  }

  async function annoy(server: ServerProcess): Promise<void> {
    if (happens(activeFaults, "clock") && random.chance(0.2)) await setClock(server);
    if (happens(activeFaults, "kill") && random.chance(0.3)) {
      await work(server);
      server.killWorker();
    }
    if (happens(activeFaults, "loris") && random.chance(0.1)) void molest(server, 3);
    if (happens(activeFaults, "stop") && random.chance(options.outlastsLeases === true ? 0.25 : 0.08)) {
      const isLong = options.outlastsLeases === true && random.chance(0.5);
      history.note({
        kind: "trouble",
        at: Date.now(),
        what: "a process is frozen",
        until: Date.now(),
        running: await work(server),
      });
      server.freeze();
      await wait(isLong ? random.between(26_000, 40_000) : random.between(500, 4_000));
      server.thaw();
    }
    if (happens(activeFaults, "disk") && random.chance(0.2)) await fillDisk(random.between(500, 6_000));
    if (happens(activeFaults, "lock") && random.chance(0.08)) holdLock(random.between(500, 4_000));
  }

  function molest(server: ServerProcess, each: number): Promise<void> {
    const sending = sendSlowly(options.port, each, history, options.index, server.isAlive);
    senders.add(sending);
    return sending.over.finally(() => senders.delete(sending));
  }

  /** Another file takes all free space. */
  async function fillDisk(forMs: number): Promise<void> {
    if (options.dataDir === null || !options.fillsDisk) return;
    const [at, file] = [Date.now(), join(options.dataDir, "ballast")];
    try {
      // To the last byte.
      for (let size = 1 << 20; size >= 1; size >>= 1) writeUntilFull(file, Buffer.alloc(size));
      await wait(forMs);
    } finally {
      rmSync(file, { force: true });
    }
    history.note({ kind: "trouble", at, what: "the disk is full", until: Date.now() + 2_500 });
  }

  /** A process of its own, so that its lock is as strange to the server as a backup's would be. */
  function holdLock(forMs: number): void {
    const at = Date.now();
    if (options.dataDir === null) {
      options.holdLock?.(forMs);
      history.note({ kind: "trouble", at, what: "the table of jobs is held", until: at + forMs + 2_500 });
      return;
    }
    const file = join(options.dataDir, "queue.db");
    if (!existsSync(file)) return;
    const driver = createRequire(import.meta.url).resolve("better-sqlite3");
    const script = `const D = require(${JSON.stringify(driver)}); const db = new D(${JSON.stringify(file)}, { timeout: 2000 });
      try { db.exec("BEGIN IMMEDIATE"); setTimeout(() => { db.exec("ROLLBACK"); db.close(); }, ${Math.round(forMs)}); } catch {}`;
    const helper = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
    helpers.add(helper);
    helper.once("exit", () => helpers.delete(helper));
    history.note({ kind: "trouble", at, what: "the database's lock is held", until: at + forMs + 2_500 });
  }

  async function endLife(server: ServerProcess): Promise<"killed" | "terminated"> {
    // Some do not live to see the day.
    if (random.chance(0.08)) {
      await Promise.race([wait(random.between(50, 1_500)), server.exited]);
      await server.kill("while it started");
      return "killed";
    }
    const listens = await server.listening;
    if (!listens) return "killed";
    await Promise.race([annoy(server), server.exited]);
    if (random.chance(0.55)) {
      await Promise.race([wait(random.between(100, options.patienceMs)), server.exited]);
      if (options.waitsForWork) await Promise.race([work(server), server.exited]);
      if (happens(activeFaults, "term") && server.isAlive() && random.chance(0.1)) {
        await terminate(server);
        return "terminated";
      }
      await server.kill("at a random moment");
      return "killed";
    }
    // What comes by the model is seen of all servers together.
    const places = options.index === undefined ? OUTSIDE : OUTSIDE.filter(({ source }) => source !== MODEL.source);
    const point = breakpoints.arm(random.pick(places), PATIENCE_MS, options.index);
    const reached = await Promise.race([point, server.exited.then(() => null)]);
    await server.kill(reached ?? "having waited for a point in vain");
    return "killed";
  }

  return {
    failAt,
    endLife,
    molest,
    close() {
      for (const sending of senders) sending.stop();
      for (const helper of helpers) helper.kill("SIGKILL");
    },
  };
}

function writeUntilFull(file: string, block: Buffer): void {
  try {
    for (;;) appendFileSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

/** GitHub's orchestrators wait for 30 s. */
const TERM_MS = 30_000;

/** SIGTERM, and a kill where that does not end it in time: written down as an end by itself. */
export async function terminate(server: ServerProcess): Promise<number | null> {
  const late = new Promise<"late">((resolve) => setTimeout(() => resolve("late"), TERM_MS).unref());
  const code = await Promise.race([server.terminate(), late]);
  if (code !== "late") return code;
  await server.kill("30 s after SIGTERM");
  return null;
}

/** Names of the server's own fail points, where this version has any. */
export async function ownFailPoints(): Promise<readonly string[]> {
  const file = new URL("../src/adapters/fail-point.ts", import.meta.url);
  if (!existsSync(file)) return [];
  const { FAIL_POINTS } = (await import(file.href)) as { readonly FAIL_POINTS?: readonly string[] };
  return FAIL_POINTS ?? [];
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
