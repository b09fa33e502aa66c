import { describe, expect, test } from "vitest";
import type { LineRule } from "../../../../src/adapters/rules/rule.ts";
import { casesOf } from "../cases/cases.ts";
import { fromExample, LINE_RULES } from "./inspected.ts";

test("there are at least 25 rules and every id is unique kebab-case", () => {
  const ids = LINE_RULES.map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(25);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)+$/.test(id))).toEqual([]);
});

test("every rule says why and how to fix, in plain sentences, and shows at least two examples of each kind", () => {
  const poor = LINE_RULES.filter(
    (rule) =>
      rule.title.endsWith(".") ||
      rule.title.includes("\n") ||
      !rule.why.endsWith(".") ||
      !rule.fix.endsWith(".") ||
      casesOf(rule).bad.length < 2 ||
      casesOf(rule).good.length < 2 ||
      rule.confidence <= 0 ||
      rule.confidence > 1,
  );
  expect(poor.map(({ id }) => id)).toEqual([]);
});

async function speaks(rule: LineRule, example: { path: string; code: string }) {
  const file = fromExample(example);
  const matches = [...(await rule.check(file))];
  return matches;
}

describe.each(LINE_RULES.map((rule) => [rule.id, rule] as const))("%s", (_id, rule) => {
  test.each(casesOf(rule).bad.map((example) => [example.path, example] as const))(
    "reports its bad example in %s",
    async (_path, example) => {
      const matches = await speaks(rule, example);
      const lines = example.code.split("\n").length;
      expect(matches.length).toBeGreaterThan(0);
      for (const { startLine, line } of matches) {
        expect(startLine).toBeGreaterThanOrEqual(1);
        expect(line).toBeGreaterThanOrEqual(startLine);
        expect(line).toBeLessThanOrEqual(lines);
      }
    },
  );

  test.each(casesOf(rule).good.map((example) => [example.path, example] as const))(
    "is silent about its good example in %s",
    async (_path, example) => {
      expect(await speaks(rule, example)).toEqual([]);
    },
  );

  test("what it suggests is the whole line, differs from it, and silences the rule", async () => {
    for (const example of casesOf(rule).bad) {
      const lines = example.code.split("\n");
      for (const { suggestion } of await speaks(rule, example)) {
        if (suggestion === undefined) continue;
        expect(suggestion.text).not.toBe(lines[suggestion.line - 1]);
        lines[suggestion.line - 1] = suggestion.text;
        expect(await speaks(rule, { path: example.path, code: lines.join("\n") })).toEqual([]);
      }
    }
  });
});
