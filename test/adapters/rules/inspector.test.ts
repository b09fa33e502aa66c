import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rulesInspector } from "../../../src/adapters/rules/inspector.ts";
import type { LineRule, Rule, StructuralRule } from "../../../src/adapters/rules/rule.ts";
import { EVERY_RULE, FILE_RULES } from "../../../src/adapters/rules/rules.ts";
import type { RuleSetting } from "../../../src/config/repo-config.ts";
import type { DiffLine, Hunk } from "../../../src/domain/pull-request.ts";
import type { InspectedFile } from "../../../src/ports.ts";
import { casesOf } from "./cases/cases.ts";
import { exampleFile } from "./example-file.ts";

const inspector = rulesInspector();
const inspect = (files: readonly InspectedFile[], settings: Readonly<Record<string, RuleSetting>> = {}) =>
  inspector.inspect(files, new Map(Object.entries(settings)), []);

/** Hunks from lines such as `+added`, `-removed`, ` context`; the first new line is `newStart`. */
function hunk(newStart: number, ...marked: readonly string[]): Hunk {
  let oldLine = newStart;
  let newLine = newStart;
  const lines = marked.map((line): DiffLine => {
    const text = line.slice(1);
    if (line.startsWith("+")) return { kind: "added", oldLine: null, newLine: newLine++, text };
    if (line.startsWith("-")) return { kind: "removed", oldLine: oldLine++, newLine: null, text };
    return { kind: "context", oldLine: oldLine++, newLine: newLine++, text };
  });
  return {
    oldStart: newStart,
    oldLines: oldLine - newStart,
    newStart,
    newLines: newLine - newStart,
    section: "",
    lines,
  };
}

/** A modified file of which only hunks (or hunks and head text) are known. */
function changed(path: string, headText: string | null, ...hunks: readonly Hunk[]): InspectedFile {
  const file = exampleFile(path, "");
  return { ...file, headText, diff: { ...file.diff, status: "modified", hunks } };
}

const OPEN = "reply = requests.get(URL)";
const UNAWAITED = 'test("loads", () => {\n  expect(load()).rejects.toThrow();\n});';

describe("what is spoken about", () => {
  test("a defect on an added line is a finding with place, words and identity", async () => {
    const { findings, heldBack, degraded } = await inspect([exampleFile("app/rates.py", `import requests\n${OPEN}`)]);
    expect(degraded).toEqual([]);
    expect(heldBack).toEqual([]);
    expect(findings).toEqual([
      {
        id: expect.stringMatching(/^fnd_[0-9a-f]{12}$/),
        path: "app/rates.py",
        side: "RIGHT",
        startLine: 2,
        line: 2,
        severity: "medium",
        category: "reliability",
        rule: "missing-timeout",
        title: "Request has no timeout",
        body: expect.stringMatching(/waits for ever.*\n\n.*timeout=10/s),
        source: "rule",
        confidence: 0.75,
        suggestion: { startLine: 2, line: 2, text: "reply = requests.get(URL, timeout=10)" },
        precedents: [],
      },
    ]);
  });

  test("a defect on an untouched line is not", async () => {
    const head = `${OPEN}\nprint(reply)\nlog(reply)\n`;
    const file = changed("app/rates.py", head, hunk(1, ` ${OPEN}`, "+print(reply)", " log(reply)"));
    expect((await inspect([file])).findings).toEqual([]);
  });

  test("a match of several lines is, when one of them is added, and stays inside that line's hunk", async () => {
    const call = ["reply = requests.post(", "    URL,", "    json=a,", "    headers=b,", "    cookies=c,", ")"];
    const one = changed("app/rates.py", call.join("\n"), hunk(2, "     URL,", "+    json=a,", "     headers=b,"));
    const { findings } = await inspect([one]);
    expect(findings.map(({ startLine, line }) => [startLine, line])).toEqual([[2, 4]]);

    const two = changed(
      "app/rates.py",
      call.join("\n"),
      hunk(1, ` ${call[0]}`, ` ${call[1]}`),
      hunk(4, "     headers=b,", "+    cookies=c,", " )"),
    );
    expect((await inspect([two])).findings.map(({ startLine, line }) => [startLine, line])).toEqual([[4, 6]]);
  });

  test("removed files, binary files and files without added lines are left alone", async () => {
    const file = exampleFile("app/rates.py", OPEN);
    const removed = { ...file, diff: { ...file.diff, status: "removed" as const } };
    const binary = { ...file, diff: { ...file.diff, binary: true } };
    const same = { ...file, diff: { ...file.diff, hunks: [] } };
    expect(await inspect([removed, binary, same])).toEqual({ findings: [], heldBack: [], degraded: [] });
  });

  test("tests are left alone by rules for production code only", async () => {
    const { findings } = await inspect([
      exampleFile("tests/test_rates.py", OPEN),
      exampleFile("src/load.test.ts", UNAWAITED),
    ]);
    expect(findings.map((finding) => finding.rule)).toEqual(["unawaited-assertion"]);
  });

  test("a language that no rule reads is not degraded", async () => {
    expect(await inspect([exampleFile("main.zig", "const x = 1;")])).toEqual({
      findings: [],
      heldBack: [],
      degraded: [],
    });
  });
});

