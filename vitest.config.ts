import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { tmpfs } from "./test/tmpfs.ts";
import { WATCHDOG_MS } from "./test/watchdog.ts";

const folder = process.env.TMPDIR ?? tmpfs();

/** Whole programs and whole apps: stories of people who use Kodiai. */
const JOURNEYS = ["test/{app,chaos,cli,dashboard,demo,deploy,mcp,release}/**/*.test.ts", "test/*.test.ts"];
/** One suite for each port, run on every implementation of it. */
const CONTRACTS = ["test/**/contract.test.ts"];
/** Matrices, long properties, large bodies, real waits: `npm run test:slow`. */
const SLOW = ["test/**/*.slow.test.ts"];

function project(name: string, include: string[], exclude: string[]) {
  return { extends: true as const, test: { name, include, exclude } };
}

export default defineConfig({
  test: {
    projects: [
      project("unit", ["test/**/*.test.ts"], [...JOURNEYS, ...CONTRACTS, ...SLOW]),
      project("contract", CONTRACTS, SLOW),
      project("journey", JOURNEYS, SLOW),
      project("slow", SLOW, []),
    ],
    env: folder === null ? {} : { TMPDIR: folder },
    setupFiles: ["test/seed.ts"],
    // Watchdogs only, also for the slowest test on a busy machine. Timings never decide a test.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: WATCHDOG_MS } },
    pool: "forks",
    // Files follow each other in one process, so that the source is loaded and compiled once: half
    // of the time of tests that run the app. A file leaves what it changes (environment, timers,
    // spies) as it was.
    isolate: false,
    // More than there are cores: tests of whole servers wait, for a lease to run out or a retry,
    // and others run meanwhile.
    maxWorkers: availableParallelism() * 2,
    // One line for each file; what a test that passes writes is not shown.
    reporters: ["default", "./test/reporter.ts"],
    slowTestThreshold: 60_000,
    silent: "passed-only",
  },
});
