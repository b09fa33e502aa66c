import { describe, expect, test } from "vitest";
import { compileCustomRules } from "../../../src/adapters/rules/custom.ts";
import { rulesInspector } from "../../../src/adapters/rules/inspector.ts";
import { EVERY_RULE } from "../../../src/adapters/rules/rules.ts";
import { CustomRule } from "../../../src/config/repo-config.ts";
import { exampleFile } from "./example-file.ts";

const custom = (id: string, language: string, rule: unknown, more: object = {}): CustomRule =>
  CustomRule.parse({ id, language, message: "No legacy client", rule, ...more });

const legacy = custom(
  "no-legacy-client",
  "typescript",
  { pattern: "new LegacyClient($$$)" },
  { severity: "major", note: "Use `Client`." },
);

describe("a repository's own rules", () => {
  test("report with their own text and severity", async () => {
    const { findings, degraded } = await rulesInspector().inspect(
      [exampleFile("src/a.ts", "const a = 1;\nconst client = new LegacyClient(url);")],
      new Map(),
      [legacy],
    );
    expect(degraded).toEqual([]);
    expect(findings).toMatchObject([
      { rule: "no-legacy-client", severity: "major", title: "No legacy client", body: "Use `Client`.", line: 2 },
    ]);
  });

  test.each([
    ["python", "requests.get("],
    ["python", "def f(:"],
    ["go", "fmt.Println($A"],
    ["typescript", "if ($A) {"],
    ["java", "class A {"],
    ["ruby", "if $A"],
    ["rust", "let x = "],
  ])("in %s with the pattern %j would find nothing, which is a problem", (language, pattern) => {
    for (const rule of [
      { pattern },
      { any: [{ pattern }, { kind: "x" }] },
      { pattern: { context: pattern, selector: "x" } },
    ]) {
      const [problem] = compileCustomRules([custom("half", language, rule)]).problems;
      expect(problem?.message).toMatch(/is no complete \w+ code|is not configured correctly|Kind `x` is invalid/);
    }
  });

  test.each([
    ["python", "requests.get($$$)"],
    ["python", "try:\n  $A\nexcept $E:\n  $$$B"],
    ["typescript", "foo({ a: $A, ...$B })"],
    ["typescript", "<Button {...$PROPS} />"],
    ["java", "System.out.println($X)"],
    ["rust", "$X.unwrap()"],
    ["go", "if err != nil { $$$ }"],
    ["ruby", "def $F\nend"],
  ])("in %s with the pattern %j is fine", (language, pattern) => {
    expect(compileCustomRules([custom("whole", language, { pattern })]).problems).toEqual([]);
  });

  test("for TypeScript also read .tsx, for tsx only .tsx", async () => {
    const tsx = custom("tsx-only", "tsx", { pattern: "new LegacyClient($$$)" });
    const code = "const client = new LegacyClient(url);";
    const { findings } = await rulesInspector([]).inspect(
      [exampleFile("src/a.tsx", code), exampleFile("src/a.ts", code)],
      new Map(),
      [legacy, tsx],
    );
    expect(findings.map(({ path, rule }) => [path, rule])).toEqual([
      ["src/a.tsx", "no-legacy-client"],
      ["src/a.tsx", "tsx-only"],
      ["src/a.ts", "no-legacy-client"],
    ]);
  });

  test("obey settings and ignore comments like the built-in ones", async () => {
    const file = exampleFile(
      "src/a.ts",
      "new LegacyClient(url); // kodiai-ignore no-legacy-client migration is next week",
    );
    const held = await rulesInspector().inspect([file], new Map(), [legacy]);
    expect(held.heldBack.map(({ reason }) => reason)).toEqual(["kodiai-ignore: migration is next week"]);
    const off = await rulesInspector().inspect([file], new Map([["no-legacy-client", "off" as const]]), [legacy]);
    expect(off).toEqual({ findings: [], heldBack: [], degraded: [] });
  });

  test("that match everything are cut at 200 and counted", async () => {
    const everything = custom("everything", "python", { pattern: "$A" });
    const file = exampleFile("app/a.py", Array.from({ length: 300 }, (_, line) => `x${line} = ${line}`).join("\n"));
    const { findings, degraded } = await rulesInspector([]).inspect([file], new Map(), [everything]);
    expect(findings).toHaveLength(200);
    expect(degraded).toEqual([{ part: "rule everything", reason: expect.stringContaining("100 more matches") }]);
  });
});

describe("a mistake in a rule", () => {
  const circle: Record<string, unknown> = { kind: "identifier" };
  circle.not = circle;
  const deep = Array.from({ length: 60 }).reduce<Record<string, unknown>>((inner) => ({ not: inner }), {
    kind: "identifier",
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ["an unknown kind", { kind: "no_such_kind" }, /no_such_kind/],
    ["an unknown key", { patern: "x" }, /unknown field `patern`/],
    ["an invalid regular expression", { kind: "identifier", regex: "(" }, /unclosed group/],
    ["an empty pattern", { pattern: "" }, /No AST root/],
    ["nothing to match", {}, /positive matcher/],
    ["a reference to nothing", { matches: "nothing" }, /not defined/],
    ["a value that is no rule", { all: "identifier" }, /invalid type/],
    ["a circle made by an alias", circle, /deeper than/],
    ["too deep a tree", deep, /deeper than/],
    ["too many values", { any: Array.from({ length: 2_000 }, () => ({ kind: "identifier" })) }, /more than/],
  ])("%s is a problem that names the rule, and the rest goes on", async (_what, rule, message) => {
    const broken: CustomRule = { ...legacy, id: "broken-rule", rule };
    const problems = compileCustomRules([broken, legacy]).problems;
    expect(problems).toEqual([{ id: "broken-rule", message: expect.stringMatching(message) }]);
    const { findings, degraded } = await rulesInspector([]).inspect(
      [exampleFile("src/a.ts", "new LegacyClient(url);")],
      new Map(),
      [broken, legacy],
    );
    expect(findings.map((finding) => finding.rule)).toEqual(["no-legacy-client"]);
    expect(degraded).toEqual([{ part: "custom rule broken-rule", reason: expect.stringMatching(message) }]);
  });

  test("an id that is taken is a problem", () => {
    const taken = new Set(EVERY_RULE.map(({ id }) => id));
    expect(compileCustomRules([legacy, legacy, { ...legacy, id: "weak-password-hash" }], taken).problems).toEqual([
      { id: "no-legacy-client", message: "the id is already taken by another rule" },
      { id: "weak-password-hash", message: "the id is already taken by another rule" },
    ]);
  });
});