describe("identity", () => {
  test("stays when the line moves or is indented, and distinguishes equal lines", async () => {
    const [first, second] = (await inspect([exampleFile("app/a.py", `${OPEN}\n${OPEN}`)])).findings;
    const moved = (await inspect([exampleFile("app/a.py", `import requests\n\nif True:\n    ${OPEN}`)])).findings;
    expect(first?.id).not.toBe(second?.id);
    expect(moved.map((finding) => finding.id)).toEqual([first?.id]);
  });

  test("is the same with LF and CRLF, and so is the place", async () => {
    const code = `import requests\n${OPEN}\nprint(reply)`;
    const unix = (await inspect([exampleFile("app/a.py", code)])).findings;
    const windows = (await inspect([exampleFile("app/a.py", code.replaceAll("\n", "\r\n"))])).findings;
    expect(windows).toEqual(unix);
    expect(unix).toHaveLength(1);
  });

  test("place is right behind text outside the basic plane", async () => {
    const { findings } = await inspect([exampleFile("app/a.py", `x = "𝒳👩‍👩‍👧 ñ"\n# 漢字\n${OPEN}`)]);
    expect(findings.map((finding) => finding.line)).toEqual([3]);
  });
});

describe("settings and ignore comments", () => {
  test("off silences a rule, and a severity replaces its own", async () => {
    const file = exampleFile("app/a.py", OPEN);
    expect((await inspect([file], { "missing-timeout": "off" })).findings).toEqual([]);
    const [finding] = (await inspect([file], { "missing-timeout": "critical" })).findings;
    expect(finding?.severity).toBe("critical");
  });

  test.each([
    ["on the line", `${OPEN}  # kodiai-ignore missing-timeout the proxy has one`],
    ["on the line above", `# kodiai-ignore missing-timeout: the proxy has one\n${OPEN}`],
    ["among others", `# kodiai-ignore weak-password-hash, missing-timeout -- the proxy has one\n${OPEN}`],
  ])("a comment %s holds the finding back with its reason", async (_where, code) => {
    const { findings, heldBack } = await inspect([exampleFile("app/a.py", code)]);
    expect(findings).toEqual([]);
    expect(heldBack.map((held) => [held.finding.rule, held.reason])).toEqual([
      ["missing-timeout", "kodiai-ignore: the proxy has one"],
    ]);
  });

  test("a comment without a reason works and says so", async () => {
    const { heldBack } = await inspect([
      exampleFile("src/a.ts", "/* kodiai-ignore eval-of-input */\nconst sum = eval(formula);"),
    ]);
    expect(heldBack.map((held) => held.reason)).toEqual(["kodiai-ignore: no reason given"]);
  });

  test.each([
    ["another rule", `${OPEN}  # kodiai-ignore weak-password-hash reason`],
    ["no rule", `${OPEN}  # kodiai-ignore`],
    ["a string, not a comment", `note = "kodiai-ignore missing-timeout x"\n${OPEN}`],
    ["the line above, after code of its own", `a = 1  # kodiai-ignore missing-timeout x\n${OPEN}`],
  ])("a comment that names %s changes nothing", async (_what, code) => {
    const { findings, heldBack } = await inspect([exampleFile("app/a.py", code)]);
    expect(findings.map((finding) => finding.rule)).toEqual(["missing-timeout"]);
    expect(heldBack).toEqual([]);
  });
});

