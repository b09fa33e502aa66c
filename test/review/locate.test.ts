import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Hunk } from "../../src/domain/pull-request.ts";
import { anchorOf, diffLines, locate, parseAnchor } from "../../src/review/placing/locate.ts";
import { aFileDiff, aHunk } from "../builders/file-diff.ts";

const fileOf = (...hunks: readonly Hunk[]) => aFileDiff("src/queue.cpp", hunks);

const QUEUE = fileOf(
  aHunk(10, 10, [
    " int pop() {",
    "-  return items.front();",
    "+  auto first = items.front();",
    "+  items.pop();",
    "+  return first;",
    " }",
  ]),
  aHunk(80, 82, [" void clear() {", "+  items.pop();", "+  size = 0;", " }"]),
);
const LINES = diffLines(QUEUE);
const at = (side: "LEFT" | "RIGHT", line: number, text: string) => anchorOf("src/queue.cpp", side, line, text);

describe("the place of a model's finding", () => {
  test("an anchor is a number and the start of a SHA-256 over path, side, number and text", () => {
    const hash = createHash("sha256").update("src/queue.cpp\0RIGHT\u000012\0  items.pop();").digest("hex").slice(0, 4);
    expect(at("RIGHT", 12, "  items.pop();")).toBe(`12#${hash}`);
    expect(at("LEFT", 11, "x")).toMatch(/^-11#[0-9a-f]{4}$/);
  });

  test.each([
    ["12#3fa1", 12],
    ["12#3fa1:+  items.pop();", 12],
    ["`L12#3FA1`", 12],
    [" 12 # 3fa1 ", 12],
  ])("reads the anchor %j with what models put around it", (text, line) => {
    expect(parseAnchor(text)).toEqual({ side: "RIGHT", line, hash: "3fa1" });
  });

  test.each(["", "12", "#3fa1", "12#3fa", "12#3fa10", "12#zzzz", "line 12", "9999999999#3fa1"])(
    "%j is no anchor",
    (text) => {
      expect(parseAnchor(text)).toBeNull();
    },
  );

  test("an anchor and an end anchor in one hunk span their lines", () => {
    const citation = {
      anchor: at("RIGHT", 11, "  auto first = items.front();"),
      endAnchor: at("RIGHT", 13, "  return first;"),
      quote: "",
    };
    expect(locate(citation, LINES)).toEqual({ side: "RIGHT", startLine: 11, line: 13, method: "anchor" });
  });

  test("a removed line is cited on the LEFT", () => {
    const citation = {
      anchor: at("LEFT", 11, "  return items.front();"),
      endAnchor: null,
      quote: "return items.front();",
    };
    expect(locate(citation, LINES)).toEqual({ side: "LEFT", startLine: 11, line: 11, method: "anchor" });
  });

  test("an end anchor in another hunk, or before the start, does not stretch the finding", () => {
    const start = at("RIGHT", 12, "  items.pop();");
    const other = at("RIGHT", 84, "  size = 0;");
    const before = at("RIGHT", 11, "  auto first = items.front();");
    for (const endAnchor of [other, before]) {
      expect(locate({ anchor: start, endAnchor, quote: "" }, LINES)).toMatchObject({ startLine: 12, line: 12 });
    }
  });

  test("a wrong number with a quote that occurs once is placed on the quoted lines", () => {
    const quote = "  items.pop();\n  return first;\n}";
    expect(locate({ anchor: "40#0000", endAnchor: null, quote }, LINES)).toEqual({
      side: "RIGHT",
      startLine: 12,
      line: 14,
      method: "quote",
    });
  });

  test("a quote with anchors and markers copied along is read without them", () => {
    const quote = `${at("RIGHT", 83, "  items.pop();")}:+  items.pop();\n${at("RIGHT", 84, "  size = 0;")}:+  size = 0;`;
    expect(locate({ anchor: "1#0000", endAnchor: null, quote }, LINES)).toMatchObject({ startLine: 83, line: 84 });
    expect(locate({ anchor: "1#0000", endAnchor: null, quote: "+  items.pop();\n+  size = 0;" }, LINES)).toMatchObject({
      startLine: 83,
      line: 84,
    });
  });

  test.each([
    ["stands twice", "  items.pop();"],
    ["stands nowhere", "delete items;"],
    ["says nothing", "}"],
    ["is empty", ""],
    ["jumps over a hunk's end", "}\nvoid clear() {"],
  ])("a quote that %s proves no place", (_, quote) => {
    expect(locate({ anchor: "12#0000", endAnchor: null, quote }, LINES).method).toBe("none");
  });

  const words = fc.array(
    fc.constantFrom("if (x) {", "  return 1;", "}", "", "  call(a, b);", "\tfoo = bar", "é\u200B", "x".repeat(700)),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  const diffs = fc
    .array(fc.tuple(words, fc.array(fc.constantFrom("+", "-", " "), { minLength: 12, maxLength: 12 })), {
      minLength: 1,
      maxLength: 3,
    })
    .map((hunks) =>
      fileOf(
        ...hunks.map(([texts, marks], i) =>
          aHunk(
            1 + i * 100,
            1 + i * 90,
            texts.map((text, j) => `${marks[j]}${text}`),
          ),
        ),
      ),
    );

  test("every line of every diff is found by its anchor, and by no other line's", () => {
    fc.assert(
      fc.property(diffs, (file) => {
        const lines = diffLines(file);
        for (const { kind, oldLine, newLine, text } of file.hunks.flatMap((one) => one.lines)) {
          const side = kind === "removed" ? "LEFT" : "RIGHT";
          const line = (side === "LEFT" ? oldLine : newLine) ?? 0;
          const citation = { anchor: anchorOf(file.path, side, line, text), endAnchor: null, quote: "" };
          expect(locate(citation, lines)).toEqual({ side, startLine: line, line, method: "anchor" });
        }
      }),
    );
  });

  test("for any citation of a model, the place is in one hunk of the diff, or there is none", () => {
    const citations = fc.record({
      anchor: fc.oneof(fc.string(), fc.constantFrom("1#0000", "3#abcd", "-2#ffff")),
      endAnchor: fc.option(fc.string()),
      quote: fc.oneof(
        fc.string(),
        words.map((lines) => lines.join("\n")),
      ),
    });
    fc.assert(
      fc.property(diffs, citations, (file, citation) => {
        const lines = diffLines(file);
        const place = locate(citation, lines);
        if (place.method === "none") return;
        const first = lines.at(place.side, place.startLine);
        const last = lines.at(place.side, place.line);
        expect(first).not.toBeNull();
        expect(last?.hunk).toBe(first?.hunk);
        expect(place.line).toBeGreaterThanOrEqual(place.startLine);
      }),
    );
  });
});
