// Pages stay short enough to be read.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const MOST_WORDS = 2_000;
/** UTF-16 units. */
const LONGEST_ROW = 400;

const pages = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, text: readFileSync(join("docs", name), "utf8") }));

/** Whatever has a letter or a digit; the lines of a table have none. */
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

test("no page has more than 2,000 words", () => {
  const long = pages.map(({ name, text }) => `${name}: ${wordsOf(text)}`);
  expect(long.filter((one) => Number(one.split(": ")[1]) > MOST_WORDS)).toEqual([]);
});

test("no row of a table is longer than 400 characters", () => {
  const rows = pages.flatMap(({ name, text }) => text.split("\n").map((row) => ({ name, row })));
  expect(rows.filter(({ row }) => row.startsWith("|") && row.length > LONGEST_ROW)).toEqual([]);
});