describe("failures stay small", () => {
  const words = {
    title: "Broken",
    severity: "minor",
    category: "style",
    confidence: 1,
    why: "W.",
    fix: "M.",
    inTests: true,
  } as const;
  const thrower: LineRule = {
    ...words,
    id: "thrower",
    check: () => {
      throw new Error("boom");
    },
  };
  const invalid: StructuralRule = {
    ...words,
    id: "invalid",
    match: { python: [{ kind: "no_such_kind" }] },
  };
  const lines: LineRule = {
    ...words,
    id: "every-line",
    check: (file) =>
      file.diff.hunks.flatMap((one) =>
        one.lines.map((line) => ({ startLine: line.newLine ?? 0, line: line.newLine ?? 0 })),
      ),
  };

  test("a rule that throws is degraded by name and the others still report", async () => {
    const rules: readonly Rule[] = [thrower, invalid, ...FILE_RULES];
    const { findings, degraded } = await rulesInspector(rules).inspect([exampleFile("app/a.py", OPEN)], new Map(), []);
    expect(findings.map((finding) => finding.rule)).toEqual(["missing-timeout"]);
    expect(degraded).toEqual([
      { part: "rule thrower", reason: "app/a.py: boom", paths: ["app/a.py"] },
      { part: "rule invalid", reason: expect.stringContaining("no_such_kind"), paths: ["app/a.py"] },
    ]);
  });

  test("more than 200 matches of a rule in a file are counted, not shown", async () => {
    const file = exampleFile("app/a.py", `${"x = 1\n".repeat(249)}x = 1`);
    const { findings, degraded } = await rulesInspector([lines]).inspect([file], new Map(), []);
    expect(findings).toHaveLength(200);
    expect(degraded).toEqual([{ part: "rule every-line", reason: expect.stringContaining("50 more matches") }]);
  });

  test.each([
    ["a minified line", `x = "${"a".repeat(20_001)}"`, "a line is longer than 20000 characters"],
    ["a file of comments that never end", "/*\n".repeat(200), "comments are opened and never closed"],
    ["a huge file", "x = 1\n".repeat(180_000), "larger than 256 KiB"],
    ["deep nesting", `x = ${"(".repeat(300)}1${")".repeat(300)}`, "code nested deeper than 250 levels"],
    ["a long chain", `x = ${"a +\n".repeat(5_000)}a`, "code nested deeper than 250 levels"],
  ])("%s leaves structural rules out and says so; line rules still run", async (_what, text, reason) => {
    const file = changed("src/a.ts", `${text}\n`, hunk(1, "+one"));
    const { findings, degraded } = await rulesInspector([...FILE_RULES, lines]).inspect([file], new Map(), []);
    expect(degraded).toContainEqual({
      part: "structural-rules",
      reason: `src/a.ts: ${reason}`,
      paths: ["src/a.ts"],
    });
    expect(findings.map((finding) => finding.rule)).toEqual(["every-line"]);
  });

  test("any text in any language gives an answer, the same one twice, on added lines only", async () => {
    const path = fc.constantFrom(
      "a.ts",
      "a.tsx",
      "a.js",
      "a.py",
      "a.go",
      "a.java",
      "a.rb",
      "a.rs",
      "a.php",
      "constructor.py",
    );
    const scrap = fc.constantFrom(
      ...FILE_RULES.flatMap((rule) => casesOf(rule).bad.map((bad) => bad.code)),
      "}",
      "{",
      "`",
      '"""',
      "<?php",
      "\0",
      "\r",
      "\u2028",
    );
    const text = fc
      .array(fc.oneof(scrap, fc.string({ unit: "binary" })), { maxLength: 6 })
      .map((parts) => parts.join("\n"));
    await fc.assert(
      fc.asyncProperty(path, text, fc.boolean(), async (name, code, whole) => {
        const file = exampleFile(name, code);
        const subject: InspectedFile = whole
          ? file
          : { ...file, headText: null, diff: { ...file.diff, status: "modified" } };
        const answer = await inspect([subject]);
        expect(await inspect([subject])).toEqual(answer);
        for (const { startLine, line } of answer.findings) {
          expect(startLine).toBeGreaterThanOrEqual(1);
          expect(line).toBeGreaterThanOrEqual(startLine);
          expect(line).toBeLessThanOrEqual(code.split("\n").length);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("hunks without the head text", () => {
  test.each([
    [
      "a method of a class",
      "Account.java",
      "        check(name);",
      "        String hash = DigestUtils.md5Hex(password);",
    ],
    ["an indented block", "app/rates.py", "        url = URL", `        ${OPEN}`],
    ["a page of PHP", "users.php", "    $id = 1;", '    $db->query("SELECT id FROM users WHERE id = " . $id);'],
    [
      "a method of a TypeScript class",
      "src/a.ts",
      "  private n = 1;",
      "  private run() { return eval(this.formula); }",
    ],
    ["a statement of Go", "work.go", "\tx := 1", "\tbody, _ := io.ReadAll(resp.Body)"],
  ])("%s is read at its place", async (_what, path, before, added) => {
    const { findings, degraded } = await inspect([changed(path, null, hunk(40, ` ${before}`, `+${added}`))]);
    expect(findings.map((finding) => [finding.startLine, finding.line])).toEqual([[41, 41]]);
    expect(degraded).toEqual([{ part: "head-text", reason: expect.stringContaining("hunks only") }]);
  });

  test("a hunk that begins inside a docstring is prose until the docstring ends", async () => {
    const prose = [" Fetches today's rates, as one would by hand:", `+    ${OPEN}`, " and doesn't keep them.", ' """'];
    const file = changed("app/rates.py", null, hunk(40, ...prose, `+    ${OPEN}`, "     return reply"));
    expect((await inspect([file])).findings.map((finding) => finding.line)).toEqual([44]);
  });

  test("a rule that needs the whole file is silent there, and that is said once", async () => {
    const added = hunk(7, "+  expect(load()).rejects.toThrow();");
    const { findings, degraded } = await inspect([
      changed("test/a.test.ts", null, added),
      changed("test/b.test.ts", null, added),
    ]);
    expect(findings).toEqual([]);
    expect(degraded).toHaveLength(1);
    const known = exampleFile("test/a.test.ts", UNAWAITED);
    expect((await inspect([known])).findings.map((finding) => finding.rule)).toEqual(["unawaited-assertion"]);
  });

  test("an added file of one hunk is known as a whole", async () => {
    const file = { ...exampleFile("test/a.test.ts", UNAWAITED), headText: null };
    const { findings, degraded } = await inspect([file]);
    expect(findings.map((finding) => finding.rule)).toEqual(["unawaited-assertion"]);
    expect(degraded).toEqual([]);
  });
});

test("findings are ordered by file, line and rule, for any order of the rules", async () => {
  const files = [
    exampleFile("b.py", `x = yaml.load(s)\n${OPEN}`),
    exampleFile("a.py", "x = yaml.load(requests.get(URL))"),
  ];
  const expected = [
    ["b.py", 1, "unsafe-yaml-load"],
    ["b.py", 2, "missing-timeout"],
    ["a.py", 1, "missing-timeout"],
    ["a.py", 1, "unsafe-yaml-load"],
  ];
  for (const rules of [FILE_RULES, FILE_RULES.toReversed()]) {
    const { findings } = await rulesInspector(rules).inspect(files, new Map(), []);
    expect(findings.map(({ path, line, rule }) => [path, line, rule])).toEqual(expected);
  }
});

test("rule ids are sorted and unique", () => {
  const ids = EVERY_RULE.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort());
});
