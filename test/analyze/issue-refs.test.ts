import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { issueRefs } from "../../src/analyze/intent.ts";
import { intentProse } from "../../src/analyze/intent-prose.ts";
import { runs } from "../property-runs.ts";

const inBody = (body: string) => issueRefs({ title: [], body: intentProse(body), commits: [] });
const one = (body: string) =>
  inBody(body).map(({ keyword, closing, repo, number }) => [keyword, closing, repo, number]);

describe("closing", () => {
  test.each(["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"])(
    "GitHub's keyword %s closes, in any case and with a colon",
    (keyword) => {
      expect(one(`${keyword.toUpperCase()} #12`)).toEqual([[keyword, true, null, 12]]);
      expect(one(`${keyword}: #12.`)).toEqual([[keyword, true, null, 12]]);
    },
  );

  test.each([
    ["closes my-org/my.repo#5", "my-org/my.repo", 5],
    ["fixes https://github.com/rust-lang/rust/issues/1234", "rust-lang/rust", 1234],
    ["Fixes [#12](https://github.com/a/b/issues/12)", null, 12],
    ["Fixes **#12**", null, 12],
    ["resolves GH-77", null, 77],
    ["fixes https://github.example.com/team/tool/pull/3", "team/tool", 3],
    ["(Resolves #1784)", null, 1784],
  ])("%s", (body, repo, number) => expect(inBody(body)).toMatchObject([{ closing: true, repo, number }]));
});

describe("weaker ties", () => {
  test.each([
    ["relates to #15", "relates-to"],
    ["Related to #15", "relates-to"],
    ["See #15", "see"],
    ["see also #15", "see"],
    ["Refs: #15", "refs"],
    ["part of #15", "part-of"],
    ["Addresses #15", "addresses"],
  ])("%s", (body, keyword) => expect(one(body)).toEqual([[keyword, false, null, 15]]));

  test("GitHub closes only what follows the keyword directly", () => {
    expect(one("Fixes #1, #2 and a/b#3")).toEqual([
      ["fixes", true, null, 1],
      ["fixes", false, null, 2],
      ["fixes", false, "a/b", 3],
    ]);
    expect(one("Fixes issue #4")).toEqual([["fixes", false, null, 4]]);
    expect(one("Resolves #10, resolves #123")).toEqual([
      ["resolves", true, null, 10],
      ["resolves", true, null, 123],
    ]);
  });
});

test("an issue is named once, and closing it wins over seeing it", () => {
  expect(one("fixes #42 and closes #42")).toEqual([["fixes", true, null, 42]]);
  expect(one("See #42.\nCloses #42")).toEqual([["closes", true, null, 42]]);
  expect(one("See a/b#42, A/B#42 and #42")).toEqual([
    ["see", false, "a/b", 42],
    ["see", false, null, 42],
  ]);
});

test("title, body and commits are read, in this order", () => {
  const refs = issueRefs({
    title: intentProse("fix #1: crash"),
    body: intentProse("closes #2"),
    commits: [intentProse("x\n\nRefs #3")],
  });
  expect(refs.map((ref) => [ref.number, ref.source])).toEqual([
    [1, "title"],
    [2, "body"],
    [3, "commit"],
  ]);
});

test.each([
  "#12",
  "prefixes #12",
  "bugfix #12",
  "hot-fix #12",
  "fixes#12",
  "fix(#11707): strings",
  "fixes 12",
  "fixes #0",
  "fixes #12abc",
  "fixes #999999999999",
  'Fixes: 1234567 ("subject")',
  "seed #12",
  "fixes https://gitlab.com/a/b/issues/12",
  "```\nfixes #9\n```",
  "`fixes #9`",
  "fixes `x` #9",
  "> fixes #9",
  "<!-- fixes #9 -->",
])("says nothing: %s", (body) => expect(inBody(body)).toEqual([]));

test("no body, no references; and never more than a hundred", () => {
  expect(issueRefs({ title: [], body: [], commits: [] })).toEqual([]);
  expect(inBody(Array.from({ length: 500 }, (_, index) => `fixes #${index + 1}`).join("\n")).length).toBe(100);
});

test("numbers are positive and each issue is listed once, for any text", () => {
  const piece = fc.constantFrom(
    "fixes",
    " ",
    "#",
    "12",
    ", ",
    "and ",
    "a/b",
    "see",
    ":",
    "\n",
    "`",
    "GH-",
    "https://github.com/a/b/issues/",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const refs = inBody(pieces.join(""));
      expect(refs.every((ref) => Number.isSafeInteger(ref.number) && ref.number > 0)).toBe(true);
      expect(new Set(refs.map((ref) => `${ref.repo}#${ref.number}`)).size).toBe(refs.length);
    }),
    runs(1_000),
  );
});
