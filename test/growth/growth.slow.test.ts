// The law of every stage: twice the input takes at most 2.6 times the processor time. Texts of texts.ts through every stage that
// reads one, and every shape of a change. NIGHTLY=1 sends every text through every stage, which takes most of an hour.
import { afterAll, expect, test } from "vitest";
import { growthOf, MOST_GROWTH } from "./growth.ts";
import { SHAPES } from "./shapes.ts";
import { CODE_STAGES, PROSE_STAGES, type Stage, symbols } from "./stages.ts";
import { TEXTS } from "./texts.ts";

const PATHS = ["src/a.ts", "app/a.py", "docs/a.md", ".github/workflows/a.yml"];
/** A grammar is not ours. It runs in processes that are ended after 5 s, three times for one review. */
const BY_GRAMMAR = new Set(["read definitions", "read links", "inspect by rules", "inspect hunks by rules"]);

/** Each case reads one text of so many, and not those of the cases beside it, so that all are read by several. */
const PARTS = process.env.NIGHTLY === "1" ? 1 : 12;
/** Every stage reads these: what once blocked the server, and ten kinds of everyday text. */
const ALWAYS = new Set([
  ...["equal registrations", "many routes", "many handlers", "keys of the environment", "line ends", "hash lines"],
  ...["one long line of words", "dotted names", "many paths", "nested base64", "URLs with passwords"],
  ...["imports", "headings", "table rows", "decorators", "open brackets", "long identifiers", "equal lines"],
  ...["blank lines", "CRLF line ends", "one-token lines"],
]);

afterAll(() => symbols.close());

test("every stage reads texts that exist", () => {
  expect(Object.keys(TEXTS)).toEqual(expect.arrayContaining([...ALWAYS]));
});

async function grown(stage: Stage, to: number, part: number, always = ALWAYS): Promise<string[]> {
  const slow: string[] = [];
  const texts = Object.entries(TEXTS).filter(([name], at) => always.has(name) || at % PARTS === part % PARTS);
  for (const [text, of] of texts) {
    const { ratio, size, ms } = await growthOf((chars) => stage(of(chars)), 8_192, to);
    if (ratio > MOST_GROWTH) slow.push(`${text}: ${ms.toFixed(0)} ms for ${size} characters, x${ratio.toFixed(1)}`);
  }
  return slow;
}

const ofProse = Object.entries(PROSE_STAGES).map(([name, stage], part) => [name, stage, part] as const);

test.each(ofProse)("%s: time grows with size", { timeout: 600_000 }, async (_, stage, part) => {
  expect(await grown(stage, 65_536, part)).toEqual([]);
});

const ofCode = Object.entries(CODE_STAGES).filter(([name]) => !BY_GRAMMAR.has(name));
/** Languages of which only lines are read. */
const OF_LINES = ["db/a.sql", "ops/a.sh", "Dockerfile", "infra/a.tf", "config/a.json"];
const ofFiles = PATHS.flatMap((path, turn) =>
  // At one of the paths.
  ofCode.map(([name, at], stage) => [name, path, at(path), stage % PATHS.length === turn] as const),
);
const ofLines = OF_LINES.map((path) => ["inspect lines by rules", path, CODE_STAGES["inspect lines by rules"]?.(path)]);
const cases = [...ofFiles, ...ofLines.map((one) => [...one, true] as never)].map(
  ([name, path, stage, isWhole], part) => [name, path, stage, isWhole ? ALWAYS : new Set<string>(), part] as const,
);

test.each(cases)("%s of %s: time grows with size", { timeout: 900_000 }, async (_name, _path, stage, always, part) => {
  expect(await grown(stage, 16_384, part, always)).toEqual([]);
});

test.each(Object.entries(SHAPES))("%s: time grows with number", { timeout: 300_000 }, async (_, sized) => {
  expect((await growthOf(sized, 250, 8_000)).ratio).toBeLessThan(MOST_GROWTH);
});
