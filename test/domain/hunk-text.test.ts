import { expect, test } from "vitest";
import { addedTexts, hunkText, largestHunks } from "../../eval/hunk-text.ts";
import type { DiffLine, Hunk } from "../../src/domain/pull-request.ts";

function aHunk(section: string, ...marked: string[]): Hunk {
  const kinds = new Map<string, DiffLine["kind"]>(Object.entries({ "+": "added", "-": "removed", " ": "context" }));
  const lines = marked.map((line) => {
    const kind = kinds.get(line.charAt(0)) ?? "context";
    return { kind, oldLine: kind === "added" ? null : 1, newLine: kind === "removed" ? null : 1, text: line.slice(1) };
  });
  return { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, section, lines };
}

test("a hunk is described by title, path, enclosing function and added lines", () => {
  const hunk = aHunk("function foo()", " a", "-b", "+x", "+++y");
  expect(hunkText("Fix bug", "src/a.ts", hunk)).toBe("Fix bug | src/a.ts | function foo()\nx\n++y");
  expect(hunkText("Fix bug", "src/a.ts", aHunk("", "+x"))).toBe("Fix bug | src/a.ts\nx");
});

test("the hunks that add the most are kept, in the order of the file", () => {
  const hunks = [aHunk("a", "+1"), aHunk("b", "+1", "+2", "+3"), aHunk("c", "+1", "+2"), aHunk("d", "+1", "+2")];
  const names = (most: number) => largestHunks(hunks, most).map((hunk) => hunk.section);
  expect(names(0)).toEqual([]);
  expect(names(2)).toEqual(["b", "c"]);
  expect(names(3)).toEqual(["b", "c", "d"]);
  expect(names(10)).toEqual(["a", "b", "c", "d"]);
  expect(addedTexts(aHunk("", "-a"))).toEqual([]);
});
