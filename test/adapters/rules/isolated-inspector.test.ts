// Rules in a process of their own: what they say is the same, and a source that gets a grammar
// stuck costs its own file only.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { rulesInspector } from "../../../src/adapters/rules/inspector.ts";
import { isolatedInspector } from "../../../src/adapters/rules/isolated-inspector.ts";
import { exampleFile } from "./example-file.ts";

const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
const GOOD = exampleFile(
  "src/run.ts",
  'import { exec } from "node:child_process";\nexport const run = (x: string) => eval(x);\n',
);
const PYTHON = exampleFile("app/a.py", "import hashlib\n\ndef key(password):\n    return eval(password)\n");
/** Takes much longer to be searched than anybody waits here, and holds a token beside it. */
const STUCK = exampleFile("src/stuck.go", `// ${TOKEN}\n${`${"a[".repeat(9_000)}\n`.repeat(14)}`);
const NO_SETTINGS = new Map();

const isolated = isolatedInspector();
const impatient = isolatedInspector({ ms: 1_200, bytes: Number.POSITIVE_INFINITY });
afterAll(() => {
  isolated.close();
  impatient.close();
});

test("it says what rules say within this process", async () => {
  const custom = [
    {
      id: "no-exec",
      language: "typescript" as const,
      message: "No programs",
      severity: "major" as const,
      rule: { pattern: "eval($CODE)" },
    },
    { id: "wrong", language: "go" as const, message: "x", severity: "minor" as const, rule: { nonsense: 1 } },
  ];
  const settings = new Map([["weak-hash", "off" as const]]);
  const many = Array.from({ length: 45 }, (_, at) => exampleFile(`src/${at}.ts`, `eval(x${at});\n`));
  const files = [GOOD, PYTHON, ...many];
  const ours = await isolated.inspect(files, settings, custom);
  expect(ours).toEqual(await rulesInspector().inspect(files, settings, custom));
  expect(ours.findings.length).toBeGreaterThan(90);
  expect(ours.degraded.map(({ part }) => part)).toEqual(["custom rule wrong"]);
});

describe("a file that gets a grammar stuck", () => {
  test("is read by its lines, says so, and leaves every other file whole", async () => {
    let ticks = 0;
    const clock = setInterval(() => void ticks++, 20);
    const { findings, degraded } = await impatient.inspect([GOOD, STUCK, PYTHON], NO_SETTINGS, []);
    clearInterval(clock);
    // This process had nothing to do but wait.
    expect(ticks).toBeGreaterThan(5);
    expect(degraded).toEqual([
      { part: "structural-rules", reason: "src/stuck.go: took longer than 1.2 s", paths: ["src/stuck.go"] },
    ]);
    const rules = findings.map(({ path, rule }) => `${path} ${rule}`);
    expect(rules).toContain("src/stuck.go leaked-secret");
    for (const { path } of [GOOD.diff, PYTHON.diff]) expect(rules.some((rule) => rule.startsWith(path))).toBe(true);
  });

  test("and the next review is as good as ever", async () => {
    const { findings, degraded } = await impatient.inspect([GOOD], NO_SETTINGS, []);
    expect(degraded).toEqual([]);
    expect(findings).toEqual((await rulesInspector().inspect([GOOD], NO_SETTINGS, [])).findings);
  });
});

test("a change of nothing but such files ends the process a few times and no more", async () => {
  const few = isolatedInspector({ ms: 1, stuckFiles: 2 });
  try {
    const files = Array.from({ length: 6 }, (_, at) => exampleFile(`src/${at}.go`, STUCK.headText ?? ""));
    const { findings, degraded } = await few.inspect(files, NO_SETTINGS, []);
    expect(findings).toEqual([]);
    expect(degraded.length).toBeGreaterThanOrEqual(12);
    expect(degraded.filter(({ reason }) => reason.includes("other files of this change"))).toHaveLength(4);
  } finally {
    few.close();
  }
});

test("what takes too much memory is ended too", async () => {
  const greedy = isolatedInspector({ bytes: 1 });
  try {
    const { degraded } = await greedy.inspect([STUCK], NO_SETTINGS, []);
    if (process.platform === "linux")
      expect(degraded.map(({ reason }) => reason).join()).toContain("took more than 0 MB");
  } finally {
    greedy.close();
  }
});

test.runIf(process.platform === "linux")(
  "its process holds no key and may neither write nor start anything [T1]",
  async () => {
    process.env.CANARY_FOR_CHILDREN = "b1d6c0de-canary";
    const one = isolatedInspector();
    try {
      await one.inspect([GOOD], NO_SETTINGS, []);
      const list = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)])
        .toString()
        .split("\n");
      const pids = list.filter((line) => line.includes("inspect-process")).map((line) => Number.parseInt(line, 10));
      expect(pids.length).toBeGreaterThan(0);
      for (const pid of pids) {
        expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toMatch(/canary|SECRET|TOKEN|KEY/i);
        const args = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        expect(args).toContain("--permission");
        expect(args).not.toMatch(/--allow-(?:fs-write|child-process|worker|net)/);
      }
    } finally {
      one.close();
      delete process.env.CANARY_FOR_CHILDREN;
    }
  },
);
