import { expect, test } from "vitest";
import { markdownTable } from "../../scripts/markdown-table.ts";

test("columns are padded to their widest cell, and a bar in a cell is escaped", () => {
  expect(
    markdownTable([
      ["key", "is"],
      ["`a|b`", "x"],
    ]),
  ).toBe("| key    | is  |\n| ------ | --- |\n| `a\\|b` | x   |\n");
});
