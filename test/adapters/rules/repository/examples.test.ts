// Each example of each repository rule, through the real reader of names.

import { afterAll, expect, test } from "vitest";
import { codeSymbols } from "../../../../src/adapters/code-index/symbols.ts";
import { inspectRepository, REPOSITORY_RULES } from "../../../../src/adapters/rules/repository/inspect-repository.ts";
import { casesOf } from "../cases/cases.ts";
import type { Example } from "../rule-cases.ts";
import { exampleChange } from "./example-change.ts";

const symbols = codeSymbols();
afterAll(() => symbols.close());

async function found(example: Example) {
  const { file, snapshot } = exampleChange(example);
  const repository = { symbols, at: async () => ({ snapshot, degraded: [] }) };
  return inspectRepository([file], new Map(), repository);
}

for (const rule of REPOSITORY_RULES) {
  const { id, title, why, fix } = rule;
  const { bad, good } = casesOf(rule);
  test(`${id} reports each of its bad examples, and no other rule does`, async () => {
    const said = [];
    for (const example of bad) said.push((await found(example)).findings.map((finding) => finding.rule));
    expect(said).toEqual(bad.map(() => [id]));
    expect(bad.length).toBeGreaterThanOrEqual(2);
  });

  test(`${id} and all others are silent about each of its good examples`, async () => {
    const said = [];
    for (const example of good)
      said.push(...(await found(example)).findings.map((one) => `${one.title} ${example.code}`));
    expect(said).toEqual([]);
    expect(good.length).toBeGreaterThanOrEqual(2);
  });

  test(`${id} says in plain words what is wrong, why it matters and how to fix it`, () => {
    expect(title).not.toMatch(/[.\n]$/);
    expect(why).toMatch(/\.$/);
    expect(fix).toMatch(/\.$/);
  });
}
