// What people and scripts start, in each way in which it can end. 1 means findings at or above
// --fail-on, and nothing else.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BALANCE } from "../app/change-builders.ts";
import { WATCHDOG_MS } from "../watchdog.ts";
import { type Clone, newClone } from "./kodiai.ts";
import { oldNode } from "./old-node.ts";

const [CLI, SERVER, DEMO] = ["src/cli/main.ts", "src/main.ts", "demo/run.ts"].map((path) => resolve(path)) as [
  string,
  string,
  string,
];
const [LAUNCH, ACTION] = [resolve("scripts/launch.mjs"), resolve("scripts/action.mjs")];

let clone: Clone;
let temp: string;
beforeAll(() => {
  temp = mkdtempSync(join(tmpdir(), "kodiai-exit-"));
  clone = newClone();
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("Lay the ground");
  clone.write({ "src/balance.py": BALANCE });
  clone.commit("feat: balance");
});
afterAll(() => {
  clone.remove();
  rmSync(temp, { recursive: true });
});

interface Cause {
  readonly env?: Readonly<Record<string, string>>;
  /** JavaScript that each Node of the program runs before it. */
  readonly before?: string;
  readonly node?: string;
  readonly uid?: number;
  readonly cwd?: string;
}

/** Runs a program of the table in the clone, with no more of the environment than it needs. */
function run(words: readonly string[], { env = {}, before, node = process.execPath, uid, cwd = clone.path }: Cause) {
  const preload =
    before === undefined ? {} : { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(before)}` };
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const all = { PATH, NODE_COMPILE_CACHE, HOME: temp, ...preload, ...env };
  const { status, signal, stdout, stderr } = spawnSync(node, words, {
    cwd,
    env: all,
    uid,
    encoding: "utf8",
    timeout: WATCHDOG_MS,
  });
  return { code: status ?? signal, said: stdout + stderr };
}

const REVIEW = ["review", "HEAD~1", "--model", "off"];
const entries = {
  "kodiai review": [CLI, ...REVIEW],
  "launch.mjs": [LAUNCH, CLI, ...REVIEW],
  "the launcher without a program": [LAUNCH, "gone.ts"],
  "the action": [ACTION],
  "the server": [SERVER],
  "the demo": [DEMO],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Entry = keyof typeof entries;

/** Inputs of the action. */
function inputs(given: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const all = Object.entries({ base: "HEAD~1", model: "off", ...given });
  return {
    ...Object.fromEntries(all.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    GITHUB_WORKSPACE: clone.path,
    RUNNER_TEMP: temp,
  };
}

/** Once the program has said what it does about it. */
const failing = (bug: string) =>
  `setInterval(() => { if (process.listenerCount("uncaughtException") > 0) { ${bug} } }, 5);`;
const UNCAUGHT = failing('throw new Error("a bug");');
const REJECTED = failing('Promise.reject(new Error("a bug"));');
/** As before `npm ci`, or after half of one. */
const GONE = `
  import { registerHooks } from "node:module";
  const GONE = /run-verb|environment\\/env|first-review/;
  registerHooks({ resolve: (name, context, next) => {
    if (GONE.test(name)) throw new Error("a module is gone");
    return next(name, context);
  } });`;
/** Whatever ends the review before it could say anything. */
const ended = (code: number) => `if (process.argv[1]?.endsWith("cli/main.ts")) process.exit(${code});`;

const NOT_REVIEWED = "::error::Kodiai could not review";

test.each<[Entry, string, () => Cause, number, string | RegExp]>([
  ["kodiai review", "an uncaught error", () => ({ before: UNCAUGHT }), 3, "kodiai crashed: Error: a bug"],
  ["kodiai review", "a rejection that nobody handles", () => ({ before: REJECTED }), 3, "kodiai crashed: Error: a bug"],
  ["kodiai review", "an import that fails", () => ({ before: GONE }), 3, "kodiai crashed: Error: a module is gone"],
  ["kodiai review", "no repository", () => ({ cwd: temp }), 3, "could not finish"],
  ["launch.mjs", "an uncaught error", () => ({ before: UNCAUGHT }), 3, "kodiai does not start: a bug"],
  ["launch.mjs", "an import that fails", () => ({ before: GONE }), 3, "kodiai crashed: Error: a module is gone"],
  [
    "the launcher without a program",
    "nothing else",
    () => ({}),
    3,
    /^kodiai does not start: there is no .*gone\.ts\n$/,
  ],
  ["the action", "an uncaught error", () => ({ env: inputs(), before: UNCAUGHT }), 3, NOT_REVIEWED],
  ["the action", "an import that fails", () => ({ env: inputs(), before: GONE }), 3, NOT_REVIEWED],
  ["the action", "1 without a report", () => ({ env: inputs(), before: ended(1) }), 3, NOT_REVIEWED],
  ["the action", "0 without a report", () => ({ env: inputs({ format: "md" }), before: ended(0) }), 3, NOT_REVIEWED],
  [
    "the action",
    "no workspace",
    () => ({ env: { ...inputs(), GITHUB_WORKSPACE: join(temp, "none") } }),
    3,
    NOT_REVIEWED,
  ],
  ["the action", "no base", () => ({ env: inputs({ base: "" }) }), 2, "there is no base to compare with"],
  ["the action", "a base that is gone", () => ({ env: inputs({ base: "none" }) }), 3, NOT_REVIEWED],
  ["the action", "findings", () => ({ env: inputs({ "fail-on": "major" }) }), 1, "at or above fail-on"],
  [
    "the action",
    "findings that fail nothing",
    () => ({ env: inputs() }),
    0,
    /^::error file=src\/balance\.py,[^\n]+\n$/,
  ],
  ["the server", "an uncaught error", () => ({ before: UNCAUGHT }), 3, "kodiai crashed: Error: a bug"],
  ["the server", "an import that fails", () => ({ before: GONE }), 3, "kodiai crashed: Error: a module is gone"],
  ["the server", "no settings", () => ({}), 2, "Kodiai does not start:"],
  ["the demo", "an uncaught error", () => ({ before: UNCAUGHT }), 3, "kodiai crashed: Error: a bug"],
  ["the demo", "an import that fails", () => ({ before: GONE }), 3, "The demo stopped: a module is gone"],
])("%s after %s ends as it says", (entry, _, cause, code, says) => {
  expect(run(entries[entry], cause())).toEqual({ code, said: expect.stringMatching(says) });
});

test.each([
  ["findings", ["--fail-on", "major"], 1],
  ["findings that fail nothing", [], 0],
  ["an option that is none", ["--fail-over", "major"], 2],
] as const)("a review with %s ends so directly and through launch.mjs", (_, words, code) => {
  for (const entry of ["kodiai review", "launch.mjs"] as const)
    expect(run([...entries[entry], ...words], {}), entry).toMatchObject({ code });
});

test("a user without a home whom the system does not know gets help and a review, and is told what memory needs", (context) => {
  if (process.getuid?.() !== 0) {
    console.warn("SKIPPED, NOT TESTED: only root can start a program as a user whom the system does not know");
    return context.skip("not root");
  }
  chmodSync(clone.path, 0o755);
  const [HOME, uid] = [undefined as unknown as string, 54_321];
  const env = { HOME, GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" };
  const review = [...entries["kodiai review"], "--fail-on", "major"];
  expect(run([CLI, "--help"], { uid, env })).toMatchObject({ code: 0 });
  expect(run(review, { uid, env })).toMatchObject({ code: 1 });
  expect(run([CLI, "memory", "stats"], { uid, env })).toEqual({
    code: 3,
    said: "kodiai memory: could not finish: there is no home folder to keep data in; set HOME or KODIAI_DATA_DIR, or add --data-dir\n",
  });
  expect(run(review, { uid, env: { ...env, KODIAI_DATA_DIR: join(tmpdir(), "kodiai-nobody") } })).toMatchObject({
    code: 1,
  });
  expect(run(entries["the server"], { uid, env })).toMatchObject({ code: 2 });
});

test("an old Node starts the platform's own binary; where there is none, it says which Node is needed and ends with 3", (context) => {
  const node = oldNode();
  if (node === null) return context.skip("no old Node");
  expect(run([...entries["launch.mjs"], "--fail-on", "major"], { node })).toMatchObject({ code: 1 });
  const bare = join(temp, "bare", "scripts");
  mkdirSync(bare, { recursive: true });
  copyFileSync(LAUNCH, join(bare, "launch.mjs"));
  expect(run([join(bare, "launch.mjs"), CLI, "version"], { node })).toEqual({
    code: 3,
    said: expect.stringMatching(/^kodiai needs Node 22\.18 or newer; this is \d+\.\d+\.\d+/),
  });
});

test.each([[["stdout"]], [["stderr"]], [["stdout", "stderr"]]] as const)(
  "a reader that closes %j changes neither what is done nor how it ends",
  async (closed) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, HOME: temp };
    const words = [CLI, ...REVIEW, "--fail-on", "minor", "--format", "json"];
    const child = spawn(process.execPath, words, { cwd: clone.path, env, stdio: ["ignore", "pipe", "pipe"] });
    for (const name of closed) child[name].destroy();
    child.stdout.resume();
    child.stderr.resume();
    const [code] = await once(child, "exit");
    expect(code).toBe(1);
  },
);
