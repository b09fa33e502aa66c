import { describe, expect, test } from "vitest";
import { isSuppressed, suppressionMatches } from "../../src/review/suppression.ts";

const FINDING = {
  title: "Missing error handling around API call",
  severity: "major",
  category: "correctness",
  path: "src/api/client.ts",
} as const;

describe("a suppression", () => {
  test.each([
    ["missing ERROR handling", true],
    ["glob:*error handling*", true],
    ["glob:error handling", false],
    ["regex:missing.*handling", true],
    ["regex:[invalid", false],
    ["", false],
    ["  ", false],
    ["regex:", true],
  ])("%j fits the title: %s", (pattern, fits) => {
    expect(suppressionMatches(pattern, FINDING.title)).toBe(fits);
  });

  test("holds only where every given part does", () => {
    const pattern = "missing error handling";
    expect(isSuppressed(FINDING, { pattern })).toBe(true);
    expect(
      isSuppressed(FINDING, { pattern, paths: ["src/api/**"], severity: ["major"], category: ["correctness"] }),
    ).toBe(true);
    expect(isSuppressed(FINDING, { pattern, paths: ["docs/**", "src/*.ts", "src/api"] })).toBe(false);
    for (const glob of ["**/client.ts", "src/**/*.ts", "src/api/client.t?", "SRC/**"]) {
      expect(isSuppressed(FINDING, { pattern, paths: [glob] })).toBe(true);
    }
    expect(isSuppressed(FINDING, { pattern, severity: ["minor"] })).toBe(false);
    expect(isSuppressed(FINDING, { pattern, category: ["style"] })).toBe(false);
  });

  test("never holds back what is critical or about security", () => {
    expect(isSuppressed({ ...FINDING, severity: "critical" }, { pattern: "missing" })).toBe(false);
    expect(isSuppressed({ ...FINDING, category: "security" }, { pattern: "missing" })).toBe(false);
  });

  test("a pattern that is written to be slow is not", () => {
    const title = `${"a".repeat(100_000)}b`;
    for (const pattern of ["regex:^(a+)+b$", `glob:${"*a".repeat(150)}b`, `glob:${"a*".repeat(80)}x`]) {
      expect(suppressionMatches(pattern, title)).toBe(false);
    }
  });
});
