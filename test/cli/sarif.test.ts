// kodiai review --sarif: what other tools found, through a whole review, and files that are no
// SARIF.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ReviewJson } from "./contract.ts";
import { type Clone, newClone, verb } from "./kodiai.ts";
import { LINTED_FILES, SARIF_SAMPLES } from "./sarif-samples.ts";

let clone: Clone;
beforeAll(() => {
  clone = newClone();
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("Lay the ground");
  clone.write(LINTED_FILES);
  clone.commit("Add the shop");
});
afterAll(() => clone.remove());

const review = (files: readonly string[], ...words: readonly string[]) =>
  verb(["review", "--base", "HEAD~1", ...words, ...files.map((file) => `--sarif=${file}`)], { cwd: clone.path });

function file(name: string, content: string | Buffer): string {
  const path = join(clone.path, ".git", name);
  writeFileSync(path, content);
  return path;
}

describe("ten tools", () => {
  test("are findings on changed lines, each named, and one where they agree with each other and with us", async () => {
    const { code, out, err } = await review(SARIF_SAMPLES, "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { findings, degraded } = ReviewJson.parse(JSON.parse(out));
    expect(degraded).toEqual([]);
    expect(findings.map(({ path, line, severity, rule }) => `${path}:${line} ${severity} ${rule}`).toSorted()).toEqual([
      "Dockerfile:1 major trivy/DS002",
      "api/app.py:1 medium ruff/F401",
      "api/app.py:3 medium ruff/I001",
      "api/app.py:6 major shell-from-strings",
      "api/app.py:7 medium bandit/B301",
      "bin/run.sh:2 medium shellcheck/2164",
      "cmd/main.go:9 major gosec/G204",
      "cmd/main.go:9 medium golangci-lint/errcheck",
      "config/dev.ini:2 major gitleaks/generic-api-key",
      "web/app.js:1 major eslint/no-unused-vars",
      "web/app.js:10 medium codeql/js/xss-through-dom",
      "web/app.js:4 major eslint/no-unused-vars",
      "web/app.js:5 medium eslint/eqeqeq",
      "web/app.js:6 major eval-of-input",
    ]);
    const of = (rule: string) => findings.find((one) => one.rule === rule);
    expect(of("shell-from-strings")?.body).toContain(
      "Also reported by `bandit: B602`, `semgrep: python.lang.security.audit.subprocess-shell-true.subprocess-shell-true`.",
    );
    expect(of("shell-from-strings")?.source).toBe("rule");
    expect(of("eval-of-input")?.body).toContain("Also reported by `eslint: no-eval`.");
    expect(of("ruff/F401")).toMatchObject({
      title: "ruff: `os` imported but unused",
      source: "tool",
      suggestion: { startLine: 1, line: 1, text: "" },
    });
    expect(of("codeql/js/xss-through-dom")).toMatchObject({
      title: "codeql: DOM text is reinterpreted as HTML without escaping meta-characters",
      category: "security",
      confidence: 0.9,
    });
  });

  test("count for --fail-on", async () => {
    const own = newClone();
    own.write({ "README.md": "# Shop\n" });
    own.commit("Lay the ground");
    own.write({ "bin/run.sh": LINTED_FILES["bin/run.sh"] ?? "" });
    own.commit("Add a script");
    const sarif = SARIF_SAMPLES.filter((path) => path.includes("shellcheck")).map((path) => `--sarif=${path}`);
    const failing = async (...words: readonly string[]) =>
      (await verb(["review", "--base", "HEAD~1", ...words], { cwd: own.path })).code;
    expect(await failing("--fail-on=medium")).toBe(0);
    expect(await failing("--fail-on=medium", ...sarif)).toBe(1);
    expect(await failing("--fail-on=major", ...sarif)).toBe(0);
    own.remove();
  });

  test("can be switched off or made milder", async () => {
    const own = join(clone.path, ".git", "own.yml");
    writeFileSync(own, "rules:\n  ruff/F401: minor\n  trivy/DS002: off\n");
    const ruff = SARIF_SAMPLES.filter((path) => /ruff|trivy/.test(path));
    const { out } = await review(ruff, "--from-outsider", "--json", `--config=${own}`);
    const { findings, heldBack, configProblems } = ReviewJson.parse(JSON.parse(out));
    expect(configProblems).toEqual([]);
    expect(findings.map(({ rule }) => rule)).not.toContain("trivy/DS002");
    expect(heldBack.map(({ finding, reason }) => `${finding.rule}: ${reason}`)).toEqual([
      expect.stringMatching(/^ruff\/F401: below medium/),
    ]);
  });
});

test("fixes of a file with CR LF in our SARIF bring CR LF, and a deleted line takes its own along", async () => {
  const own = newClone();
  const before = "import os\r\nask(1)\r\ntell()\r\nshut()\r\n";
  own.write({ "README.md": "# Shop\n" });
  own.commit("Lay the ground");
  own.write({ "a.py": before });
  own.commit("Add the shop");
  const fixing = (startLine: number, deletedRegion: object, text: string) => ({
    ruleId: `R${startLine}`,
    message: { text: `Line ${startLine} is to be written otherwise.` },
    locations: [{ physicalLocation: { artifactLocation: { uri: "a.py" }, region: { startLine } } }],
    fixes: [
      {
        artifactChanges: [
          { artifactLocation: { uri: "a.py" }, replacements: [{ deletedRegion, insertedContent: { text } }] },
        ],
      },
    ],
  });
  const results = [
    fixing(2, { startLine: 2 }, "if ready:\r\n    ask(1)"),
    fixing(3, { startLine: 3, startColumn: 1, endLine: 4, endColumn: 1 }, ""),
  ];
  const run = { tool: { driver: { name: "lint" } }, results };
  const given = join(own.path, ".git", "lint.sarif");
  writeFileSync(given, JSON.stringify({ version: "2.1.0", runs: [run] }));
  const { out } = await verb(["review", "--base", "HEAD~1", "--format=sarif", `--sarif=${given}`], { cwd: own.path });
  const written: { fixes?: { artifactChanges: { replacements: Replacement[] }[] }[] }[] =
    JSON.parse(out).runs[0].results;
  const replacements = written.flatMap(({ fixes = [] }) => fixes[0]?.artifactChanges[0]?.replacements ?? []);
  expect(replacements).toHaveLength(2);
  expect(
    replacements.toSorted((a, b) => b.deletedRegion.startLine - a.deletedRegion.startLine).reduce(replaced, before),
  ).toBe("import os\r\nif ready:\r\n    ask(1)\r\nshut()\r\n");
  own.remove();
});

interface Replacement {
  readonly deletedRegion: { readonly startLine: number; readonly endLine: number; readonly endColumn?: number };
  readonly insertedContent?: { readonly text: string };
}

/**
 * As SARIF 2.1.0, section 3.30, reads a region of lines: without columns it ends before the end of
 * its last line.
 */
function replaced(
  text: string,
  { deletedRegion: { startLine, endLine, endColumn }, insertedContent }: Replacement,
): string {
  const starts = [0, ...[...text.matchAll(/\r?\n/g)].map(({ index, 0: end }) => index + end.length)];
  const line = (at: number) => starts[at - 1] ?? text.length;
  const end = endColumn === 1 ? line(endLine) : text.indexOf("\r\n", line(endLine));
  return text.slice(0, line(startLine)) + (insertedContent?.text ?? "") + text.slice(end);
}

/** As each wrote it, at the level at which it writes everything of this kind. */
const OF_ONE_LEVEL = [
  ["ansible-lint", "name[play]", "error", "All plays should be named.", "medium maintainability"],
  ["markdownlint-cli2", "MD009", "error", "Trailing spaces, Expected: 0 or 2; Actual: 1", "medium maintainability"],
  ["secretlint", "rule-npm", "error", "found npm token: ****", "major security"],
  ["oxlint", "eslint(no-var)", "warning", "Unexpected var, use let or const instead.", "medium maintainability"],
] as const;

test("a tool's own scale is read as it means it", async () => {
  const run = ([name, ruleId, level, text]: (typeof OF_ONE_LEVEL)[number]) => ({
    tool: { driver: { name } },
    results: [
      {
        ruleId,
        level,
        message: { text },
        locations: [{ physicalLocation: { artifactLocation: { uri: "bin/run.sh" }, region: { startLine: 2 } } }],
      },
    ],
  });
  const sarif = file("scales.sarif", JSON.stringify({ version: "2.1.0", runs: OF_ONE_LEVEL.map(run) }));
  const { findings } = ReviewJson.parse(JSON.parse((await review([sarif], "--json")).out));
  const read = findings.filter(({ source }) => source === "tool").map((one) => [one.rule, one]);
  const of = new Map(read as [string, (typeof findings)[number]][]);
  const judged = OF_ONE_LEVEL.map(([tool, rule]) => {
    const found = of.get(`${tool}/${rule}`);
    return `${found?.severity} ${found?.category}`;
  });
  expect(judged).toEqual(OF_ONE_LEVEL.map(([, , , , expected]) => expected));
});

test("files that cannot be read are each named with place and fix, end with 2, and lose nothing else", async () => {
  const good = SARIF_SAMPLES.filter((path) => path.endsWith("shellcheck.sarif"));
  const bad = [
    ["/nowhere/x.sarif", "there is no such file; name what the tool wrote"],
    [clone.path, "it cannot be read: EISDIR"],
    [file("empty.sarif", ""), "it is empty; did the tool run, and write SARIF to it?"],
    [file("text.sarif", '{\n  "version": "2.1.0",\n  "runs": oops\n}\n'), "line 3, column 11: it is not JSON"],
    [file("cut.sarif", '{"version": "2.1.0", "runs": ['), "line 1, column 31: it is not JSON"],
    [file("old.sarif", '{"version": "2.0.0", "runs": []}'), "$.version: it is 2.0.0, not 2.1.0"],
    [file("bare.sarif", '{"version": "2.1.0"}'), "$.runs: it is no list"],
    [file("who.sarif", '{"version": "2.1.0", "runs": [{}]}'), "$.runs[0].tool.driver.name: it is missing"],
    [file("binary.sarif", Buffer.from([0, 1, 2, 0])), "it holds no text"],
  ] as const;
  const { code, out, err } = await review([...bad.map(([path]) => path), ...good], "--json", "--fail-on=minor");
  expect(code).toBe(2);
  const said = err.trim().split("\n");
  for (const [at, [path, says]] of bad.entries()) expect(said[at]).toContain(`kodiai review: ${path}: ${says}`);
  expect(err).not.toContain("oops");
  const { findings, degraded } = ReviewJson.parse(JSON.parse(out));
  expect(findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(["shellcheck/2164", "shell-from-strings"]));
  expect(degraded.map(({ part }) => part)).toEqual(bad.map(() => "sarif"));
});
