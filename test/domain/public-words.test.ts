import { expect, test } from "vitest";
import { publicWords } from "../../src/domain/public-words.ts";

test.each([
  ["timed out: no answer within 5000 ms", "timed out: no answer within 5000 ms"],
  [
    "GitHub answered 503 to POST /repos/acme/shop/pulls/1/reviews",
    "GitHub answered 503 to POST /repos/acme/shop/pulls/1/reviews",
  ],
  ["ENOENT: no such file, open '/srv/kodiai/data/memory.db'", "ENOENT: no such file, open 'memory.db'"],
  ["connect ECONNREFUSED 10.1.2.3:5432", "connect ECONNREFUSED"],
  ["getaddrinfo ENOTFOUND db.internal", "getaddrinfo ENOTFOUND"],
  ["no answer of https://proxy.internal:8443/v1?key=abc (timeout)", "no answer of (an address) (timeout)"],
  ["read ETIMEDOUT from db.internal:5432", "read ETIMEDOUT from (an address)"],
  ["3 of 10 files, 1/2 read, and/or a date 2026/11/22", "3 of 10 files, 1/2 read, and/or a date 2026/11/22"],
])("%j is shown as %j", (text, shown) => {
  expect(publicWords(text)).toBe(shown);
});

test("a long text ends between words, so that no secret is shown by half", () => {
  const token = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
  const shown = publicWords(`${"word ".repeat(38)}${token} and more`);
  expect(shown).toBe(`${"word ".repeat(38)}…`);
  expect(publicWords("/a".repeat(500_000)).length).toBeLessThanOrEqual(201);
});
