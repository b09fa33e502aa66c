import { expect, test } from "vitest";
import { wholePercents } from "../../src/domain/figures/whole-percents.ts";

test.each([
  [
    [0.625, 0.375],
    [63, 37],
  ],
  [
    [1 / 3, 1 / 3, 1 / 3],
    [33, 34, 33],
  ],
  [
    [0.995, 0.005],
    [100, 0],
  ],
  [[1], [100]],
  [[], []],
])("shares %j are %j per cent", (shares, expected) => {
  expect(wholePercents(shares)).toEqual(expected);
});
