import { expect, test } from "vitest";
import type { ConfigProblem } from "../../src/config/repo-config.ts";
import { configOnHead } from "../../src/review/config-on-head.ts";
import { fileDiff } from "./review-builders.ts";

const PATH = ".kodiai.yml";
const problem = (line: number | null, file = PATH): ConfigProblem => {
  return { file, key: "rules.weak-hash", line, column: 3, severity: "error", message: "unknown severity" };
};
const DIFF = fileDiff(
  PATH,
  ["@@ -3,3 +3,4 @@", " rules:", "-  weak-hash: high", "+  # Ours", "+  weak-hash: critical", " review:"].join("\n"),
);

test("a line of the base is found again at the head; one that was changed is not", () => {
  const lines = [1, 3, 4, 5, 40].map((line) => problem(line));
  expect(configOnHead(lines, [DIFF])).toEqual([1, 3, null, 6, 41]);
});

test("nothing is shown for other files, for problems without a line, and where the file is not part of the change", () => {
  expect(configOnHead([problem(3, "acme/.github/.kodiai.yml"), problem(null)], [DIFF])).toEqual([null, null]);
  expect(configOnHead([problem(3)], [])).toEqual([null]);
  expect(configOnHead([problem(3)], [{ ...DIFF, status: "removed" }])).toEqual([null]);
  expect(configOnHead([problem(3)], [{ ...DIFF, complete: false }])).toEqual([null]);
});
