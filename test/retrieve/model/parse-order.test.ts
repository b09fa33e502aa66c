import fc from "fast-check";
import { expect, test } from "vitest";
import { parseOrder } from "../../../src/retrieve/model/rerank.ts";

test.each([
  ["3\n0\n4", [3, 0, 4]],
  ["  3 \r\n[0]\r\n- 4\n* 2", [3, 0, 4, 2]],
  ["[3, 0, 4]", [3, 0, 4]],
  ["3 > 0 > 4", [3, 0, 4]],
  ["```\n3\n0\n```", [3, 0]],
  ["Here are the 2 best of 5:\n3\n0", [3, 0]],
  ["3: it shows 1 race\n[0] path: src/4.ts", [3, 0]],
  ["3. the race\n**0** locks\n- 4 same file", [3, 0, 4]],
  ["3\n3\n0\n3", [3, 0]],
  ["5\n-1\n2.5\n1e3\n0x4\n99999999999999999999\n1", [1]],
  ["2026-11-21\n4", [4]],
  ["v3\n3rd\n4px", []],
  ["None of them help.", []],
  ["", []],
  ["{}", []],
])("%j names %j of five", (reply, places) => {
  expect(parseOrder(reply, 5)).toEqual(places);
});

test("every order survives being written down", () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(Array.from({ length: 20 }, (_, at) => at)), (places) => {
      expect(parseOrder(places.join("\n"), 20)).toEqual(places);
      expect(parseOrder(JSON.stringify(places), 20)).toEqual(places);
    }),
  );
});

test("a reply of a megabyte is read as far as an answer could reach", () => {
  expect(parseOrder(`${"[(".repeat(1 << 19)}3`, 5)).toEqual([]);
  expect(parseOrder(`1\n${"9.".repeat(1 << 19)}`, 5)).toEqual([1]);
  expect(parseOrder(`1\n${"7a_.".repeat(1 << 18)}`, 5)).toEqual([1]);
});
