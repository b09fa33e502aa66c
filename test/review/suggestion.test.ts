import { describe, expect, test } from "vitest";
import { suggestion } from "../../src/review/placing/suggestion.ts";
import { CODE_PATHS, POWERFUL_PATHS } from "./powerful-paths.ts";
import { fileDiff, finding, LOGIN } from "./review-builders.ts";

const OFFER = { startLine: 13, line: 13, text: "    digest = hashlib.sha256(password).hexdigest()" };
const offered = (more: Parameters<typeof finding>[0] = {}) =>
  finding({ startLine: 13, line: 13, suggestion: OFFER, ...more });
const HEAD_TEXT = `${"\n".repeat(12)}    digest = hashlib.md5(password).hexdigest()\n`;

describe("suggestion", () => {
  test("stays when it replaces exactly the commented lines and the head text agrees [T31]", () => {
    expect(suggestion(offered(), LOGIN, null)).toEqual(OFFER);
    expect(suggestion(offered(), LOGIN, HEAD_TEXT)).toEqual(OFFER);
  });

  test("stays over several lines of one hunk", () => {
    const wide = { startLine: 11, line: 13, text: "    pass" };
    expect(suggestion(offered({ startLine: 11, suggestion: wide }), LOGIN, null)).toEqual(wide);
  });

  test.each([
    ["its range is not the comment's", offered({ startLine: 12 }), null],
    ["the comment stands on the base's side", offered({ side: "LEFT" }), null],
    [
      "its lines are not in the diff",
      offered({ startLine: 30, line: 30, suggestion: { ...OFFER, startLine: 30, line: 30 } }),
      null,
    ],
    [
      "its lines span two hunks",
      offered({ startLine: 15, line: 42, suggestion: { ...OFFER, startLine: 15, line: 42 } }),
      null,
    ],
    ["the head text says otherwise", offered(), HEAD_TEXT.replace("md5", "sha1")],
    ["the head text is shorter", offered(), "one line"],
    [
      "it changes nothing",
      offered({ suggestion: { ...OFFER, text: "    digest = hashlib.md5(password).hexdigest()" } }),
      null,
    ],
    ["it could close its fence", offered({ suggestion: { ...OFFER, text: "a\n  ```\n@octocat" } }), null],
    ["it holds a byte that is no text", offered({ suggestion: { ...OFFER, text: "caf\uFFFD" } }), null],
    ["it holds a carriage return", offered({ suggestion: { ...OFFER, text: "a\r" } }), null],
    ["it is longer than 20 lines", offered({ suggestion: { ...OFFER, text: "x\n".repeat(20) } }), null],
  ])("is dropped when %s", (_why, given, headText) => {
    expect(suggestion(given, LOGIN, headText)).toBeNull();
  });

  test("keeps ends of lines in CR LF, changes something else, and is dropped where the lines end in both", () => {
    const of = (text: string, patch: string, line = 1, headText: string | null = null) =>
      suggestion(
        finding({ path: "a.cs", startLine: 1, line, suggestion: { startLine: 1, line, text } }),
        fileDiff("a.cs", patch),
        headText,
      );
    const one = "@@ -1 +1 @@\n-a\r\n+b\r";
    expect(of("c", one, 1, "b\r\n")).toEqual({ startLine: 1, line: 1, text: "c", crlf: true });
    expect(of("b", one)).toBeNull();
    expect(of("c\r", one)).toBeNull();
    expect(of("c", one, 1, "b\n")).toBeNull();
    expect(of("c", "@@ -1 +1,2 @@\n-a\r\n+b\r\n+d\r", 2)).toMatchObject({ crlf: true });
    expect(of("c", "@@ -1 +1,2 @@\n-a\r\n+b\r\n+d", 2)).toBeNull();
  });

  test.each(POWERFUL_PATHS)("of a model is never offered for %s, of a rule it is", (path) => {
    const file = { ...LOGIN, path };
    expect(suggestion(offered({ path, source: "model" }), file, null)).toBeNull();
    expect(suggestion(offered({ path, source: "memory" }), file, null)).toBeNull();
    expect(suggestion(offered({ path, source: "rule" }), file, null)).toEqual(OFFER);
  });

  test("of a model has at most 10 lines, in code of any language [T31]", () => {
    for (const path of CODE_PATHS) {
      const file = { ...LOGIN, path };
      expect(suggestion(offered({ path, source: "model" }), file, null)).toEqual(OFFER);
      const long = { ...OFFER, text: Array.from({ length: 11 }, (_, at) => `    step_${at}()`).join("\n") };
      expect(suggestion(offered({ path, source: "model", suggestion: long }), file, null)).toBeNull();
      expect(suggestion(offered({ path, source: "rule", suggestion: long }), file, null)).toEqual(long);
    }
  });

  test("replaces at most 20 lines", () => {
    const rows = Array.from({ length: 21 }, (_, index) => `+line ${index}`).join("\n");
    const long = fileDiff("long.py", `@@ -0,0 +1,21 @@\n${rows}`);
    const on = (line: number) =>
      finding({ path: "long.py", startLine: 1, line, suggestion: { startLine: 1, line, text: "x" } });
    expect(suggestion(on(20), long, null)).not.toBeNull();
    expect(suggestion(on(21), long, null)).toBeNull();
  });
});
