// Whatever a quote shows around it, a suggestion replaces the lines that its anchors name, or it is not offered.
import { expect, test } from "vitest";
import { anchorOf } from "../../src/review/anchor.ts";
import { draft } from "../../src/review/draft.ts";
import { drafted } from "../fakes/scripted-model.ts";
import { LOGIN } from "./given.ts";

const LINES = LOGIN.hunks[0]?.lines.filter(({ newLine }) => newLine !== null) ?? [];
const text = (line: number) => LINES.find(({ newLine }) => newLine === line)?.text ?? "";
const anchor = (line: number) => anchorOf(LOGIN.path, "RIGHT", line, text(line));
/** Three lines, as the instructions ask for. */
const QUOTE = [11, 12, 13].map(text).join("\n");

function found(over: Readonly<Record<string, unknown>>) {
  const one = drafted({ path: LOGIN.path, quote: QUOTE, suggestion: "    query = QUERY", ...over });
  const [finding] = draft([one as never], [LOGIN], new Map()).findings;
  return { at: [finding?.startLine, finding?.line], suggestion: finding?.suggestion ?? null };
}

test("one anchor and three quoted lines: the suggestion replaces one line, and the finding stands on it", () => {
  expect(found({ anchor: anchor(11), endAnchor: null })).toEqual({
    at: [11, 11],
    suggestion: { startLine: 11, line: 11, text: "    query = QUERY" },
  });
});

test("an end anchor says how far the suggestion reaches", () => {
  expect(found({ anchor: anchor(11), endAnchor: anchor(12) }).suggestion).toMatchObject({ startLine: 11, line: 12 });
});

test("where an anchor is not proven, nobody knows what would be replaced", () => {
  expect(found({ anchor: anchor(11), endAnchor: "12#0000" })).toEqual({ at: [11, 13], suggestion: null });
  expect(found({ anchor: "11#0000", endAnchor: null })).toEqual({ at: [11, 13], suggestion: null });
});

test("without a suggestion the quote says how far the finding reaches", () => {
  expect(found({ anchor: anchor(11), endAnchor: null, suggestion: null }).at).toEqual([11, 13]);
});
