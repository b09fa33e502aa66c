// Assertions that cannot fail.
import type { StructuralRule } from "../rule.ts";
import { example, node, script, text } from "./shapes.ts";

export const TESTING: readonly StructuralRule[] = [
  {
    id: "unawaited-assertion",
    title: "Assertion about a promise is not awaited",
    severity: "medium",
    category: "tests",
    confidence: 0.9,
    why: "The test ends before the promise settles, so it passes whatever the promise does.",
    fix: "Put `await` before `expect(…)`, or return it.",
    inTests: true,
    onlyWith: /\.(resolves|rejects)\b/,
    wholeFile: true,
    match: script(
      node(
        "expression_statement",
        { has: { kind: "call_expression" } },
        text(String.raw`^expect\(.*\)\s*\.(resolves|rejects)\s*\.(not\s*\.)?\w+\(`),
      ),
    ),
    fixes: [{ from: /^/, to: "await " }],
    bad: example("test/load.test.ts", 'test("loads", () => {', "  expect(load()).resolves.toBe(1);", "});"),
    good: example(
      "test/load.test.ts",
      'test("loads", async () => {',
      "  await expect(load()).resolves.toBe(1);",
      "});",
    ),
  },
  {
    id: "assert-tuple",
    title: "Assertion about a tuple is always true",
    severity: "major",
    category: "correctness",
    confidence: 0.95,
    why: "The parentheses turn condition and message into a tuple of two, and a tuple that holds something is true.",
    fix: "Take the parentheses away: `assert condition, message`.",
    inTests: true,
    onlyWith: /assert\s*\(/,
    match: {
      python: {
        kind: "assert_statement",
        has: { nthChild: 1, kind: "tuple", has: { kind: "string", nthChild: { position: 1, reverse: true } } },
      },
    },
    fixes: [
      { from: /^assert\s*\(([\s\S]*)\)$/, to: "assert $1" },
      { from: /^\(([\s\S]*)\)$/, to: "$1" },
    ],
    bad: example("app/check.py", 'assert (age > 0, "age is negative")'),
    good: example("app/check.py", 'assert age > 0, "age is negative"'),
  },
];
