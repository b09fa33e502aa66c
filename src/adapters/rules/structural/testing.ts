// Assertions that cannot fail.
import type { StructuralRule } from "../rule.ts";
import { example, has, node, script, text } from "./shapes.ts";

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
    bad: [
      example("test/load.test.ts", 'test("loads", () => {', "  expect(load()).resolves.toBe(1);", "});"),
      example("test/load.test.js", 'it("fails", () => { expect(load(null)).rejects.toThrow(); });'),
    ],
    good: [
      example("test/load.test.ts", 'test("loads", async () => {', "  await expect(load()).resolves.toBe(1);", "});"),
      example("test/load.test.ts", 'test("loads", () => expect(load()).resolves.toBe(1));'),
    ],
  },
  {
    id: "assertion-not-called",
    title: "Assertion is named but not called",
    severity: "medium",
    category: "tests",
    confidence: 0.9,
    why: "Without the parentheses nothing is checked, and the test passes whatever happens.",
    fix: "Call it: `toBeTruthy()`, `assert_called_once()`.",
    inTests: true,
    onlyWith: /\bexpect\(|assert_|called_(once|with)|not_called|has_calls/,
    wholeFile: true,
    match: {
      ...script({
        kind: "expression_statement",
        has: node(
          "member_expression",
          text(String.raw`^expect\(`),
          has("property", String.raw`^to(Be|Equal|StrictEqual|Have|Throw|Match|Contain)\w*$`),
        ),
      }),
      python: [
        {
          kind: "expression_statement",
          has: {
            kind: "attribute",
            regex: String.raw`(?s)\.assert_(called|not_called|called_once|called_with|called_once_with|any_call|has_calls)$`,
          },
        },
        {
          kind: "expression_statement",
          has: {
            kind: "call",
            has: {
              field: "function",
              regex: String.raw`(?s)\.(called_once_with|called_with|called_once|not_called|has_calls)$`,
            },
          },
        },
        // `assert mock.called_once()` makes a new mock, which is always true.
        {
          kind: "assert_statement",
          has: {
            kind: "call",
            has: {
              field: "function",
              regex: String.raw`(?s)\.(called_once_with|called_with|called_once|not_called|has_calls)$`,
            },
          },
        },
      ],
    },
    bad: [
      example("test/load.test.ts", 'test("loads", () => {', "  expect(load()).toBeTruthy;", "});"),
      example("tests/test_load.py", "def test_load(mock):", "    load()", "    mock.assert_called_once"),
      example("tests/test_load.py", "def test_load(mock):", "    load()", "    mock.called_once_with(1)"),
    ],
    good: [
      example("test/load.test.ts", 'test("loads", () => {', "  expect(load()).toBeTruthy();", "});"),
      example("test/load.test.ts", "expect(loaded).to.be.true;"),
      example("tests/test_load.py", "def test_load(mock):", "    load()", "    mock.assert_called_once()"),
    ],
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
    bad: [
      example("app/check.py", 'assert (age > 0, "age is negative")'),
      example("tests/test_age.py", "def test_age():", '    assert (age() == 3, "three years")'),
    ],
    good: [
      example("app/check.py", 'assert age > 0, "age is negative"'),
      example("app/check.py", "assert (age > 0 and", "        age < 150)"),
    ],
  },
];
