import fc from "fast-check";
import { expect, test } from "vitest";
import { namesFilling } from "../../../src/adapters/memory/packed-names.ts";

test("names come back as they went in, of whatever length and script, and there is none of other rows", () => {
  const name = fc.oneof(
    fc.nat(999_999).map((at) => `mem_${at}`),
    fc.constantFrom("mem_0a1b2c3d4e5f", "", "größe", "数据库", "😀"),
    fc.string({ unit: "grapheme", maxLength: 200 }),
  );
  fc.assert(
    fc.property(fc.array(name, { maxLength: 60 }), fc.nat(5), (names, more) => {
      const filling = namesFilling(names.length + more);
      for (const one of names) filling.add(one);
      const packed = filling.done();
      expect(names.map((_, row) => packed.at(row))).toEqual(names);
      expect([packed.at(-1), packed.at(names.length)]).toEqual([undefined, undefined]);
    }),
  );
});
