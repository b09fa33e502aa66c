import { describe, expect, test } from "vitest";
import { titlePattern } from "../../src/config/patterns.ts";
import { Suppression } from "../../src/config/repo-config.ts";
import { type Suppressible, suppressor } from "../../src/review/filter-findings.ts";

const FINDING: Suppressible = {
  title: "Missing error handling around API call",
  severity: "major",
  category: "correctness",
  path: "src/api/client.ts",
};

const suppressed = (finding: Suppressible, wish: Parameters<typeof Suppression.parse>[0]) =>
  suppressor([Suppression.parse(wish)])(finding) !== null;

describe("a pattern for titles", () => {
  test.each([
    ["missing ERROR handling", true],
    ["glob:*error handling*", true],
    ["glob:error handling", false],
    ["glob:*{error,failure} handling*", true],
    ["regex:missing.*handling", true],
    ["regex:^error", false],
    ["regex:", true],
  ])("%j fits the title: %s", (source, fits) => {
    const pattern = titlePattern(source);
    expect("matches" in pattern && pattern.matches(FINDING.title)).toBe(fits);
  });

  test.each(["regex:[invalid", "", "  ", "glob:", `glob:${"*?".repeat(400)}`, `regex:${"a".repeat(600)}`])(
    "%j is refused with a reason",
    (source) => {
      expect(titlePattern(source)).toEqual({ problem: expect.stringMatching(/^(is|repeats) /) });
    },
  );

  test("a pattern that is written to be slow is not", () => {
    const title = `${"a".repeat(1_000_000)}b`;
    for (const source of ["regex:^(a+)+b$", `glob:${"*a".repeat(150)}b`, `glob:${"a*".repeat(80)}x`]) {
      const pattern = titlePattern(source);
      expect("matches" in pattern && pattern.matches(title)).toBe(false);
    }
  });
});

test.each([
  ["src/api/**", true],
  ["**/client.ts", true],
  ["src/**/*.ts", true],
  ["src/api/client.t?", true],
  ["client.ts", true],
  ["{src,lib}/**", true],
  ["SRC/**", false],
  ["docs/**", false],
  ["src/*.ts", false],
  ["src/api", true],
  ["src/ap", false],
])("the glob %s fits src/api/client.ts: %s", (source, fits) => {
  expect(suppressed(FINDING, { pattern: "missing", paths: [source] })).toBe(fits);
});

describe("a suppression", () => {
  test("holds only where every given part does", () => {
    const pattern = "missing error handling";
    expect(suppressed(FINDING, { pattern })).toBe(true);
    const all = { pattern, paths: ["src/api/**"], severities: ["major"], categories: ["correctness"] };
    expect(suppressed(FINDING, all)).toBe(true);
    expect(suppressed(FINDING, { ...all, pattern: "present" })).toBe(false);
    expect(suppressed(FINDING, { ...all, paths: ["docs/**", "lib/**"] })).toBe(false);
    expect(suppressed(FINDING, { ...all, severities: ["minor"] })).toBe(false);
    expect(suppressed(FINDING, { ...all, categories: ["style"] })).toBe(false);
  });

  test("never holds back what is critical or about security", () => {
    expect(suppressed({ ...FINDING, severity: "critical" }, { pattern: "missing" })).toBe(false);
    expect(suppressed({ ...FINDING, category: "security" }, { pattern: "missing" })).toBe(false);
  });

  test("the first match is reported, and an unreadable pattern matches nothing", () => {
    const [broken, first, second] = [
      { ...Suppression.parse({ pattern: "x" }), pattern: "regex:[" },
      Suppression.parse({ pattern: "missing" }),
      Suppression.parse({ pattern: "error" }),
    ];
    expect(suppressor([broken, first, second])(FINDING)).toBe(first);
    expect(suppressor([])(FINDING)).toBeNull();
  });
});
