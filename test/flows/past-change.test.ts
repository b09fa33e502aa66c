import fc from "fast-check";
import { expect, test } from "vitest";
import { pastChange } from "../../src/flows/memory/replay-memory.ts";
import { REPO } from "../learn/memory-builders.ts";

const HUNK = "@@ -10,14 +12,16 @@ void Charge::retry() {\n   while (tries < 3) {\n-    send(card);\n+    submit(card);";

test("the place of a comment becomes a file with its part of a hunk, counted again", () => {
  const { files, pull, job } = pastChange(REPO, 12, [{ path: "src/retry.cc", hunk: HUNK }]);
  expect([pull.number, job.explicit]).toEqual([12, true]);
  expect(files).toMatchObject([
    {
      ...{ path: "src/retry.cc", status: "modified", additions: 1, deletions: 1 },
      hunks: [{ oldStart: 10, oldLines: 2, newStart: 12, newLines: 2, section: "void Charge::retry() {" }],
    },
  ]);
  expect(files[0]?.hunks[0]?.lines).toEqual([
    { kind: "context", oldLine: 10, newLine: 12, text: "  while (tries < 3) {" },
    { kind: "removed", oldLine: 11, newLine: null, text: "    send(card);" },
    { kind: "added", oldLine: null, newLine: 13, text: "    submit(card);" },
  ]);
});

test("of two comments on one hunk the longer part stays, and a file without a hunk is a file", () => {
  const { files } = pastChange(REPO, 0, [
    { path: "a.cc", hunk: HUNK },
    { path: "a.cc", hunk: `${HUNK}\n+    ++tries;` },
    { path: "b.cc", hunk: null },
  ]);
  expect(files.map(({ path, hunks }) => [path, hunks.length, hunks[0]?.lines.length])).toEqual([
    ["a.cc", 1, 4],
    ["b.cc", 0, undefined],
  ]);
});

test("any text is a hunk or none, never an exception", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("@", "-", "+", " ", "1", ",", "\n", "…", "x") }), (hunk) => {
      const [file] = pastChange(REPO, 0, [{ path: "constructor", hunk }]).files;
      const lines = file?.hunks.flatMap((one) => one.lines) ?? [];
      expect(file?.additions).toBe(lines.filter(({ kind }) => kind === "added").length);
    }),
  );
});
