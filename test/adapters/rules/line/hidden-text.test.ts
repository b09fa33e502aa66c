import { describe, expect, test } from "vitest";
import { HIDDEN_TEXT_RULES } from "../../../../src/adapters/rules/line/hidden-text.ts";
import { sharedRows } from "../../secrets/shared-fixtures.ts";
import { casesOf } from "../cases/cases.ts";
import { fromExample, LINE_RULES } from "./inspected.ts";

interface Sample {
  readonly path: string;
  readonly technique: string;
  readonly bidi_or_invisible: readonly string[];
  readonly content: string;
}

const samples = sharedRows<Sample>("trojan-source/samples.jsonl");

async function lines(path: string, code: string): Promise<readonly number[]> {
  const file = fromExample({ path, code });
  const all = await Promise.all(HIDDEN_TEXT_RULES.map((rule) => rule.check(file)));
  return all.flatMap((matches) => [...matches].map(({ line }) => line));
}

describe.skipIf(samples === null)("the Trojan Source samples", () => {
  test("every sample with hidden characters gives a finding on each line that holds one [T7]", async () => {
    const hidden = (samples ?? []).filter(({ bidi_or_invisible }) => bidi_or_invisible.length > 0);
    expect(hidden.length).toBe(39);
    for (const { path, content } of hidden) {
      const expected = content
        .split("\n")
        .flatMap((text, at) => (/[\u200B-\u200F\u202A-\u202E\u2066-\u2069]/.test(text) ? [at + 1] : []));
      expect(
        [...new Set(await lines(path, content))].toSorted((a, b) => a - b),
        path,
      ).toEqual(expected);
    }
  });

  test("every sample with a lookalike letter gives a finding [T7]", async () => {
    const lookalike = (samples ?? []).filter(({ technique }) => technique.startsWith("homoglyph"));
    expect(lookalike.length).toBeGreaterThan(5);
    for (const { path, content } of lookalike) expect((await lines(path, content)).length, path).toBeGreaterThan(0);
  });
});

test.each([
  [
    "an emoji family, a flag and a keycap",
    'label = "👩‍❤️‍👨 🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F} 1\uFE0F\u20E3 🏳️‍🌈"',
  ],
  ["Persian with a non-joiner", 'label = "می\u200Cخواهم"'],
  ["Hindi with a joiner", 'label = "क्\u200Dष"'],
  ["Thai with word breaks", 'label = "ภาษา\u200Bไทย"'],
  ["a Han character with a variation selector", 'label = "葛\u{E0100}"'],
  ["Hebrew with a direction mark", 'label = "כותר C++\u200E"'],
])("%s is spelling and stays [T7]", async (_name, code) => {
  expect(await lines("src/labels.py", code)).toEqual([]);
});

test.each([
  0x0085, 0x00ad, 0x061c, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2060, 0x2063, 0x206a, 0x3164,
  0xfeff, 0xe0001, 0xe0041, 0xe0101,
])("U+%x inside an English identifier is found at its start, middle and end", async (codePoint) => {
  const hidden = String.fromCodePoint(codePoint);
  for (const code of [`x = ${hidden}admin`, `x = ad${hidden}min`, `x = admin${hidden}`])
    expect((await lines("src/a.py", `y = 1\n${code}`)).includes(2), code).toBe(true);
});

test("a hidden character in a line of a megabyte is found", async () => {
  expect(await lines("src/a.js", `${"a".repeat(1_000_000)}\u202E`)).toEqual([1]);
});

test("a secret's value is never quoted by a finding", async () => {
  const rules = LINE_RULES.filter(({ category }) => category === "security");
  for (const rule of rules)
    for (const example of casesOf(rule).bad)
      for (const { detail = "" } of await rule.check(fromExample(example)))
        expect(
          detail
            .split(/[\s,]+/)
            .filter((word) => /\d/.test(word) && /[a-z]/.test(word) && word.length > 12 && !word.includes("/")),
        ).toEqual([]);
});
