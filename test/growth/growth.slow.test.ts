// The law of every stage: twice the input takes at most 2.6 times the processor time. Every text of texts.ts through every stage
// that reads one, and every shape of a change.
import { afterAll, expect, test } from "vitest";
import { growthOf, MOST_GROWTH } from "./growth.ts";
import { SHAPES } from "./shapes.ts";
import { CODE_STAGES, PROSE_STAGES, type Stage, symbols } from "./stages.ts";
import { TEXTS } from "./texts.ts";

const PATHS = ["src/a.ts", "app/a.py", "docs/a.md", ".github/workflows/a.yml"];
/** A grammar is not ours. It runs in processes that are ended after 5 s, three times for one review. */
const BY_GRAMMAR = new Set(["read definitions", "read links", "inspect by rules", "inspect hunks by rules"]);

afterAll(() => symbols.close());

async function grown(stage: Stage, to: number): Promise<string[]> {
  const slow: string[] = [];
  for (const [text, of] of Object.entries(TEXTS)) {
    const { ratio, size, ms } = await growthOf((chars) => stage(of(chars)), 8_192, to);
    if (ratio > MOST_GROWTH) slow.push(`${text}: ${ms.toFixed(0)} ms for ${size} characters, x${ratio.toFixed(1)}`);
  }
  return slow;
}

test.each(Object.entries(PROSE_STAGES))("%s: time grows with size", { timeout: 600_000 }, async (_, stage) => {
  expect(await grown(stage, 65_536)).toEqual([]);
});

const ofCode = Object.entries(CODE_STAGES).filter(([name]) => !BY_GRAMMAR.has(name));
const cases = PATHS.flatMap((path) => ofCode.map(([name, at]) => [name, path, at(path)] as const));

test.each(cases)("%s of %s: time grows with size", { timeout: 900_000 }, async (_name, _path, stage) => {
  expect(await grown(stage, 16_384)).toEqual([]);
});

test.each(Object.entries(SHAPES))("%s: time grows with number", { timeout: 300_000 }, async (_, sized) => {
  expect((await growthOf(sized, 250, 8_000)).ratio).toBeLessThan(MOST_GROWTH);
});
