// Every configuration that people copy from us: the real parser, with the real rules, finds no
// problem in it.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { rulesMarkdown } from "../../scripts/rules-markdown.ts";
import { firstConfig } from "../../src/cli/setup/init.ts";
import { CONFIG_KEYS } from "../../src/config/config-keys.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { PRESET_NAMES } from "../../src/config/preset.ts";
import { RepoConfig } from "../../src/config/repo-config.ts";
import { knownRules } from "../../src/wire/rules.ts";
import { PAGES, textOf } from "./markdown.ts";

const known = knownRules();

/**
 * Keys of a version's own file and of another repository's are no problem, whatever else is
 * written.
 */
function problemsOf(text: string): readonly string[] {
  return parseConfig([{ file: ".kodiai.yml", text }], known).problems.map(
    ({ line, message }) => `${line}: ${message}: ${text.split("\n")[(line ?? 1) - 1]}`,
  );
}

/** A block of another program's file begins with that file's name as a comment. */
const OTHERS = /^# (?!\.kodiai\.yml)[\w./-]+\.ya?ml\n/;
/** From there on the page of rules shows what they speak about. */
const OF_RULES = "## Each rule";
const blocks = PAGES.flatMap((page) =>
  [...(textOf(page).split(OF_RULES)[0] ?? "").matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => ({
    page,
    text,
  })),
).filter(({ text }) => !OTHERS.test(text));

test.each(blocks)("the configuration in $page has no problem: $text", ({ text }) => {
  expect(problemsOf(text)).toEqual([]);
});

test("the pages have configurations, and what names no rule is found", () => {
  expect(new Set(blocks.map(({ page }) => page)).size).toBeGreaterThanOrEqual(5);
  expect(problemsOf("rules: {debug-leftover: off}\n")).toHaveLength(1);
});

/** Comments that hold a key, and what is indented below it, as lines. */
function uncommented(text: string): string {
  let within = "";
  return text
    .split("\n")
    .map((line) => {
      const [, indent = "", rest = ""] = /^( *)# (.*)$/.exec(line) ?? [];
      const isKey = /^\w+:(?: \S*)?$/.test(rest) && rest !== "Example:";
      if (isKey) within = indent;
      else if (!(line.startsWith(`${within}#   `) && within !== "none")) within = "none";
      return within === "none" ? line : `${indent}${rest}`;
    })
    .join("\n");
}

describe("with every comment that holds a key uncommented", () => {
  test.each(PRESET_NAMES)("what init writes has no problem: %s", (preset) => {
    const text = uncommented(firstConfig(preset));
    expect(text).toMatch(/^rules:$/m);
    expect(text).toMatch(/^pathInstructions:$/m);
    expect(problemsOf(text)).toEqual([]);
  });

  test("the example has no problem", () => {
    const text = readFileSync(".kodiai.yml.example", "utf8");
    // The example of a key in place of its default.
    const filled = uncommented(text).replace(/^( *)# Example:\n((?:\1 *\S.*\n)+?)\1\w+: (?:\[\]|\{\})$/gm, "$2");
    expect(filled).toMatch(/^customRules:$/m);
    expect(filled).toMatch(/^ +severityThreshold:/m);
    expect(filled).not.toMatch(/# Example:/);
    expect(problemsOf(filled)).toEqual([]);
  });
});

test("no example of the schema has a problem", () => {
  const own = CONFIG_KEYS.filter(({ path }) => !path.includes("[]"));
  for (const { path, example } of own) {
    const value = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), example);
    expect(problemsOf(JSON.stringify(value)), path).toEqual([]);
  }
  expect(own.length).toBeGreaterThan(Object.keys(RepoConfig.shape).length);
});

test("mappings in sentences, and comments that ignore a rule, name rules that there are", () => {
  const texts = [...PAGES.map(textOf), readFileSync(".kodiai.yml.example", "utf8"), rulesMarkdown()];
  const flows = texts.flatMap((text) =>
    [...text.matchAll(/`\{([a-z][a-z-]+: [a-z, :-]+)\}`/g)].map(([, flow]) => flow),
  );
  expect(flows.length).toBeGreaterThan(1);
  for (const flow of flows) expect(problemsOf(`rules: {${flow}}`)).toEqual([]);
  const ignored = texts.flatMap((text) => [...text.matchAll(/kodiai-ignore ([a-z]+-[a-z-]+)/g)].map(([, id]) => id));
  expect(ignored.length).toBeGreaterThan(0);
  expect(ignored.filter((id) => !known.ruleIds.has(id ?? ""))).toEqual([]);
});

test("every count of rules is the same", () => {
  const [, count] = /^Kodiai's (\d+) built-in rules/m.exec(rulesMarkdown()) ?? [];
  expect(Number(count)).toBe(known.ruleIds.size);
  const said = [...PAGES, "action.yml"].flatMap((page) => [
    ...textOf(page).matchAll(/(?<![\w.,])(\d{2,3}) (?:built-in )?rules\b/g),
  ]);
  expect(new Set(said.map(([, number]) => Number(number)))).toEqual(new Set([known.ruleIds.size]));
});
