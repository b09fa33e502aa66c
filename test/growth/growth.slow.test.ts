// The law of every stage: twice the input takes at most 2.6 times the processor time. Texts of
// texts.ts through every stage that reads one, and every shape of a change. NIGHTLY=1 sends every
// text through every stage, which takes most of an hour.
import { createHash } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { growthOf, MOST_GROWTH } from "./growth.ts";
import { SHAPES } from "./shapes.ts";
import { CODE_STAGES, PROSE_STAGES, type Stage, symbols } from "./stages.ts";
import { TEXTS } from "./texts.ts";

const PATHS = ["src/a.ts", "app/a.py", "docs/a.md", ".github/workflows/a.yml"];
/**
 * A grammar is not ours. It runs in processes that are ended after 5 s, three times for one review.
 */
const BY_GRAMMAR = new Set(["read definitions", "read links", "inspect by rules", "inspect hunks by rules"]);

/**
 * Each case reads one text of so many. Their names choose them, so that a new text or case moves no
 * other.
 */
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

async function grown(stage: Stage, to: number, name: string, always = ALWAYS): Promise<string[]> {
  const slow: string[] = [];
  const isChosen = (text: string) =>
    createHash("sha256").update(`${name} ${text}`).digest().readUInt16BE() % PARTS === 0;
  const texts = Object.entries(TEXTS).filter(([text]) => always.has(text) || isChosen(text));
  for (const [text, of] of texts) {
    const { ratio, size, ms } = await growthOf((chars) => stage(of(chars)), 8_192, to);
    if (ratio > MOST_GROWTH) slow.push(`${text}: ${ms.toFixed(0)} ms for ${size} characters, x${ratio.toFixed(1)}`);
  }
  return slow;
}

test.each(Object.entries(PROSE_STAGES))("%s: time grows with size", async (name, stage) => {
  expect(await grown(stage, 65_536, name)).toEqual([]);
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
  ([name, path, stage, isWhole]) => [name, path, stage, isWhole ? ALWAYS : new Set<string>()] as const,
);

test.each(cases)("%s of %s: time grows with size", { timeout: 900_000 }, async (name, path, stage, always) => {
  expect(await grown(stage, 16_384, `${name} of ${path}`, always)).toEqual([]);
});

test.each(Object.entries(SHAPES))("%s: time grows with number", async (_, sized) => {
  expect((await growthOf(sized, 250, 8_000)).ratio).toBeLessThan(MOST_GROWTH);
});
