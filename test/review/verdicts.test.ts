// What a second look and a model's word about rules' findings may change, and what they may not.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SEVERITIES } from "../../src/domain/finding.ts";
import { matchingInstructions } from "../../src/review/compose.ts";
import { checkByRule, takeRuleVerdicts, takeVerdicts, verifyQuestion } from "../../src/review/reading/verify.ts";
import type { CheckedFinding, RuleVerdict } from "../../src/review/reply.ts";
import { runs } from "../property-runs.ts";
import { anyFinding, fileDiff, finding, LOGIN } from "./review-builders.ts";

const verdict = (id: string, more: Partial<CheckedFinding> = {}): CheckedFinding => ({
  id,
  verdict: "holds",
  severity: "major",
  confidence: 0.9,
  reason: "It is so.",
  ...more,
});
const word = (id: string, more: Partial<RuleVerdict> = {}): RuleVerdict => ({
  id,
  verdict: "wrong",
  reason: "It cannot.",
  ...more,
});
const drafted = (more = {}) => finding({ source: "model", rule: null, locMethod: "anchor", ...more });

describe("takeVerdicts", () => {
  test("what holds stays, what is wrong is held back with the reason, of either bracket", () => {
    const [one, other] = [drafted(), drafted()];
    const { findings, heldBack } = takeVerdicts(
      [one, other],
      [verdict(`[${one.id}]`), verdict(other.id, { verdict: "wrong" })],
      "balanced",
      new Set(),
    );
    expect(findings.map(({ id }) => id)).toEqual([one.id]);
    expect(heldBack).toMatchObject([{ finding: { id: other.id }, reason: "it did not hold when checked: It is so." }]);
  });

  test("verdicts that contradict each other decide nothing", () => {
    const one = drafted({ confidence: 0.9 });
    const both = [verdict(one.id, { verdict: "wrong" }), verdict(one.id)];
    for (const verdicts of [both, both.toReversed()]) {
      expect(takeVerdicts([one], verdicts, "balanced", new Set()).findings[0]?.confidence).toBeCloseTo(0.72);
    }
  });

  test("nothing is lost, nothing becomes graver, and confidence stays a share", () => {
    const anyVerdict = fc.record({
      id: fc.nat({ max: 40 }).map((number) => `fnd_${number.toString(16).padStart(12, "0")}`),
      verdict: fc.constantFrom("holds", "partly", "wrong", "not-shown"),
      severity: fc.constantFrom(...SEVERITIES),
      confidence: fc.double(),
      reason: fc.string(),
    });
    fc.assert(
      fc.property(
        fc.array(anyFinding, { maxLength: 20 }),
        fc.array(anyVerdict, { maxLength: 30 }),
        fc.constantFrom("quiet", "balanced", "thorough"),
        (findings, verdicts, profile) => {
          const checked = takeVerdicts(findings, verdicts as CheckedFinding[], profile, new Set());
          const out = [...checked.findings, ...checked.heldBack.map((held) => held.finding)];
          expect(out).toHaveLength(findings.length);
          for (const one of out) {
            const before = findings.find(({ id }) => id === one.id);
            expect(one.confidence).toBeGreaterThanOrEqual(0);
            expect(one.confidence).toBeLessThanOrEqual(1);
            if (findings.filter(({ id }) => id === one.id).length === 1) {
              expect(SEVERITIES.indexOf(one.severity)).toBeGreaterThanOrEqual(SEVERITIES.indexOf(before!.severity));
            }
          }
        },
      ),
      runs(500),
    );
  });
});

describe("checkByRule", () => {
  test.each([
    ["a mild finding about lines that stay", { startLine: 16, line: 16, severity: "medium" }, /does not touch/],
    ["a mild one beside an added line", { startLine: 10, line: 10, severity: "medium" }, null],
    ["a grave one about lines that stay", { startLine: 10, line: 10, severity: "major" }, null],
    ["one about an added line", { startLine: 11, line: 11, severity: "minor" }, null],
    [
      "one whose fix stands there",
      {
        startLine: 13,
        line: 13,
        suggestion: { startLine: 13, line: 13, text: "    digest = hashlib.md5(password).hexdigest()" },
      },
      /already there/,
    ],
  ] as const)("%s", (_, more, reason) => {
    const { heldBack } = checkByRule([drafted(more)], [LOGIN]);
    if (reason === null) expect(heldBack).toEqual([]);
    else expect(heldBack[0]?.reason).toMatch(reason);
  });
});

