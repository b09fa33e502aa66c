import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rerankByLanguage } from "../../../src/retrieve/rank/language.ts";

const one = (language: string) => [{ id: "m", distance: 0.5, language }];

describe("distances weighed by language", () => {
  test.each([
    ["the same language", "typescript", ["TypeScript"], 0.425, true],
    ["display names with signs", "cpp", ["C++"], 0.425, true],
    ["a related language", "c", ["C++"], 0.4625, false],
    ["a related language, the other way round", "cpp", ["C"], 0.4625, false],
    ["another language", "python", ["C++"], 0.5, false],
    ["an unknown language", "unknown", ["TypeScript"], 0.5, false],
    ["no language on the change", "typescript", [], 0.5, false],
  ])("%s", (_, stored, languages, adjusted, match) => {
    const [result] = rerankByLanguage(one(stored), languages);
    expect(result?.adjustedDistance).toBeCloseTo(adjusted, 12);
    expect(result).toMatchObject({ distance: 0.5, languageMatch: match });
  });

  test("nothing in, nothing out; nothing is removed and nothing that came in is changed", () => {
    expect(rerankByLanguage([], ["Go"])).toEqual([]);
    const before = [
      { id: "py", distance: 0.25, language: "python" },
      { id: "ts", distance: 0.28, language: "typescript" },
    ];
    const copy = structuredClone(before);
    const ranked = rerankByLanguage(before, ["TypeScript"]);
    expect(ranked.map(({ id, distance }) => [id, distance])).toEqual([
      ["ts", 0.28],
      ["py", 0.25],
    ]);
    expect(before).toEqual(copy);
  });

  test("the factors are parameters", () => {
    const [result] = rerankByLanguage(one("c"), ["C++"], { sameLanguageBoost: 0.6, relatedLanguageRatio: 0.25 });
    expect(result?.adjustedDistance).toBeCloseTo(0.5 * 0.9, 12);
  });

  const results = fc.uniqueArray(
    fc.record({
      id: fc.string(),
      distance: fc.integer({ min: 10, max: 80 }).map((hundredths) => hundredths / 100),
      language: fc.constantFrom("cpp", "c", "python", "unknown"),
    }),
    { selector: ({ id }) => id, maxLength: 30 },
  );

  test("a non-match more than 15 % nearer always stays first", () => {
    fc.assert(
      fc.property(results, (list) => {
        const ranked = rerankByLanguage(list, ["C++"]);
        for (const [at, later] of ranked.entries()) {
          for (const earlier of ranked.slice(0, at))
            expect(later.distance < 0.85 * earlier.distance - 1e-12).toBe(false);
        }
      }),
    );
  });
});
