import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkLanguage, isLanguageOf, languageFactor } from "../../../src/retrieve/rank/language.ts";
import { given } from "../retrieve-builders.ts";

const languageOf = (row: Partial<Parameters<typeof chunkLanguage>[0]>) =>
  chunkLanguage({ corpus: "review_comment", language: "", path: null, tags: [], ...row });

const all = (language: string) => [{ language, share: 1 }];

describe("the boost for the languages of a change", () => {
  test("is 1 + share × .25, by changed lines", () => {
    const shares = [
      { language: "C++", share: 0.8 },
      { language: "Python", share: 0.2 },
    ];
    expect(languageFactor("cpp", shares)).toBeCloseTo(1.2, 12);
    expect(isLanguageOf("cpp", shares)).toBe(true);
    expect(languageFactor("python", shares)).toBeCloseTo(1.05, 12);
    expect(languageFactor("cpp", shares)).toBeGreaterThan(languageFactor("cpp", [{ language: "C++", share: 0.5 }]));
  });

  test("uses the shares of the real change: eight lines of C++ to two of Python", () => {
    const lines = (count: number) => Array.from({ length: count }, (_, i) => `+x${i} = 1;`).join("\n");
    const { signals } = given({
      title: "T",
      files: { "src/a.cpp": ` a\n${lines(8)}`, "tools/b.py": ` a\n${lines(2)}` },
    });
    expect(languageFactor("cpp", signals.languages)).toBeCloseTo(1.2, 12);
    expect(languageFactor("python", signals.languages)).toBeCloseTo(1.05, 12);
  });

  test.each([
    ["C++", "cpp"],
    ["C#", "csharp"],
    ["F#", "fsharp"],
    ["Objective-C", "objectivec"],
    ["TypeScript", "typescript"],
  ])("%s on the pull request and %s in memory are the same language", (shown, stored) => {
    expect(languageFactor(stored, all(shown))).toBeCloseTo(1.25, 12);
    expect(isLanguageOf(stored, all(shown))).toBe(true);
  });

  test("a related language gets half of it and is no match", () => {
    expect(languageFactor("c", all("C++"))).toBeCloseTo(1.125, 12);
    expect(isLanguageOf("c", all("C++"))).toBe(false);
    expect(languageFactor("javascript", all("TypeScript"))).toBeCloseTo(1.125, 12);
    expect(isLanguageOf("javascript", all("TypeScript"))).toBe(false);
    const two = [
      { language: "cpp", share: 0.6 },
      { language: "objectivec", share: 0.4 },
    ];
    expect(languageFactor("c", two)).toBeCloseTo(1 + 0.6 * 0.25 * 0.5, 12);
  });

  test.each([
    ["SCSS", "css"],
    ["CSS", "scss"],
    ["Less", "css"],
    ["Kotlin", "java"],
    ["Objective-C", "c"],
    ["Objective-C++", "cpp"],
    ["TSX", "javascript"],
    ["JSX", "typescript"],
  ])("a change in %s is related to %s [004-05]", (changed, remembered) => {
    expect(languageFactor(remembered, all(changed))).toBeCloseTo(1.125, 12);
  });

  test("what a Kotlin change takes from Java, a Java change does not take from Kotlin", () => {
    expect(languageFactor("java", all("Kotlin"))).toBe(1.125);
    expect(languageFactor("kotlin", all("Java"))).toBe(1);
  });

  test("another language, an unknown one and a change without languages stay as they are, exactly", () => {
    expect(languageFactor("python", all("C++"))).toBeCloseTo(1, 12);
    expect(isLanguageOf("python", all("C++"))).toBe(false);
    expect(languageFactor("unknown", all("unknown"))).toBeCloseTo(1, 12);
    expect(isLanguageOf("unknown", all("unknown"))).toBe(false);
    expect(languageFactor(languageOf({}), all("C++"))).toBeCloseTo(1, 12);
    expect(isLanguageOf(languageOf({}), all("C++"))).toBe(false);
    expect(languageFactor("cpp", [])).toBeCloseTo(1, 12);
    expect(isLanguageOf("cpp", [])).toBe(false);
  });

  test("never lowers anything, for any names and shares", () => {
    const names = fc.oneof(
      fc.string(),
      fc.constantFrom("C++", "c", "TypeScript", "javascript", "constructor", "__proto__"),
    );
    const shares = fc.array(fc.record({ language: names, share: fc.double({ min: -1, max: 2 }) }), { maxLength: 6 });
    fc.assert(
      fc.property(names, shares, (language, changed) => {
        const factor = languageFactor(language, changed);
        expect(factor).toBeGreaterThanOrEqual(1);
        expect(factor).toBeLessThanOrEqual(1.25);
      }),
    );
  });
});

describe("which language a memory is about", () => {
  test("the stored language counts first, then the path", () => {
    expect(languageOf({ language: "C++", path: "a.py" })).toBe("cpp");
    expect(languageOf({ language: "unknown", path: "a.py" })).toBe("unknown");
    expect(languageOf({ path: "src/a.ts" })).toBe("typescript");
    expect(languageOf({ path: "src/A.HPP" })).toBe("cpp");
    expect(languageOf({ path: "src/a.h" })).toBe("c");
    expect(languageOf({ language: "", path: "x.constructor" })).toBe("unknown");
    expect(languageOf({ path: ".ts" })).toBe("unknown");
    expect(languageOf({ path: "package.json" })).toBe("json");
    expect(languageOf({})).toBe("unknown");
  });

  test("a document's language is its first tag that is not general [004-14][004-22]", () => {
    expect(languageOf({ corpus: "doc", language: "markdown", tags: ["general", "Python", "C++"] })).toBe("python");
    expect(languageOf({ corpus: "doc", language: "markdown", tags: ["general"] })).toBe("unknown");
    expect(languageFactor(languageOf({ corpus: "doc", tags: ["python"] }), all("Python"))).toBe(1.25);
    expect(languageFactor(languageOf({ corpus: "wiki", tags: ["general", "python"] }), all("Python"))).toBe(1.25);
  });
});