describe("verifyQuestion", () => {
  const long = fileDiff(
    "src/long.ts",
    [
      "@@ -1,0 +1,600 @@",
      ...Array.from({ length: 600 }, (_, at) => `+const value${at} = ${at};`),
      "@@ -700,300 +1300,1 @@",
      ...Array.from({ length: 300 }, (_, at) => `-const old${at} = ${at};`),
      "+const last = 1;",
    ].join("\n"),
  );
  const ask = (findings: Parameters<typeof verifyQuestion>[0], room = 100_000) => {
    const question = verifyQuestion(findings, [long, LOGIN], new Map(), "kodiai-00", room, "");
    return { ...question, text: question.user.map(({ text }) => text).join() };
  };

  test("shows the lines around each finding, and not the rest of their hunks", () => {
    const { text } = ask([
      drafted({ path: long.path, startLine: 100, line: 100 }),
      drafted({ path: long.path, startLine: 500, line: 501 }),
    ]);
    const shown = [...text.matchAll(/^(\d+)#/gm)].map(([, line]) => Number(line));
    expect(shown).toEqual([
      ...Array.from({ length: 81 }, (_, at) => 60 + at),
      ...Array.from({ length: 82 }, (_, at) => 460 + at),
    ]);
    expect(text).not.toContain("old7 ");
  });

  test("a finding without a place does not cost the others their code", () => {
    const { text } = ask(
      [
        drafted({ path: long.path, locMethod: "none", startLine: 1, line: 1 }),
        drafted({ path: long.path, startLine: 500, line: 500 }),
      ],
      12_000,
    );
    expect(text).toContain("const value499 = 499;");
    expect(text.length).toBeLessThan(13_000);
  });

  test("takes as many findings as fit, at least one, and never more than the space", () => {
    const many = Array.from({ length: 60 }, () => drafted({ body: "word ".repeat(600) }));
    for (const room of [4_000, 20_000, 100_000]) {
      const { findings, text } = ask(many, room);
      expect(findings.length).toBeGreaterThan(0);
      expect(findings.length).toBeLessThan(60);
      expect(findings).toEqual(many.slice(0, findings.length));
      expect(text.length).toBeLessThan(room + 500);
    }
  });
});

describe("takeRuleVerdicts", () => {
  const mild = () => finding({ severity: "medium", category: "performance" });

  test("a mild finding that every answer calls wrong, with a reason, is held back", () => {
    const one = mild();
    expect(takeRuleVerdicts([one], [word(one.id), word(`[${one.id}]`)]).heldBack).toHaveLength(1);
    expect(takeRuleVerdicts([one], [word(one.id, { reason: " " })]).heldBack).toEqual([]);
  });

  test("one answer that does not call it wrong keeps it, whichever comes first", () => {
    const one = mild();
    for (const other of ["confirmed", "unsure"] as const) {
      const words = [word(one.id), word(one.id, { verdict: other })];
      expect(takeRuleVerdicts([one], words).findings).toEqual([one]);
      expect(takeRuleVerdicts([one], words.toReversed()).findings).toEqual([one]);
    }
  });

  test("for any model reply, nothing severe and nothing about security is held back, and nothing is lost", () => {
    fc.assert(
      fc.property(
        fc.array(anyFinding, { maxLength: 20 }),
        fc.array(anyFinding, { maxLength: 20 }),
        (findings, others) => {
          const { findings: kept, heldBack } = takeRuleVerdicts(
            findings,
            [...findings, ...others].map(({ id }) => word(id)),
          );
          expect(kept.length + heldBack.length).toBe(findings.length);
          for (const { finding: held } of heldBack) {
            expect(["critical", "major"]).not.toContain(held.severity);
            expect(held.category).not.toBe("security");
          }
        },
      ),
    );
  });
});

describe("matchingInstructions", () => {
  const rule = (path: string) => ({ path, instructions: `about ${path}` });

  test.each([
    ["src/**", ["src/a/b.ts"], true],
    ["*.sql", ["db/migrations/1.sql"], true],
    ["src/*.ts", ["src/a/b.ts"], false],
    ["**/*.ts", [".hidden/b.ts"], true],
    ["!src/**", ["lib/a.ts"], false],
    ["docs/", ["docs/a.md"], true],
    ["__proto__", ["__proto__"], true],
  ] as const)("%s for %j: %s", (path, paths, matches) => {
    expect(matchingInstructions(paths, [rule(path)])).toHaveLength(matches ? 1 : 0);
  });

  test("are in the order of the configuration, each once", () => {
    const rules = [rule("b/**"), rule("**"), rule("c/**"), rule("a/**")];
    const matched = matchingInstructions(["a/1", "a/2", "b/1"], rules).map(({ instruction }) => instruction);
    expect(matched).toEqual([rules[0], rules[1], rules[3]]);
  });
});
