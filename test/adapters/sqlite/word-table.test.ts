import { expect, test } from "vitest";
import { wordTable } from "../../../src/adapters/memory/word-table.ts";

test("every word has a number of its own, the same each time, and a word that is not there has none", () => {
  const table = wordTable(12_345);
  const words = Array.from({ length: 20_000 }, (_, at) => `${at % 3 === 0 ? "größe" : "get"}${at.toString(36)}`);
  const text = new TextEncoder().encode(words.join(" "));
  for (let round = 0; round < 2; round += 1) {
    let start = 0;
    let number = 0;
    for (let at = 0; at <= text.length; at += 1) {
      if (at < text.length && text[at] !== 0x20) continue;
      expect(table.add(text, start, at)).toBe(number);
      start = at + 1;
      number += 1;
    }
  }
  expect(table.size()).toBe(words.length);
  expect(words.map((word) => table.find(word))).toEqual(words.map((_, at) => at));
  for (const word of ["", "g", "__proto__", "nowhere", "get"]) expect(table.find(word)).toBe(-1);
});
