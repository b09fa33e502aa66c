import fc from "fast-check";
import { expect, test } from "vitest";
import { tokenise } from "../../src/domain/text/tokenise.ts";
import { runs } from "../property-runs.ts";

/** Any code points, lone surrogates included. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 40 })
  .map((points) => points.map((point) => String.fromCodePoint(point)).join(""));

test("identifiers are kept whole and split at case, underscore and digit", () => {
  expect(tokenise("getUserId")).toEqual(["getuserid", "get", "user", "id"]);
  expect(tokenise("max_retry_count2")).toEqual(["maxretrycount2", "max", "retry", "count"]);
  expect(tokenise("HTTPServer")).toEqual(["httpserver", "http", "server"]);
});

test("inflected forms of a word meet", () => {
  for (const forms of [
    ["cache", "caches", "cached", "caching"],
    ["query", "queries"],
    ["class", "classes"],
    ["test", "tests", "testing", "tested"],
  ]) {
    expect(new Set(forms.flatMap((form) => tokenise(form))).size).toBe(1);
  }
});

test("words that every comment has are left out, and so is what is too long to be a word [003-11]", () => {
  expect(tokenise("why do we need this?")).toEqual(["need"]);
  expect(tokenise("f".repeat(200))).toEqual([]);
});

test("scripts without spaces become pairs of characters", () => {
  expect(tokenise("默认值")).toEqual(["默认", "认值"]);
});

test("no text breaks it, and words are never empty or in capitals", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const word of tokenise(text)) {
        expect(word.length).toBeGreaterThan(0);
        expect(word).toBe(word.toLowerCase());
      }
    }),
  );
});

test("a line of a megabyte is read to its bound and no further", () => {
  for (const text of ["aB".repeat(500_000), "_".repeat(1_000_000), "a ".repeat(500_000), "xY1 ".repeat(250_000)]) {
    expect(tokenise(text).length).toBeLessThanOrEqual(200_010);
  }
});

test("an identifier is split where the classes of letters say, in and beyond ASCII", () => {
  const character = fc.constantFrom(..."aabcdeABCDZ019__ -.'éßÉ日本ʰ’²");
  const text = fc.array(character, { maxLength: 60 }).map((characters) => characters.join(""));
  fc.assert(
    fc.property(fc.oneof(text, anyText), (said) => {
      const runs = said.match(/[\p{L}\p{N}_]+/gu) ?? [];
      const split = runs.flatMap((run) => splitByClasses(run));
      expect(tokenise(said)).toEqual(split);
    }),
    runs(500),
  );
});

/** A run alone; of one in ASCII the parts that Unicode's classes of letters give. */
function splitByClasses(run: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (!/^[\x00-\x7f]*$/.test(run)) return tokenise(run);
  if (run.length > 96) return [];
  const parts = run.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}+/gu) ?? [];
  const whole = run.toLowerCase().replaceAll("_", "");
  const isWord = whole.length >= 2 && whole.length <= 48 && tokenise(whole).length > 0;
  return [...(parts.length > 1 && isWord ? [whole] : []), ...parts.flatMap((part) => tokenise(part))];
}
