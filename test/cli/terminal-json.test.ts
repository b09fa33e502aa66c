// What is printed as JSON holds no character that a terminal would obey.
import { expect, test } from "vitest";
import { escapedJson, terminalJson, terminalText } from "../../src/cli/terminal-text.ts";

/**
 * Every control character (C0, DEL, C1), every format character (bidi controls, tags), and the two
 * separators.
 */
const OBEYED = Array.from({ length: 0x11_0000 }, (_, at) => at)
  .filter((at) => at < 0xd800 || at > 0xdfff)
  .map((at) => String.fromCodePoint(at))
  .filter((character) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(character));

test("each is escaped, as key and as value, and the value stays the same", () => {
  expect(OBEYED.length).toBeGreaterThan(200);
  const value = { [OBEYED.join("")]: OBEYED.map((character) => `a${character}b`), emoji: "👩‍💻 ü" };
  for (const json of [terminalJson(value), escapedJson(JSON.stringify(value))]) {
    expect(json.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(json)).toEqual(value);
  }
  expect(terminalJson({ path: "a\u009b2J\u007f" })).toContain(String.raw`"a\u009b2J\u007f"`);
});

test("lines of text show them too", () => {
  const shown = terminalText(OBEYED.filter((character) => !"\t\n\u200d\u2028\u2029".includes(character)).join(""));
  expect(shown).toMatch(/^(<U\+[0-9A-F]{4,6}>)+$/);
});
