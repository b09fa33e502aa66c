import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONFIG_KEYS } from "../../src/config/config-keys.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { extendsOf } from "../../src/config/read-config-file.ts";
import { defaultConfig, RepoConfig } from "../../src/config/repo-config.ts";
import { runs } from "../property-runs.ts";

/**
 * The law: whatever the text, a complete valid configuration, bounded problems, and no exception.
 */
function holds(text: string) {
  const parsed = parseConfig([{ file: ".kodiai.yml", text }]);
  expect(RepoConfig.parse(parsed.config)).toEqual(parsed.config);
  expect(parsed.problems.length).toBeLessThanOrEqual(51);
  for (const problem of parsed.problems) {
    expect(problem.message.length).toBeLessThan(500);
    expect(problem.line === null || problem.line >= 1).toBe(true);
    expect(problem.column === null || problem.column >= 1).toBe(true);
  }
  const repository = extendsOf(text);
  expect(repository === null || /^[\w.-]+$/.test(repository)).toBe(true);
  return parsed;
}

const leaf = fc.oneof(fc.string({ unit: "binary", maxLength: 8 }), fc.double(), fc.boolean(), fc.constant(null));
const known = fc.constantFrom(
  ...CONFIG_KEYS.flatMap(({ path }) => path.split(/[.[\]]+/)),
  "reviews",
  "max_comments",
  "__proto__",
);
const tree = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie("node"), { maxLength: 4 }), tie("mapping")),
  mapping: fc
    .array(fc.tuple(fc.oneof(known, fc.string({ maxLength: 6 })), tie("node")), { maxLength: 5 })
    .map((entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)}: ${asYaml(value)}`).join(", ")}}`)
    .map((text) => ({ text })),
}));

function asYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asYaml).join(", ")}]`;
  return value !== null && typeof value === "object" ? (value as { text: string }).text : JSON.stringify(value);
}

describe("any text gives a valid configuration", () => {
  test("random text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => void holds(text)),
      runs(300),
    );
  });

  test("text of YAML's own characters", () => {
    const unit = fc.constantFrom(..."[]{}:,-?&*!|>%@`\"'# \n\tab~<.=", "review:", "\n  ", "- ", "*a", "&a ", "!!js ");
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), (units) => void holds(units.join(""))),
      runs(1_000),
    );
  });

  test("any JSON value, and any tree under our own keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void holds(JSON.stringify(value))),
      runs(300),
    );
    fc.assert(
      fc.property(tree.mapping, (mapping) => void holds(asYaml(mapping))),
      runs(500),
    );
  });

  test("a valid value survives beside any other", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), known, tree.node, (count, key, node) => {
        fc.pre(!["maxComments", "max_comments"].includes(key));
        const text = `review:\n  maxComments: ${count}\n  ${JSON.stringify(key)}: ${asYaml(node)}\n`;
        expect(holds(text).config.review.maxComments).toBe(count);
      }),
      runs(300),
    );
  });
});

