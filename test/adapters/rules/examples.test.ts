import { expect, test } from "vitest";
import { parseText } from "../../../src/adapters/grammars.ts";
import { rulesInspector } from "../../../src/adapters/rules/inspector.ts";
import { FILE_RULES } from "../../../src/adapters/rules/rules.ts";
import { casesOf } from "./cases/cases.ts";
import { exampleFile } from "./example-file.ts";

const rules = FILE_RULES;

test("there are rules, each with an id of its own in kebab-case", () => {
  const ids = rules.map((rule) => rule.id);
  expect(ids.length).toBeGreaterThan(35);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([]);
});

for (const rule of rules) {
  const { bad, good } = casesOf(rule);
  const inspector = rulesInspector([rule]);
  const found = async (path: string, code: string) => {
    const { findings, degraded } = await inspector.inspect([exampleFile(path, code)], new Map(), []);
    expect(degraded).toEqual([]);
    return findings;
  };

  test(`${rule.id} reports each of its bad examples`, async () => {
    expect(bad.length).toBeGreaterThanOrEqual("match" in rule ? 2 : 1);
    const silent = [];
    for (const { path, code } of bad) {
      if ((await found(path, code)).every((finding) => finding.rule !== rule.id)) silent.push(`${path}: ${code}`);
    }
    expect(silent).toEqual([]);
  });

  test(`${rule.id} is silent about each of its good examples`, async () => {
    expect(good.length).toBeGreaterThanOrEqual("match" in rule ? 2 : 1);
    const loud = [];
    for (const { path, code } of good) {
      if ((await found(path, code)).length > 0) loud.push(`${path}: ${code}`);
    }
    expect(loud).toEqual([]);
  });

  test(`${rule.id} says in plain words what is wrong, why it matters and how to fix it`, () => {
    expect(rule.title).not.toMatch(/[.\n]$/);
    expect(rule.title.length).toBeLessThanOrEqual(90);
    expect(rule.why).toMatch(/\.$/);
    expect(rule.fix).toMatch(/\.$/);
    expect(rule.confidence).toBeGreaterThan(0);
    expect(rule.confidence).toBeLessThanOrEqual(1);
  });
}

test("no structural rule reports the good example of another one", async () => {
  const structural = rules.filter((rule) => "match" in rule);
  const inspector = rulesInspector(structural);
  const loud = [];
  for (const rule of structural) {
    for (const { path, code } of casesOf(rule).good) {
      const { findings } = await inspector.inspect([exampleFile(path, code)], new Map(), []);
      loud.push(...findings.map((finding) => `${finding.rule} on a good example of ${rule.id}: ${code}`));
    }
  }
  expect(loud).toEqual([]);
});

const shapes = rules
  .filter((rule) => "match" in rule)
  .flatMap((rule) =>
    Object.entries(rule.match).map(([language, configs]) => ({
      id: rule.id,
      bad: casesOf(rule).bad,
      language,
      configs: [configs].flat(),
    })),
  );

test("ast-grep accepts every shape", () => {
  for (const { language, configs } of shapes) {
    const nothing = parseText(language, "");
    for (const config of configs) expect(() => nothing.findAll({ rule: config })).not.toThrow();
  }
});

test("every language of a structural rule has a bad example", () => {
  // JavaScript and TypeScript share their shapes.
  const family = (language: string) => (language === "javascript" ? "typescript" : language);
  const uncovered = shapes.filter(
    ({ bad, language }) =>
      !bad.some(({ path, code }) => family(exampleFile(path, code).facts.language) === family(language)),
  );
  expect(uncovered.map(({ id, language }) => `${id}: ${language}`)).toEqual([]);
});
