// The GitHub Action as a runner runs it: inputs in the environment, a real clone, files for
// outputs.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { BACKUP, BALANCE } from "../app/change-builders.ts";
import { Sarif } from "../cli/contract.ts";
import { type Clone, newClone } from "../cli/kodiai.ts";
import { gitIn, upstream } from "../matrix/clone-states.ts";

const ACTION = parse(readFileSync("action.yml", "utf8"));
const MAIN = resolve("scripts/action.mjs");

let clone: Clone;
let temp: string;
beforeAll(() => {
  temp = mkdtempSync(join(tmpdir(), "kodiai-action-"));
  clone = newClone();
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("Lay the ground");
  clone.write({ "src/balance.py": BALANCE, "src/::set-output name=x::y.py": "::add-mask::x = 1\n" });
  clone.commit("feat: balance");
});
afterAll(() => {
  clone.remove();
  rmSync(temp, { recursive: true });
});

interface Ran {
  readonly code: number | null;
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

let runs = 0;

/** Inputs that are not given have their defaults, as far as they are no expressions. */
function run(
  inputs: Readonly<Record<string, string>>,
  { path }: Pick<Clone, "path"> = clone,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  runs += 1;
  const [output, summary] = [join(temp, `output-${runs}`), join(temp, `summary-${runs}`)];
  writeFileSync(output, "");
  writeFileSync(summary, "");
  const defaults = Object.entries<{ default: string }>(ACTION.inputs).map(([name, given]) => [
    name,
    given.default.startsWith("$") ? "" : given.default,
  ]);
  const all = { ...Object.fromEntries(defaults), base: "HEAD~1", ...inputs };
  const env = Object.fromEntries(Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const around = { PATH, NODE_COMPILE_CACHE, HOME: temp, RUNNER_TEMP: temp, GITHUB_WORKSPACE: path };
  const child = spawn(process.execPath, [MAIN], {
    cwd: path,
    env: { ...around, ...env, ...more, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
  });
  const log: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => log.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => log.push(chunk));
  return new Promise((done) => {
    child.on("close", (code) => {
      const lines = readFileSync(output, "utf8").trim().split("\n");
      const outputs = Object.fromEntries(lines.map((line) => line.split("=", 2)));
      done({ code, log: Buffer.concat(log).toString(), outputs, summary: readFileSync(summary, "utf8") });
    });
  });
}

test("action.yml says of each input and output what it is, and names every one that the program reads", () => {
  for (const part of [
    ...Object.values<{ description: string }>(ACTION.inputs),
    ...Object.values<{ description: string }>(ACTION.outputs),
  ])
    expect(part.description).toMatch(/\.$/);
  const source = readFileSync(MAIN, "utf8");
  const read = [...source.matchAll(/\binput\("([a-z-]+)"\)/g)].map(([, name]) => name);
  expect([...new Set(read)].toSorted()).toEqual(Object.keys(ACTION.inputs).toSorted());
  const said = [...source.matchAll(/\["([a-z-]+)", \w+(?: \?\? "")?\],/g)].map(([, name]) => name);
  expect(said).toEqual(expect.arrayContaining(Object.keys(ACTION.outputs)));
  const { using, steps } = ACTION.runs;
  expect(using).toBe("composite");
  const review = steps.find(({ id }: { id?: string }) => id === "review");
  const passed = Object.keys(ACTION.inputs).map((name) => [`INPUT_${name.toUpperCase()}`, `\${{ inputs.${name} }}`]);
  expect(review).toMatchObject({
    run: 'node "$GITHUB_ACTION_PATH/scripts/action.mjs"',
    env: Object.fromEntries(passed),
  });
  for (const [name, { value }] of Object.entries<{ value: string }>(ACTION.outputs))
    expect(value).toBe(`\${{ steps.review.outputs.${name} }}`);
  // No text of others becomes part of a script.
  for (const { run = "" } of steps as readonly { run?: string }[]) expect(run).not.toMatch(/\$\{\{/);
});

test("packages are cached by the lock file, and Node is set up only where it is missing or too old", () => {
  const steps: readonly { uses?: string; if?: string; with?: Record<string, string> }[] = ACTION.runs.steps;
  const of = (name: string) => steps.find(({ uses }) => uses?.startsWith(name));
  expect(of("actions/cache@")?.with).toEqual({
    path: expect.stringMatching(/\{ github\.action_path \}\}\/node_modules$/),
    key: expect.stringContaining("steps.machine.outputs.lock"),
  });
  expect(of("actions/setup-node@")?.if).toBe("steps.machine.outputs.old == 'true'");
});

test("fail-on never is accepted, and findings are annotations that no text of others can end", async () => {
  const ran = await run({ "fail-on": "never", format: "sarif" });
  expect(ran).toMatchObject({ code: 0, outputs: { findings: "1" } });
  expect(ran.outputs).not.toHaveProperty("posted");
  const lines = ran.log.split("\n").filter((line) => /^::(?:error|warning) file=/.test(line));
  expect(lines).toEqual([
    expect.stringMatching(/^::error file=src\/balance\.py,line=5,endLine=5,title=[^:,]+::[^\n]+$/),
  ]);
  expect(ran.summary).toContain("src/balance.py");
});

test("it writes a SARIF report that code scanning takes, and fails for what fail-on names", async () => {
  const failed = await run({ "fail-on": "major", output: "reports/../second.sarif" });
  Sarif.parse(JSON.parse(readFileSync(join(clone.path, "second.sarif"), "utf8")));
  expect(failed).toMatchObject({ code: 1, outputs: { "exit-code": "1", report: "second.sarif", findings: "1" } });
  expect(failed.log).toContain("::error::Kodiai found something at or above fail-on");
});

test("where the model does not answer, the report of rules is written, and the step fails with 3", async () => {
  const more = {
    KODIAI_MODEL: "any",
    OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
    OPENAI_API_KEY: "sk-of-nobody-0123456789",
  };
  const ran = await run({ "fail-on": "major", output: "down.sarif" }, clone, more);
  expect(ran.log).toContain("--fail-on cannot pass");
  expect(ran).toMatchObject({ code: 3, outputs: { "exit-code": "3", report: "down.sarif", findings: "1" } });
  expect(ran.log).toMatch(/^::error file=src\/balance\.py,line=5/m);
  expect(ran.log).toContain("::error::Kodiai could not review all of it");
});

test("what other tools found is in the report, and a file of theirs that is wrong fails the step and loses nothing else", async () => {
  const line = BALANCE.split("\n").findIndex((text) => text.trim() !== "") + 1;
  const region = { startLine: line };
  const locations = [{ physicalLocation: { artifactLocation: { uri: "src/balance.py" }, region } }];
  const results = [{ ruleId: "R1", message: { text: "Lint says no" }, locations }];
  const lint = { version: "2.1.0", runs: [{ tool: { driver: { name: "lint" } }, results }] };
  clone.write({ "lint.sarif": JSON.stringify(lint), "bad.sarif": "{" });
  const ran = await run({ sarif: "lint.sarif\n\nbad.sarif\n", output: "third.sarif" });
  clone.write({ "lint.sarif": null, "bad.sarif": null });
  expect(ran).toMatchObject({ code: 2, outputs: { "exit-code": "2", report: "third.sarif", findings: "2" } });
  expect(ran.log).toMatch(/bad\.sarif: line 1, column 2: it is not JSON/);
  expect(ran.log).toMatch(
    /^::warning file=src\/balance\.py,line=\d+,endLine=\d+,title=lint%3A Lint says no::Rule: lint\/R1$/m,
  );
  const ids = Sarif.parse(JSON.parse(readFileSync(join(clone.path, "third.sarif"), "utf8")));
  expect(JSON.stringify(ids)).toContain('"lint/R1"');
});

test("an ignore in the code counts in a branch of the repository, and hides nothing in a fork's change", async () => {
  const own = newClone();
  try {
    own.write({ "README.md": "# Shop\n" });
    own.commit("Lay the ground");
    own.write({ "backup.py": BACKUP.replace("    sub", "    # kodiai-ignore shell-from-strings checked\n    sub") });
    own.commit("feat: back up");
    const event = join(temp, "event.json");
    const ends = async (from: string | null) => {
      const head = { repo: from === null ? null : { full_name: from } };
      writeFileSync(event, JSON.stringify({ pull_request: { head }, repository: { full_name: "acme/shop" } }));
      return (await run({ "fail-on": "major" }, own, { GITHUB_EVENT_PATH: event })).code;
    };
    expect([await ends("acme/shop"), await ends("mallory/shop"), await ends(null)]).toEqual([0, 1, 1]);
    // Most rules leave tests and examples alone: a stranger's new ones are code.
    own.write({ "examples/backup.py": BACKUP, "tests/test_backup.py": BACKUP });
    own.commit("feat: show how");
    expect([await ends("acme/shop"), await ends("mallory/shop")]).toEqual([0, 1]);
  } finally {
    own.remove();
  }
});

test("a shallow checkout is completed, so that only the change's own lines are reviewed", async () => {
  const at = mkdtempSync(join(tmpdir(), "kodiai-shallow-"));
  try {
    const main = gitIn(upstream(at), "rev-parse", "main");
    // As actions/checkout leaves a pull request: one commit, and no branch of the base.
    gitIn(at, "clone", "--quiet", "--depth=1", "--branch=feature", `file://${join(at, "upstream")}`, "checkout");
    const { code, log, outputs } = await run({ base: main, "fail-on": "major" }, { path: join(at, "checkout") });
    expect(log).toContain("The checkout is shallow");
    expect({ code, findings: outputs.findings }).toEqual({ code: 1, findings: "1" });
  } finally {
    rmSync(at, { recursive: true });
  }
});

describe("a head whose checkout holds symbolic links", () => {
  let hostile: Clone;
  let outside: string;
  beforeAll(() => {
    outside = mkdtempSync(join(tmpdir(), "kodiai-outside-"));
    writeFileSync(join(outside, "profile"), "mine\n");
    hostile = newClone();
    hostile.write({ "README.md": "# Shop\n", "reports/README.md": "Reports.\n" });
    hostile.commit("Lay the ground");
    hostile.write({ "src/balance.py": BALANCE });
    symlinkSync(join(outside, "profile"), join(hostile.path, "kodiai.sarif"));
    symlinkSync(join(outside, "made"), join(hostile.path, "kodiai.json"));
    symlinkSync(outside, join(hostile.path, "build"));
    symlinkSync("reports", join(hostile.path, "within"));
    hostile.commit("feat: balance");
  });
  afterAll(() => {
    hostile.remove();
    rmSync(outside, { recursive: true });
  });

  test.each([
    [{}, "kodiai.sarif could not be written: ELOOP"],
    [{ format: "json" }, "kodiai.json could not be written: ELOOP"],
    [{ output: "build/kodiai.sarif" }, "output and working-directory lie in the workspace"],
    [{ output: "build/nowhere/kodiai.sarif" }, "output and working-directory lie in the workspace"],
    [{ "working-directory": "build" }, "output and working-directory lie in the workspace"],
  ])("writes nothing outside of the workspace: %j [T23]", async (inputs, says) => {
    const ran = await run(inputs, hostile);
    expect({ code: ran.code, log: ran.log }).toEqual({ code: 2, log: expect.stringContaining(says) });
    expect(ran.outputs).toMatchObject({ "exit-code": "2", report: "" });
    expect(readdirSync(outside)).toEqual(["profile"]);
    expect(readFileSync(join(outside, "profile"), "utf8")).toBe("mine\n");
  });

  test("a link that stays within the workspace is followed, and the outputs name it as the workflow did", async () => {
    const ran = await run({ output: "within/kodiai.sarif" }, hostile);
    expect(ran).toMatchObject({ code: 0, outputs: { report: "within/kodiai.sarif", findings: "1" } });
    Sarif.parse(JSON.parse(readFileSync(join(hostile.path, "reports", "kodiai.sarif"), "utf8")));
  });
});

test("Markdown becomes the summary, and what it prints holds no command to the runner", async () => {
  const [md, pretty] = await Promise.all([run({ format: "md" }), run({ format: "pretty" })]);
  expect(md).toMatchObject({ code: 0, outputs: { report: "kodiai.md", findings: "1" } });
  expect(md.summary).toContain("src/balance.py");
  const [, token = "none"] = /^::stop-commands::([0-9a-f-]{36})$/m.exec(pretty.log) ?? [];
  const [before = "", after = ""] = [
    pretty.log.indexOf(`::stop-commands::${token}`),
    pretty.log.indexOf(`\n::${token}::\n`),
  ].map(String);
  expect(Number(before)).toBe(0);
  expect(pretty.log.slice(0, Number(after))).toContain("balance.py");
  // After it, only our own annotations.
  const rest = pretty.log.slice(Number(after)).split("\n");
  expect(rest.filter((line) => line !== "" && line !== `::${token}::`)).toEqual([
    expect.stringMatching(/^::error file=src\/balance\.py,/),
  ]);
});

test("a configuration of the workflow's own replaces the base's", async () => {
  mkdirSync(join(temp, "config"));
  const config = join(temp, "config", "kodiai.yml");
  writeFileSync(config, "rules:\n  tls-verify-disabled: off\n");
  const kept = await run({ config, "fail-on": "minor" });
  expect(kept).toMatchObject({ code: 0, outputs: { "exit-code": "0", report: "kodiai.sarif", findings: "0" } });
});

test.each([
  [{ base: "" }, 2, "there is no base to compare with"],
  [{ base: "0".repeat(40) }, 2, "there is no base to compare with"],
  [{ base: "--upload-pack=x" }, 3, "is not a commit of this repository"],
  [{ format: "constructor" }, 2, "format is sarif, json, md or pretty"],
  [{ output: "../outside.sarif" }, 2, "lie in the workspace"],
])("%j ends with %i and says what to fix", async (inputs, code, says) => {
  const ran = await run(inputs);
  expect({ code: ran.code, log: ran.log }).toEqual({ code, log: expect.stringContaining(says) });
  expect(ran.outputs).toMatchObject({ "exit-code": String(code), report: "" });
});

test("docs/action.md lists every input and output, and its workflow is YAML that uses them", () => {
  const text = readFileSync("docs/action.md", "utf8");
  const listed = [...text.matchAll(/^\| `([a-z-]+)` /gm)].map(([, name]) => name);
  expect(listed).toEqual([...Object.keys(ACTION.inputs), ...Object.keys(ACTION.outputs)]);
  const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
  const used = parse(yaml).jobs.review.steps.flatMap(({ uses, with: given = {} }: { uses: string; with?: object }) =>
    uses.includes("kodiai@") ? Object.keys(given) : [],
  );
  expect(used).toEqual(["comment", "fail-on"]);
});