describe("files made to exhaust a parser are refused or read, in bounded work", () => {
  const size = 262_144;
  const files: [string, string][] = [
    ["open brackets", "[".repeat(size)],
    ["closed brackets", "]".repeat(size)],
    ["open braces", "{a: ".repeat(size / 4)],
    ["nested list items", "- ".repeat(size / 2)],
    ["nested questions", "? ".repeat(size / 2)],
    ["commas", `[${",".repeat(19_000)}]`],
    ["closing brackets under the token limit", "]".repeat(19_000)],
    ["aliases", `a: &a 1\nb:\n${"- *a\n".repeat(50_000)}`],
    ["anchors", Array.from({ length: 15_000 }, (_, index) => `- &a${index} 1`).join("\n")],
    ["tags", "- !a 1\n".repeat(37_000)],
    ["a long word", "a".repeat(size)],
    ["a long quoted text", `pathFilters: ["${"a ".repeat(130_000)}"]`],
    ["an endless quoted text", `a: "${"\\n".repeat(130_000)}`],
    ["a long number", "9".repeat(size)],
    ["a folded text", `a: >\n${"  b\n\n".repeat(50_000)}`],
    ["deep indentation", Array.from({ length: 720 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    ["many near misses", Array.from({ length: 3_900 }, (_, index) => `reviewe${index}: 1`).join("\n")],
    ["many wrong items", `pathFilters:\n${"- 1\n".repeat(4_900)}`],
    ["many wrong rules", `rules:\n${Array.from({ length: 3_900 }, (_, index) => ` r${index}: x`).join("\n")}`],
    ["an alias of itself", "&a [*a, *a]"],
    ["documents", "---\n".repeat(size / 4)],
    ["five megabytes", "review: x\n".repeat(500_000)],
  ];
  test.each(files)("%s [T22]", (_, text) => {
    const { config } = holds(text);
    expect(config).toEqual(defaultConfig());
  });
});

test.each([
  ["values behind aliases", `a: &a [${"1,".repeat(4_000)}]\nb: [${"*a,".repeat(99)}]\n`, "too many values"],
  ["aliases", `a: &a 1\nb: [${"*a,".repeat(101)}]\n`, "more than 100 aliases"],
  ["aliases of aliases", `a: &a [1]\nb: &b [${"*a,".repeat(20)}]\nc: [${"*b,".repeat(20)}]\n`, "more than 100 aliases"],
])("%s are counted where they are used [T22]", (_, text, why) => {
  const { config, problems } = holds(text);
  expect(config).toEqual(defaultConfig());
  expect(problems.map(({ message }) => message).join()).toContain(why);
});

describe("values are inert text", () => {
  const live = [
    "@format {env}",
    "@jinja {{ 7*7 }}",
    "$" + "{HOME}",
    "$HOME",
    "%PATH%",
    "$(id)",
    "`id`",
    "{{ secrets.TOKEN }}",
    "<%= process.env %>",
    "#{ENV}",
    "file:///etc/passwd",
    "http://169.254.169.254/latest/meta-data",
    "!include ../x.yml",
    "__setattr__",
    "../../.env",
    "!!js/function 'return 1'",
    "=cmd|' /C calc'!A0",
    "{env:HOME}",
  ];
  test.each(live)("%s comes out as it went in [T3]", (value) => {
    // A filter with `..` or `//` in it can match nothing, and is refused for that.
    const pathFilters = /\.\.|\/\//.test(value) ? [] : [value];
    const text = JSON.stringify({
      pathFilters,
      review: { labels: [value], ignoreTitleKeywords: [value] },
      customRules: [{ id: "a", language: "go", message: value, note: value, rule: { pattern: value, [value]: 1 } }],
    });
    const { config, problems } = parseConfig([{ file: ".kodiai.yml", text }]);
    expect(problems).toEqual([]);
    expect(config.pathFilters).toEqual(pathFilters);
    expect(config.review.labels).toEqual([value]);
    expect(config.customRules).toEqual([
      {
        id: "a",
        language: "go",
        message: value,
        note: value,
        severity: "medium",
        rule: { pattern: value, [value]: 1 },
      },
    ]);
  });

  test("no key reaches an object's prototype [T3]", () => {
    const { config } = holds('{"__proto__": {"polluted": 1}, "rules": {"__proto__": "off", "constructor": "off"}}');
    expect([Reflect.get({}, "polluted"), Object.keys(config.rules)]).toEqual([undefined, []]);
  });
});

describe("public collections of bad YAML", () => {
  const folder = resolve(process.cwd(), "../shared/bad-inputs/yaml");
  const collections: [name: string, files: number, isAlwaysWrong: boolean][] = [
    ["yaml-bombs.jsonl", 4, true],
    ["js-yaml-load-errors.jsonl", 62, true],
    ["yaml-test-suite.jsonl", 351, false],
  ];
  test.for(collections)("%s", ([name, files, isAlwaysWrong], { skip }) => {
    const path = `${folder}/${name}`;
    if (!existsSync(path)) skip(`${path} is not there`);
    const rows = readFileSync(path, "utf8").trim().split("\n");
    expect(rows.length).toBe(files);
    for (const row of rows) {
      const { b64, name: title } = JSON.parse(row) as { b64: string; name?: string };
      const { config, problems } = holds(Buffer.from(b64, "base64").toString("utf8"));
      expect(config).toEqual(defaultConfig());
      if (isAlwaysWrong) expect(problems.length, title).toBeGreaterThan(0);
    }
  });
});
