import { expect, test } from "vitest";
import {
  BY_EXTENSION,
  BY_INTERPRETER,
  LANGUAGE_TYPES,
  languageFromContent,
  tellingWords,
} from "../../src/domain/code/language-from-content.ts";
import { preferLanguage } from "../../src/domain/code/languages.ts";
import { canonicalLanguage } from "../../src/domain/language.ts";

const shared = [...BY_EXTENSION].filter(([, names]) => names.length > 1);

test("the table knows the languages of GitHub, their extensions and interpreters", () => {
  expect(LANGUAGE_TYPES.size).toBeGreaterThan(800);
  expect(BY_EXTENSION.size).toBeGreaterThan(1400);
  expect(BY_EXTENSION.get(".h")).toEqual(["C", "C++", "Objective-C"]);
  expect(BY_INTERPRETER.get("python3")).toEqual(["Python"]);
});

test("every language of the table has an id of its own, but for TSX which is TypeScript", () => {
  const ids = Map.groupBy(LANGUAGE_TYPES.keys(), canonicalLanguage);
  const together = [...ids.values()].filter((names) => names.length > 1);
  expect(together).toEqual([["TSX", "TypeScript"]]);
  expect(ids.has("unknown")).toBe(false);
});

test("the id of an id is itself", () => {
  for (const name of LANGUAGE_TYPES.keys()) {
    const id = canonicalLanguage(name);
    expect(canonicalLanguage(id)).toBe(id);
  }
});

test("every characteristic word compiles and names a language that claims the extension", () => {
  let words = 0;
  for (const [extension, names] of shared) {
    for (const { language } of tellingWords(extension)) {
      words++;
      expect(names, `${extension} | ${language}`).toContain(language);
    }
  }
  expect(words).toBeGreaterThan(180);
});

test("an extension that several languages claim always has a likeliest one among them", () => {
  for (const [extension, names] of shared) {
    const preferred = preferLanguage(extension, names);
    expect(names).toContain(preferred);
  }
});

test("no pattern of a language is slow on text made to be slow", () => {
  const hostile = [
    "a ",
    "aA_",
    "( ",
    "$x",
    "\n",
    "\n ",
    "\t",
    "public ",
    "class a",
    "[[",
    "<a",
    "-- ",
    "a.b",
    "=~",
    ":-(",
  ];
  for (const piece of hostile) {
    const content = piece.repeat(4000);
    for (const [extension, names] of shared) languageFromContent(extension, names, content);
  }
});
