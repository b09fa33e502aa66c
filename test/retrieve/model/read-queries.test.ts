import fc from "fast-check";
import { expect, test } from "vitest";
import { queriesIn, readQueries } from "../../../src/retrieve/model/model-written-queries.ts";

const A = "Retry loop repeats a request without any upper bound on attempts";
const B = "Constructor keeps a reference to shared state that callers may change";
const C = "Migration rewrites a large table in one step and leaves it locked";

test.each([
  ["a list", JSON.stringify([A, B])],
  ["levels", JSON.stringify({ code: [A], convention: [B], operational: [] })],
  [
    "objects in a list",
    JSON.stringify({
      queries: [
        { query: A, level: "code" },
        { query: B, level: "operational" },
      ],
    }),
  ],
  ["JSON among words", `Here are the queries:\n\`\`\`json\n${JSON.stringify([A, B])}\n\`\`\`\nGood luck!`],
  ["quotes, where the JSON is broken", `{"code": ["${A}", "${B}"`],
  ["curly quotes", `“${A}” and “${B}”`],
  ["a numbered list", `Here are the queries for this change:\n\n1. ${A}\n2) ${B}\n`],
  ["a list with dashes and stars", `- ${A}\r\n* ${B}`],
  ["plain lines", `${A}\n\n${B}\n`],
])("%s", (_, reply) => {
  expect(readQueries(reply)).toEqual([A, B]);
});

test.each([
  [""],
  ["null"],
  ["{}"],
  ["[]"],
  ["42"],
  ["[[[]]]"],
  ["{{{{"],
  ['{"code": []}'],
  ["I'm sorry, but I can't help with that request today."],
  ["<html><body></body></html>"],
  ["function f() {\n  return 1;\n}\n"],
  ["\u0000\ud800"],
])("garbage holds no query: %j [002-14]", (reply) => {
  expect(readQueries(reply)).toEqual([]);
});

test("each query once, on one line, at most 500 characters, at most twenty of them [002-14]", () => {
  const many = Array.from({ length: 40 }, (_, at) => `${C} ${"abcdefghij".slice(0, at % 10)} ${at}`);
  expect(readQueries(JSON.stringify([A, A, `${A} `, ...many]))).toHaveLength(20);
  expect(readQueries(JSON.stringify([A, A, `${A} `]))).toEqual([A]);
  expect(readQueries(JSON.stringify([A.replace(" ", "\n\t")]))).toEqual([A]);
  expect(readQueries(JSON.stringify(["word ".repeat(1_000)]))[0]?.length).toBeLessThanOrEqual(500);
});

test("a reply of a megabyte is read as far as an answer could reach, and nothing is thrown", () => {
  for (const unit of ["[", '"', '{"a":', "- word word word word word\n", "“"]) readQueries(unit.repeat(1 << 18));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (reply) => {
      const queries = readQueries(reply);
      expect(queries.length).toBeLessThanOrEqual(20);
      expect(queries.every((query) => query.trim() === query && !query.includes("\n"))).toBe(true);
    }),
  );
});

test("a value that is no list and no object holds none, however deep an object is", () => {
  expect(queriesIn(A)).toEqual([]);
  expect(queriesIn({ a: { b: { c: [A] } } })).toEqual([A]);
  let deep: unknown = [A];
  for (let at = 0; at < 50; at++) deep = [deep];
  expect(queriesIn(deep)).toEqual([]);
});
