import { describe, expect, test } from "vitest";
import { Knowledge } from "../../src/config/knowledge.ts";
import { userPattern } from "../../src/config/patterns.ts";

function problems(retrieval: object): readonly string[] {
  const parsed = Knowledge.safeParse({ retrieval });
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("the knowledge section", () => {
  test.each([
    { topK: 1 },
    { topK: 20 },
    { distanceThreshold: 0 },
    { distanceThreshold: 2 },
    { maxContextChars: 0 },
    { maxContextChars: 5000 },
    { weights: { semantic: 0 } },
  ])("accepts %j", (retrieval) => {
    expect(problems(retrieval)).toEqual([]);
  });

  test.each([
    { topK: 0 },
    { topK: 21 },
    { distanceThreshold: 2.1 },
    { distanceThreshold: "near" },
    { maxContextChars: 5001 },
    { unknown: 1 },
  ])("refuses %j [000-27]", (retrieval) => {
    expect(problems(retrieval)).toHaveLength(1);
  });

  test("a pattern that is no regular expression is refused at its place [001-18]", () => {
    expect(problems({ gate: { skipPatterns: ["^ok$", "(unclosed"] } })).toEqual([
      expect.stringMatching(
        /^retrieval\.gate\.skipPatterns\.1: is not a regular expression of RE2: missing closing \)/,
      ),
    ]);
    expect(problems({ gate: { retrievePatterns: ["a".repeat(501)] } })).toHaveLength(1);
    expect(problems({ gate: { retrievePatterns: Array(201).fill("a") } })).toHaveLength(1);
  });
});

describe("a pattern that a person wrote", () => {
  test("matches anywhere, in any case", () => {
    const pattern = userPattern("\\bhotfix\\b");
    expect("matches" in pattern && [pattern.matches("A HotFix now"), pattern.matches("hotfixes")]).toEqual([
      true,
      false,
    ]);
  });

  test("runs in linear time even when it is written to be slow [T21]", () => {
    const pattern = userPattern("^(a+)+$");
    expect("matches" in pattern && pattern.matches(`${"a".repeat(200_000)}b`)).toBe(false);
  });

  test.each(["(", "a**", "(?<=x)y\\1", "(a{0,30}){0,30}".repeat(30), "x".repeat(501)])(
    "%j is a problem, not an exception",
    (source) => {
      expect(userPattern(source)).toHaveProperty("problem");
    },
  );
});
