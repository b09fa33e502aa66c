import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { suite } from "../../eval/suites/reference-pairs.ts";

const data = resolve("../shared/spec");
const isHere = existsSync(data);
if (!isHere) console.warn("the reference pairs are not here: their order is not checked");

test.skipIf(!isHere)("both matching pairs outrank the hard negative, by default and by words [002-36]", async () => {
  const { rows } = await suite({ data, flags: new Map() });
  const right = new Map(rows.map(({ name, n, metrics }) => [name, [n, metrics.right]]));
  expect(right.get("default")).toEqual([2, 1]);
  expect(right.get("words")).toEqual([2, 1]);
});
