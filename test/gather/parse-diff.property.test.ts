import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DiffLine } from "../../src/domain/pull-request.ts";
import { parseDiff } from "../../src/gather/parse-diff.ts";
import { runs } from "../property-runs.ts";

/**
 * Ordinary lines, and those that a careless parser takes for something else. Only LF ends a line.
 */
const line = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("", "a", "b", "}", "return x;") },
  fc.constantFrom("-- a/x.ts", "++ b/x.ts", "@@ -1 +1 @@", "diff --git a/y b/y", "\\ No newline at end of file", "-- "),
  fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll("\n", " ")),
  fc.constantFrom("\r", "one\rtwo", "one\ftwo", "one\u2028two", "end\r"),
);
const text = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
  .map(([lines, newline]) => lines.join("\n") + (newline && lines.length > 0 ? "\n" : ""));

/** The lines of a file as git counts them. */
function linesOf(content: string): string[] {
  const lines = content.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** The lines of a file that the diff does not show; those that it shows are compared. */
function without(content: readonly string[], shown: readonly DiffLine[], side: "oldLine" | "newLine"): string[] {
  const numbers = new Map(shown.flatMap((found) => (found[side] === null ? [] : [[found[side], found.text] as const])));
  for (const [number, said] of numbers) expect(content[number - 1]).toBe(said);
  return content.filter((_, at) => !numbers.has(at + 1));
}

test("every line of a diff is in its file under its number, and the rest of the files is the same", () => {
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 4 }), (before, after, contextLines) => {
      const header = "diff --git a/x.ts b/x.ts\n";
      const body = createTwoFilesPatch("a/x.ts", "b/x.ts", before, after, "", "", { context: contextLines });
      // jsdiff writes a ruler above the names, git does not.
      const { files, refused } = parseDiff(header + body.slice(body.indexOf("--- ")));
      expect(refused).toEqual([]);
      const lines = files[0]?.hunks.flatMap((hunk) => hunk.lines) ?? [];
      const oldRest = without(linesOf(before), lines, "oldLine");
      const newRest = without(linesOf(after), lines, "newLine");
      expect(newRest).toEqual(oldRest);
    }),
    runs(500),
  );
});

/** As git's quote.c writes a name that holds anything but printable ASCII. */
function quoted(name: string): string {
  const bytes = [...new TextEncoder().encode(name)].map((byte) => {
    const char = String.fromCharCode(byte);
    if (char === '"' || char === "\\") return `\\${char}`;
    return byte >= 0x20 && byte < 0x7f ? char : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `"${bytes.join("")}"`;
}

test("every name that git can quote comes back as it was", () => {
  const name = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
    .filter((value) => !value.includes("\0") && value.isWellFormed());
  fc.assert(
    fc.property(name, name, (before, after) => {
      const moved = [
        `diff --git ${quoted(`a/${before}`)} ${quoted(`b/${after}`)}`,
        "similarity index 100%",
        `rename from ${quoted(before)}`,
        `rename to ${quoted(after)}`,
      ];
      expect(parseDiff(moved.join("\n")).files[0]).toMatchObject({ path: after, previousPath: before });
      const mode = [`diff --git ${quoted(`a/${after}`)} ${quoted(`b/${after}`)}`, "old mode 100644", "new mode 100755"];
      expect(parseDiff(mode.join("\n")).files[0]?.path).toBe(after);
    }),
  );
});

test("no text makes the parser throw, and nothing is both parsed and lost", () => {
  const fragment = fc.constantFrom(
    "diff --git a/x b/x\n",
    "diff --cc x\n",
    "--- a/x\n",
    "+++ b/x\n",
    "@@ -1 +1 @@\n",
    "@@ -0,0 +1,2 @@ f\n",
    "@@@ -1 -1 +1 @@@\n",
    "-a\n",
    "+b\n",
    " c\n",
    "\\ No newline\n",
    "\r\n",
    "Binary files a/x and b/x differ\n",
    "rename from x\n",
    "rename to y\n",
    "index 1111..2222 100644\n",
    "Index: x\n",
    '"\\303',
    "\n",
    "-- \n",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(fragment, fc.string()), { maxLength: 30 }), (parts) => {
      const whole = parts.join("");
      const { files, refused } = parseDiff(whole);
      if (whole.includes("diff --cc")) return;
      for (const file of files) {
        const lines = file.hunks.flatMap((hunk) => hunk.lines);
        expect(file.additions).toBe(lines.filter((found) => found.kind === "added").length);
        for (const hunk of file.hunks) {
          expect(hunk.lines.filter((found) => found.newLine !== null)).toHaveLength(hunk.newLines);
          expect(hunk.lines.filter((found) => found.oldLine !== null)).toHaveLength(hunk.oldLines);
        }
      }
      expect(refused.every(({ reason }) => reason.length < 100)).toBe(true);
    }),
    runs(1000),
  );
});
