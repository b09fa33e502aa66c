import { expect, test } from "vitest";
import { changeMetrics } from "../../src/analyze/analyze.ts";
import { aFileDiff } from "../builders/file-diff.ts";

const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, section: "", lines: [] };
const file = (path: string, additions: number, deletions: number, hunks: number) =>
  aFileDiff(
    path,
    Array.from({ length: hunks }, () => hunk),
    { additions, deletions },
  );

test("lines are the source's counts, also of a file whose hunks did not arrive", () => {
  const files = [file("src/a.ts", 10, 5, 2), file("test/a.test.ts", 4000, 1000, 0)];
  const facts = [
    { path: "src/a.ts", language: "typescript", kind: "source" },
    { path: "test/a.test.ts", language: "typescript", kind: "test" },
  ] as const;
  expect(changeMetrics(files, facts)).toEqual({
    files: 2,
    added: 4010,
    removed: 1005,
    hunks: 2,
    filesByKind: { source: 1, test: 1, config: 0, docs: 0, infra: 0 },
  });
});

test("a change without files has every count at zero", () => {
  expect(changeMetrics([], [])).toEqual({
    files: 0,
    added: 0,
    removed: 0,
    hunks: 0,
    filesByKind: { source: 0, test: 0, config: 0, docs: 0, infra: 0 },
  });
});
