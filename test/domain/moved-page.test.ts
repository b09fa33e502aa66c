import fc from "fast-check";
import { expect, test } from "vitest";
import { movedPage } from "../../src/domain/moved-page.ts";
import type { MovedTable } from "../../src/domain/moved-tables.ts";

const table: MovedTable = {
  name: "all",
  key: ["id"],
  columns: {
    id: "whole",
    share: "real",
    said: "text",
    is: "flag",
    tags: "list",
    raw: "bytes",
    v: "vector",
    b: "signs",
  },
};

test("each field stands with its length in the form of its type, and null without one", () => {
  const row = [-2, 0.5, "ö", true, ["a", 'b"'], Uint8Array.of(9), Uint8Array.of(0x3c, 0, 0xbc, 0), Uint8Array.of(0xa5)];
  const page = movedPage(table, [row, row.map(() => null)]);
  const hex = (field: number) =>
    Buffer.from(page.bytes.subarray(page.starts[field], page.starts[field + 1])).toString("hex");
  expect(row.map((_, at) => hex(at))).toEqual([
    "00000008fffffffffffffffe",
    "000000083fe0000000000000",
    "00000002c3b6",
    "0000000101",
    `0000000d01${Buffer.from('["a", "b\\""]').toString("hex")}`,
    "0000000109",
    "00000008000200003c00bc00",
    "0000000500000008a5",
  ]);
  expect(row.map((_, at) => hex(row.length + at))).toEqual(row.map(() => "ffffffff"));
});

test("whole numbers keep their value, and texts of any length stand one after the other", () => {
  const two: MovedTable = { name: "two", key: ["id"], columns: { id: "whole", said: "text" } };
  const some = fc.record({ id: fc.maxSafeInteger(), said: fc.string({ unit: "grapheme", maxLength: 5_000 }) });
  fc.assert(
    fc.property(fc.array(some, { maxLength: 40 }), (rows) => {
      const { bytes, starts } = movedPage(
        two,
        rows.map(({ id, said }) => [id, said]),
      );
      const sent = Buffer.from(bytes);
      for (const [at, { id, said }] of rows.entries()) {
        expect(Number(sent.readBigInt64BE((starts[at * 2] ?? 0) + 4))).toBe(id);
        expect(sent.toString("utf8", (starts[at * 2 + 1] ?? 0) + 4, starts[at * 2 + 2])).toBe(said);
      }
    }),
    { numRuns: 50 },
  );
});
