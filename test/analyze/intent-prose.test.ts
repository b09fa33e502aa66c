import fc from "fast-check";
import { expect, test } from "vitest";
import { intentProse } from "../../src/analyze/intent-prose.ts";
import { runs } from "../property-runs.ts";

const masked = (text: string) => intentProse(text).map((line) => line.masked);

test("fenced code, quotations and hidden comments leave blank lines", () => {
  const text =
    "before\n```js\nfixes #1\n```\n> fixes #2\n<!-- fixes #3\nfixes #4 -->after\n- ~~~\n  fixes #5\n  ~~~\nend";
  expect(masked(text)).toEqual(["before", "", "", "", "", "", "after", "", "", "", "end"]);
});

test("code spans are masked, and can still be quoted", () => {
  expect(intentProse("a `b` ``c`d`` e")).toEqual([{ masked: "a ``` ``````` e", raw: "a `b` ``c`d`` e" }]);
});

test("a lone backtick, and a comment mark inside code, hide nothing", () => {
  expect(masked("it`s fixes #1")).toEqual(["it`s fixes #1"]);
  expect(masked("`<!--` fixes #1")).toEqual(["`````` fixes #1"]);
});

test("a shorter fence, or one of the other kind, does not close", () => {
  expect(masked("````\n```\n~~~~\n````\nout")).toEqual(["", "", "", "", "out"]);
});

test("a fence that is never closed reaches to the end, as on GitHub", () => {
  expect(masked("a\n```\nfixes #1")).toEqual(["a", "", ""]);
});

test("masked and raw are equally long, and lines keep their number", () => {
  const piece = fc.constantFrom("`", "``", "```", "<!--", "-->", "\n", "\r\n", "> ", "~~~", "text", " ", "#1");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      const lines = intentProse(text);
      expect(lines.length).toBe(text.split(/\r\n|\r|\n/).length);
      for (const line of lines) expect(line.masked.length).toBe(line.raw.length);
    }),
    runs(1_000),
  );
});
