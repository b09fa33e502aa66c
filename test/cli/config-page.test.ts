// What `kodiai config` prints, as values.
import { expect, test } from "vitest";
import { configExplanation, configLines, configValues } from "../../src/cli/setup/config.ts";
import { CONFIG_KEYS } from "../../src/config/config-keys.ts";
import { parseConfig } from "../../src/config/parse-config.ts";

const effective = (text: string) => parseConfig([{ file: ".kodiai.yml", text }]);
const explained = (word: string, text = "") => {
  const found = configExplanation(word, effective(text));
  if ("problem" in found) throw new Error(found.problem);
  return found;
};

test("a key is explained with type, default, example, its value and who said it, in any spelling", () => {
  const config = "preset: thorough\n";
  const { lines } = explained("review.maxComments", config);
  expect(lines.join("\n")).toMatch(
    /inline comments a review[\s\S]*type: +whole number, 0–20\n +default: 10\n +here: +20 {2}\(from: preset thorough\)\n +example:\n +review:\n +maxComments: 5/,
  );
  expect(explained("Review.max_comments", config).lines).toEqual(lines);
});

test("a section is explained by its keys, a rule by its own value, a list item's key without a value", () => {
  expect(explained("review.budget").lines.join("\n")).toMatch(
    /review\.budget\.usdPerReview: 1 {2}# default\n.*review\.budget\.usdPerMonth: 50/,
  );
  expect(explained("rules.shell-from-strings", "rules: {shell-from-strings: critical}").keys).toMatchObject([
    { key: "rules.shell-from-strings", value: "critical", origin: ".kodiai.yml" },
  ]);
  expect(explained("customRules[].id").lines.join("\n")).toContain("Unique name in kebab-case");
});

test("every key of the schema can be explained, and is in the list of values unless it belongs to a list item", () => {
  const keys = CONFIG_KEYS.map(({ path }) => path);
  for (const key of keys) expect(explained(key).keys[0]?.key, key).toBe(key);
  const listed = configValues(effective("")).map(({ key }) => key);
  expect(listed).toEqual(keys.filter((key) => key !== "_extends" && !key.includes("[]")));
});

test("an unknown key is answered with the nearest, and hostile words with a sentence", () => {
  const problem = (word: string) => configExplanation(word, effective(""));
  expect(problem("knowledge.retreival")).toEqual({
    problem: '"knowledge.retreival" is not a key of .kodiai.yml; did you mean knowledge.retrieval?',
  });
  for (const word of ["__proto__", "constructor", "rules.__proto__", "", "\u001b[31m"]) {
    expect(JSON.stringify(problem(word)), word).not.toContain("\u001b");
  }
});

test("control characters of a value do not reach the terminal", () => {
  const lines = configLines(effective('pathInstructions: [{path: "a", instructions: "\\e[31mred"}]\n'), true);
  expect(lines.join("\n")).not.toContain("\u001b");
});
