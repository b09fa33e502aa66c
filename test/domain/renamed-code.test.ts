import fc from "fast-check";
import { expect, test } from "vitest";
import { textTokens } from "../../src/domain/code/code-fingerprint.ts";
import { renamedTokens } from "../../src/domain/code/relocate-code.ts";

const names = (a: string, b: string) => {
  const found = renamedTokens(textTokens(a), textTokens(b));
  return found === null ? null : found.size;
};

test.each([
  ["await db.find(userId)", "await db.find(orderId)", 1],
  ["for (let i = 0; i < rows.length; i++)", "for (let at = 0; at < items.length; at++)", 2],
  ["retry(0)", "retry(3)", 1],
  ["await db.find(userId)", "await db.find(userId)", null],
  // An operator, more than names, one name for two, and two names for one.
  ["a + b", "a - b", null],
  ["await db.find(userId)", "db.find(userId)", null],
  ["copy(a, b)", "copy(c, c)", null],
  ["copy(a, a)", "copy(b, c)", null],
])("between %j and %j so many names differ: %j", (a, b, count) => {
  expect(names(a, b)).toBe(count);
});

test("a rename of one name to a new one is always one, and is read backwards the same", () => {
  const word = fc.constantFrom("user", "order", "cart", "=", "(", "+", "save", "7");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const [before, after] = [words.join(" "), words.map((one) => (one === "cart" ? "basket" : one)).join(" ")];
      expect(names(before, after)).toBe(words.includes("cart") ? 1 : null);
      expect(names(after, before)).toBe(names(before, after));
    }),
  );
});
