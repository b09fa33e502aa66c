import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shapeOf, textTokens, tokenStream } from "../../src/domain/code/code-fingerprint.ts";

const numbered = (text: string) =>
  tokenStream(text.split("\n").map((line, index) => ({ line: index + 1, text: line })));

describe("the shape of code", () => {
  test.each([
    ["prettier's quotes, commas and line breaks", "store.save('a', { b: 1 })", 'store.save("a", {\n  b: 1,\n});'],
    ["arrow functions with and without parentheses", "list.map(x => x.id)", "list.map((x) => x.id);"],
    ["black's wrapped calls", "total = sum(a, b)", "total = sum(\n    a,\n    b,\n)"],
    ["gofmt's tabs", "if err != nil { return err }", "if err != nil {\n\treturn err\n}"],
    ["clang-format's pointers", "int *p = &x;", "int* p = &x;"],
    ["CRLF", "a = 1\r\nb = 2\r", "a = 1\nb = 2"],
  ])("is the same before and after %s", (_what, before, after) => {
    expect(textTokens(after)).toEqual(textTokens(before));
  });

  test.each([
    ["another operator", "a == b", "a != b"],
    ["another name", "save(user)", "save(account)"],
    ["another order", "copy(from, to)", "copy(to, from)"],
    ["another case", "Token", "token"],
    ["another number", "retry(3)", "retry(30)"],
  ])("differs with %s", (_what, before, after) => {
    expect(textTokens(after)).not.toEqual(textTokens(before));
  });

  test("contains the lines and their surroundings", () => {
    const stream = numbered("a\nb c\n\nd\ne");
    expect(shapeOf(stream, 2, 3)).toEqual({
      before: textTokens("a"),
      at: textTokens("b c"),
      after: textTokens("d e"),
    });
    expect(shapeOf(stream, 9, 9).at).toEqual([]);
    expect(shapeOf(stream, 3, 3).at).toEqual([]);
  });

  test("any text has tokens, each of a line of its own or a later one, and white space adds none", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const { tokens, lines } = numbered(text);
        expect(lines).toHaveLength(tokens.length);
        expect(lines.toSorted((a, b) => a - b)).toEqual(lines);
        expect(textTokens(text.replaceAll(" ", " \t  "))).toEqual(tokens);
      }),
    );
  });

  test("a line of a megabyte is read once", () => {
    expect(textTokens("a+".repeat(500_000)).length).toBe(200_000);
    expect(textTokens("a".repeat(1_000_000))).toHaveLength(1);
  });
});
