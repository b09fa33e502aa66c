// Code that was spoken about on other pull requests, looked for in a change.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Flagged, shapeKey, shapeOf, tokenStream } from "../../src/domain/code/code-fingerprint.ts";
import { beginnings, flaggedInChange } from "../../src/review/memory/flagged-here.ts";
import { fileDiff } from "./review-builders.ts";

const TOTAL = "  return items.reduce((sum, item) => sum + item.price - item.price * item.discount * 100, 0);";
const CODE = ["export function total(items: readonly Item[]): number {", TOTAL, "}"];
const FORMATTED = [
  "    return items.reduce(",
  "        (sum, item) => sum + item.price -",
  "            item.price * item.discount * 100,",
  "        0,",
  "    );",
];

/** A finding about lines of some code. */
function flagged(lines: readonly string[], startLine: number, line = startLine, more: Partial<Flagged> = {}): Flagged {
  const stream = tokenStream(lines.map((text, at) => ({ line: at + 1, text })));
  return {
    memoryId: "mem_0123456789ab",
    pull: 12,
    path: "src/cart.ts",
    category: "correctness",
    severity: "major",
    rule: null,
    title: "The discount is taken a hundred times",
    shape: shapeOf(stream, startLine, line),
    url: "https://github.com/acme/shop/pull/12#discussion_r7",
    at: Date.UTC(2026, 4, 30),
    fixedAt: Date.UTC(2026, 5, 1),
    ...more,
  };
}

const added = (path: string, lines: readonly string[]) =>
  fileDiff(path, [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((text) => `+${text}`)].join("\n"), { status: "added" });

describe("flaggedInChange", () => {
  test("finds code in another file, indented and broken as another formatter would have it", () => {
    const file = added("lib/basket.ts", ["class Basket {", "  total(items: Item[]) {", ...FORMATTED, "  }", "}"]);
    expect(flaggedInChange([flagged(CODE, 2)], [file])).toMatchObject([
      { places: [{ path: "lib/basket.ts", startLine: 3, line: 6, isWhole: true }], isAdded: true, isDistinctive: true },
    ]);
  });

  test("code that the change moves is not added by it", () => {
    const moved = fileDiff(
      "src/cart.ts",
      ["@@ -1,3 +1,1 @@", ...CODE.map((line) => `-${line}`), "+export {};"].join("\n"),
    );
    const here = flaggedInChange([flagged(CODE, 2)], [moved, added("src/total.ts", CODE)]);
    expect(here).toMatchObject([{ isAdded: false }]);
  });

  test("code around a change is not added by it", () => {
    const around = fileDiff(
      "src/cart.ts",
      ["@@ -1,3 +1,4 @@", ` ${CODE[0]}`, ` ${TOTAL}`, "+  // sums up", " }"].join("\n"),
    );
    expect(flaggedInChange([flagged(CODE, 2)], [around])).toMatchObject([{ isAdded: false }]);
  });

  test("code that was fixed is not found, even where only its last words differ", () => {
    const fixed = added("src/cart.ts", [CODE[0] ?? "", TOTAL.replace("* 100", "/ 1"), "}"]);
    expect(flaggedInChange([flagged(CODE, 2)], [fixed]).filter(({ isAdded }) => isAdded)).toEqual([]);
  });

  test("code that is in every file means nothing, unless its surroundings are the same", () => {
    const read = [
      "func read() error {",
      "  rows, err := db.Query(all)",
      "  if err != nil { return err }",
      "  return rows.Close()",
      "}",
    ];
    const other = added("b.go", ["func write() error {", "  if err != nil { return err }", "  log.Print(done)", "}"]);
    expect(flaggedInChange([flagged(read, 3)], [other])).toMatchObject([{ isDistinctive: false }]);
    expect(flaggedInChange([flagged(read, 3)], [added("c.go", read)])).toMatchObject([{ isDistinctive: true }]);
  });

  test("law: after any formatter, added code is found in any place, under a key that memory is asked for [005-02]", () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    const breaks = fc.array(fc.constantFrom(" ", "  ", "\n", "\n    ", "\t"), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 7, maxLength: 20 }), breaks, fc.nat(5), (words, gaps, before) => {
        const one = flagged(["x", words.join(" "), "y"], 2);
        const text = words.map((each, at) => `${each}${gaps[at] ?? " "}`).join("");
        const file = added("any.ts", [...Array.from({ length: before }, (_, at) => `line${at};`), ...text.split("\n")]);
        const [here] = flaggedInChange([one], [file]);
        expect(here).toMatchObject({ isAdded: true, isDistinctive: true });
        expect(here?.places[0]?.startLine).toBe(before + 1);
        expect(beginnings([file])).toContain(shapeKey(one.shape));
      }),
      { numRuns: 150 },
    );
  });

  // A megabyte takes ten seconds: NIGHTLY=1.
  test("lines far apart and a long line end at once", () => {
    const pieces = process.env.NIGHTLY === "1" ? 130_000 : 13_000;
    const far = fileDiff(
      "far.ts",
      ["@@ -0,0 +1,1 @@", `+${TOTAL.slice(0, 40)}`, "@@ -1,1 +999999999,1 @@", `+${TOTAL.slice(40)}`].join("\n"),
    );
    expect(flaggedInChange([flagged(CODE, 2)], [far])).toHaveLength(1);
    const long = added("long.js", ["x.y = a;".repeat(pieces)]);
    const many = Array.from({ length: 2_000 }, () => flagged(["x.y = a;".repeat(60)], 1));
    expect(flaggedInChange(many, [long]).length).toBeGreaterThan(0);
  });
});
