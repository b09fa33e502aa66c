import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Checkpoint, LineRange } from "../../src/domain/review/review-history.ts";
import { scopeAfterPush } from "../../src/review/push-scope.ts";
import { fileDiff, LOGIN } from "./review-builders.ts";

function delta(touched: readonly LineRange[] | "whole", over: Partial<Extract<Checkpoint, { kind: "delta" }>> = {}) {
  const read = new Set([LOGIN.path, "src/long.ts"]);
  const of = new Map([LOGIN.path, "src/long.ts"].map((path) => [path, touched]));
  return {
    kind: "delta",
    since: "a",
    touched: of,
    renamed: new Map(),
    read,
    heldBack: [],
    walkthrough: null,
    ...over,
  } as const;
}

const LONG = fileDiff(
  "src/long.ts",
  `@@ -0,0 +1,300 @@\n${Array.from({ length: 300 }, (_, at) => `+line ${at + 1}`).join("\n")}`,
);

describe("what a push puts within reach", () => {
  test("of several hunks the one that it touched", () => {
    const { files, earlier } = scopeAfterPush(
      [LOGIN, LONG],
      delta([{ first: 43, last: 43 }], { touched: new Map([[LOGIN.path, [{ first: 43, last: 43 }]]]) }),
    );
    expect(files.map(({ path, hunks }) => [path, hunks])).toEqual([[LOGIN.path, [LOGIN.hunks[1]]]]);
    expect(earlier).toEqual([{ path: "src/long.ts", state: "earlier", reason: null }]);
  });

  test("of a long hunk the nearby lines, under their own numbers", () => {
    const { files, touches } = scopeAfterPush([LONG], delta([{ first: 100, last: 102 }]));
    const [hunk] = files[0]?.hunks ?? [];
    expect([hunk?.newStart, hunk?.newLines, hunk?.lines.at(0)?.newLine, hunk?.lines.at(-1)?.newLine]).toEqual([
      60, 83, 60, 142,
    ]);
    expect(touches("src/long.ts", "RIGHT", 95, 95)).toBe(true);
    expect(touches("src/long.ts", "RIGHT", 150, 150)).toBe(false);
  });

  test("removed lines by their former place", () => {
    const { touches } = scopeAfterPush([LOGIN], delta([{ first: 12, last: 12 }]));
    expect(touches(LOGIN.path, "LEFT", 11, 11)).toBe(true);
    expect(scopeAfterPush([LOGIN], delta([{ first: 43, last: 43 }])).touches(LOGIN.path, "LEFT", 11, 11)).toBe(false);
  });

  test("everything of a file that was not read wholly, and of a full review", () => {
    expect(scopeAfterPush([LONG], delta([], { read: new Set() })).files).toEqual([LONG]);
    expect(scopeAfterPush([LONG], { kind: "full", reason: null }).files).toEqual([LONG]);
  });

  test("each changed line that it touched, once, for any push", () => {
    const range = fc
      .tuple(fc.integer({ min: 1, max: 300 }), fc.nat({ max: 20 }))
      .map(([first, more]) => ({ first, last: Math.min(300, first + more) }));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 5 }), (ranges) => {
        const { files } = scopeAfterPush([LONG], delta(ranges));
        const shown = files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines.map(({ newLine }) => newLine)));
        expect(new Set(shown).size).toBe(shown.length);
        for (const { first, last } of ranges) for (let at = first; at <= last; at++) expect(shown).toContain(at);
      }),
    );
  });
});
