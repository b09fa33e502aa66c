// Whatever a quote shows around it, a suggestion replaces the lines that its anchors name, or it is
// not offered.
import { describe, expect, test } from "vitest";
import { anchorOf } from "../../src/review/placing/locate.ts";
import { draft } from "../../src/review/reading/draft.ts";
import { drafted } from "../fakes/scripted-model.ts";
import { LOGIN } from "./review-builders.ts";

const LINES = LOGIN.hunks[0]?.lines.filter(({ newLine }) => newLine !== null) ?? [];
const text = (line: number) => LINES.find(({ newLine }) => newLine === line)?.text ?? "";
const anchor = (line: number) => anchorOf(LOGIN.path, "RIGHT", line, text(line));
/** Three lines, as the instructions ask for. */
const QUOTE = [11, 12, 13].map(text).join("\n");

function found(over: Readonly<Record<string, unknown>>) {
  const one = drafted({ path: LOGIN.path, quote: QUOTE, suggestion: "    query = QUERY", ...over });
  const [finding] = draft([[one as never]], [LOGIN], new Map(), () => 1).findings;
  return { at: [finding?.startLine, finding?.line], suggestion: finding?.suggestion ?? null };
}

test("one anchor and three quoted lines: the suggestion replaces one line, and the finding is on it", () => {
  expect(found({ anchor: anchor(11), endAnchor: null })).toEqual({
    at: [11, 11],
    suggestion: { startLine: 11, line: 11, text: "    query = QUERY" },
  });
});

test("an end anchor says how far the suggestion reaches", () => {
  expect(found({ anchor: anchor(11), endAnchor: anchor(12) }).suggestion).toMatchObject({ startLine: 11, line: 12 });
});

test("if an anchor is not proven, the replaced lines are unknown", () => {
  expect(found({ anchor: anchor(11), endAnchor: "12#0000" })).toEqual({ at: [11, 13], suggestion: null });
  expect(found({ anchor: "11#0000", endAnchor: null })).toEqual({ at: [11, 13], suggestion: null });
});

test("no end anchor means one line, however many the quote shows to prove it", () => {
  expect(found({ anchor: anchor(11), endAnchor: null, suggestion: null }).at).toEqual([11, 11]);
});

test("an end anchor that proves nothing leaves the quote to say how far the finding reaches", () => {
  expect(found({ anchor: anchor(11), endAnchor: "13#0000", suggestion: null }).at).toEqual([11, 13]);
});

describe("two defects of one kind on one line", () => {
  const say = (title: string, body: string) => drafted({ path: LOGIN.path, quote: text(11), title, body });
  const INJECTION = say("Name is put into the SQL text", "A quote in the name ends the string. Bind a parameter.");
  const REWORDED = say("The SQL text contains the name unescaped", "Bind the name as a parameter of the string.");
  const SCAN = say(
    "Lookup ignores letter case of logins",
    "MONA and mona become different people. Fold before comparing.",
  );
  const ids = (...all: readonly object[]) =>
    draft([all as never], [LOGIN], new Map(), () => 1).findings.map(({ id }) => id);

  test("have an id each, by the order in which they are listed", () => {
    const [first, second] = ids(INJECTION, SCAN);
    expect(second).not.toBe(first);
    expect(ids(INJECTION)).toEqual([first]);
    expect(ids(INJECTION, SCAN)).toEqual([first, second]);
  });

  test("the same one listed twice, reworded, keeps its id", () => {
    const [first, again, second] = ids(INJECTION, REWORDED, SCAN);
    expect(again).toBe(first);
    expect(ids(INJECTION, SCAN)).toEqual([first, second]);
  });
});
