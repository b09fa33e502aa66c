import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Finding } from "../../src/domain/finding.ts";
import { anchorFindings } from "../../src/review/placing/place.ts";
import { runs } from "../property-runs.ts";
import { anyFinding, fileDiff, finding, LOGIN } from "./review-builders.ts";

const place = (more: Parameters<typeof finding>[0], files = [LOGIN]) => {
  const [placed] = anchorFindings([finding(more)], files);
  return [placed?.place, placed?.reason];
};

describe("ground", () => {
  test("added and context lines of the head are on the right", () => {
    expect(place({ startLine: 11, line: 13 })).toEqual(["inline", null]);
    expect(place({ startLine: 10, line: 10 })).toEqual(["inline", null]);
  });

  test("removed and context lines of the base are on the left, added ones are not", () => {
    expect(place({ side: "LEFT", startLine: 11, line: 11 })).toEqual(["inline", null]);
    expect(place({ side: "LEFT", startLine: 12, line: 12 })).toEqual(["inline", null]);
    expect(place({ side: "LEFT", startLine: 16, line: 16 })).toEqual(["file", "the line is not part of the diff"]);
  });

  test("a line between two hunks is said on the file, never moved to the nearest hunk", () => {
    expect(place({ startLine: 30, line: 30 })).toEqual(["file", "the line is not part of the diff"]);
    expect(place({ startLine: 11, line: 30 })).toEqual(["file", "the lines are not part of the diff"]);
  });

  test("both ends must lie in one hunk", () => {
    expect(place({ startLine: 13, line: 43 })).toEqual(["file", "the lines lie in different hunks of the diff"]);
  });

  test("a path outside the diff is for the summary, with any name", () => {
    for (const path of ["src/other.py", "constructor", "__proto__"]) {
      expect(place({ path })).toEqual(["summary", "the file is not part of the reviewed diff"]);
    }
  });

  test("a file whose diff was not delivered whole says so", () => {
    const cut = fileDiff("big.py", "@@ -1 +1 @@\n-a\n+b", { complete: false });
    expect(place({ path: "big.py", startLine: 9, line: 9 }, [cut])).toEqual([
      "file",
      "the line is not in the part of the diff that was delivered",
    ]);
  });

  test("a reversed range or line 0 is no range", () => {
    expect(place({ startLine: 12, line: 11 })).toEqual(["file", "the lines are not a range"]);
    expect(place({ startLine: 0, line: 11 })).toEqual(["file", "the lines are not a range"]);
  });

  test("every finding is placed once, unchanged, and inline means that each of its lines is in one hunk", () => {
    fc.assert(
      fc.property(fc.array(anyFinding, { maxLength: 20 }), (findings) => {
        const placed = anchorFindings(findings, [LOGIN]);
        expect(placed.map((one) => one.finding)).toEqual(findings);
        for (const one of placed) {
          expect(one.reason === null).toBe(one.place === "inline");
          if (one.place === "inline") expect(standInOneHunk(one.finding)).toBe(true);
        }
      }),
      runs(5000),
    );
  });
});

function standInOneHunk({ side, startLine, line }: Finding): boolean {
  const number = side === "LEFT" ? "oldLine" : "newLine";
  return LOGIN.hunks.some((hunk) => {
    const there = new Set(hunk.lines.map((one) => one[number]));
    return Array.from({ length: line - startLine + 1 }, (_, index) => startLine + index).every((one) => there.has(one));
  });
}
