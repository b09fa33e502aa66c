import fc from "fast-check";
import { expect, test } from "vitest";
import { packHits, unpackHits } from "../../../src/adapters/memory/packed-hits.ts";

const hit = fc.record({
  id: fc.oneof(fc.constantFrom("mem_0123456789ab", "mem_", "", "__proto__"), fc.string()),
  score: fc.double({ noNaN: true }),
});

test("hits come out of a thread as they went in: the same lists, names and figures to the last bit", () => {
  fc.assert(
    fc.property(fc.array(fc.array(hit, { maxLength: 12 }), { maxLength: 6 }), (lists) => {
      const sent = structuredClone(packHits(lists, ({ score }) => score));
      expect(unpackHits(sent, (id, score) => ({ id, score }))).toEqual(lists);
    }),
  );
});

test("a name that many lists hold is told once", () => {
  const lists = Array.from({ length: 11 }, () => [{ id: "mem_0123456789ab", distance: 0.25 }]);
  expect(packHits(lists, ({ distance }) => distance).names).toEqual(["mem_0123456789ab"]);
});
