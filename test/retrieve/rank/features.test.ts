import fc from "fast-check";
import { expect, test } from "vitest";
import { BACKGROUND } from "../../../src/domain/text/word-rarity.ts";
import { signalsOf } from "../../../src/retrieve/rank/features.ts";
import table from "../../../src/retrieve/rank/fusion-table.json" with { type: "json" };
import { fuseLearned } from "../../../src/retrieve/rank/learned-fusion.ts";
import { change, comment, NOW, WORDS } from "./ranking.ts";

/** Any code points, lone surrogates included. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 40 })
  .map((points) => points.map((point) => String.fromCodePoint(point)).join(""));

const weights = table.memory.weights as Parameters<typeof fuseLearned>[2];
const DAY = 86_400_000;

function order(memories: readonly ReturnType<typeof comment>[], asked = change({})): string[] {
  const scores = fuseLearned(signalsOf(asked, memories, BACKGROUND, WORDS), memories.length, weights);
  return memories
    .map(({ id }, at) => ({ id, score: scores[at] ?? 0 }))
    .sort((a, b) => b.score - a.score)
    .map(({ id }) => id);
}

const leak = comment({ id: "leak" });
const naming = comment({
  id: "naming",
  pr: 2,
  path: "docs/style.md",
  language: "Markdown",
  text: "Headings are in sentence case here.",
  hunk: "+# A Title",
});
const sorted = comment({
  id: "sorted",
  pr: 3,
  path: "src/menu.ts",
  text: "Please keep these entries sorted alphabetically.",
  hunk: "+ 'b',\n+ 'a',",
});
const thanks = comment({ id: "thanks", pr: 4, text: "LGTM, thanks!" });

test("what was said about the same thing in the same file comes first, what says nothing last in its language", () => {
  const ranked = order([naming, thanks, sorted, leak]);
  expect(ranked[0]).toBe("leak");
  expect(ranked.indexOf("thanks")).toBeGreaterThan(ranked.indexOf("sorted"));
});

test("the languages C++ and cpp are one", () => {
  const files = [{ path: "src/a.cpp", language: "C++", additions: 4, deletions: 1 }];
  const { sameLanguage } = signalsOf(
    change({ files }),
    [comment({ language: "cpp" }), comment({ language: "Python" })],
    BACKGROUND,
    WORDS,
  );
  expect([...(sameLanguage ?? [])]).toEqual([1, 0]);
});

test("a related language counts half as much as the change's own, and by its share", () => {
  const files = [
    { path: "src/a.cpp", language: "C++", additions: 79, deletions: 0 },
    { path: "tool.py", language: "Python", additions: 19, deletions: 0 },
  ];
  const memories = ["cpp", "c", "Python", "Go"].map((language) => comment({ language }));
  const { sameLanguage, languageShare } = signalsOf(change({ files }), memories, BACKGROUND, WORDS);
  expect([...(sameLanguage ?? [])]).toEqual([1, 0.5, 1, 0]);
  expect([...(languageShare ?? [])]).toEqual([Math.sqrt(0.8), Math.sqrt(0.8) / 2, Math.sqrt(0.2), 0]);
});

test("a comment that others repeated on other pull requests echoes more than one that stands alone", () => {
  const again = comment({
    id: "again",
    pr: 9,
    text: "This leaks the connection when parsing throws; close it in finally.",
  });
  const { echo, recurrence } = signalsOf(change({}), [leak, again, sorted], BACKGROUND, WORDS);
  expect(echo?.[0]).toBeGreaterThan(echo?.[2] ?? 0);
  expect(recurrence?.[0]).toBeGreaterThan(recurrence?.[2] ?? 0);
});

test("repeats on the same pull request are no recurrence", () => {
  const twice = [leak, comment({ id: "twin" }), sorted];
  const apart = [leak, comment({ id: "twin", pr: 77 }), sorted];
  const of = (memories: typeof twice) => signalsOf(change({}), memories, BACKGROUND, WORDS).recurrence?.[0] ?? 0;
  expect(of(apart)).toBeGreaterThan(of(twice));
});

test("text far from the changed lines' file type does not count as a window's", () => {
  const note = comment({ id: "note", path: "README.md", language: "Markdown" });
  const { windowText, windowTextAnywhere } = signalsOf(change({}), [note], BACKGROUND, WORDS);
  expect(windowText?.[0]).toBe(0);
  expect(windowTextAnywhere?.[0]).toBeGreaterThan(0);
});

test("every signal is a finite figure for every memory, whatever the text", () => {
  const text = fc.oneof(anyText, fc.constantFrom("", "constructor", "__proto__", "```", "<!--", "<sup>"));
  const memory = fc.record({ text, hunk: text, path: text, language: fc.option(text), pr: fc.integer() }).map(comment);
  const asked = fc
    .record({ title: text, body: text, lines: fc.array(text), path: text })
    .map(({ title, body, lines, path }) =>
      change({ title, body, hunks: [{ path, section: "", addedLines: lines, removedLines: lines, contextLines: [] }] }),
    );
  fc.assert(
    fc.property(asked, fc.array(memory, { maxLength: 6 }), (one, memories) => {
      for (const values of Object.values(signalsOf(one, memories, BACKGROUND, WORDS))) {
        expect(values).toHaveLength(memories.length);
        expect([...values].every(Number.isFinite)).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

test("the order of the memories does not change their scores", () => {
  const memories = [leak, naming, sorted, thanks, comment({ id: "late", pr: 8, createdAt: NOW - DAY })];
  const forth = order(memories);
  expect(order(memories.toReversed())).toEqual(forth);
});

test("the table names signals that exist", () => {
  const names = new Set(Object.keys(signalsOf(change({}), [leak], BACKGROUND, WORDS)));
  for (const { signal } of [...table.memory.weights, ...table.text.weights]) expect(names).toContain(signal);
});

test("a huge change over many memories ends", () => {
  const line = "const value = compute(alpha, beta, gamma);".repeat(50);
  const addedLines = Array.from({ length: 30_000 }, (_, at) => `${line}${at}`);
  const hunks = [{ path: "a.ts", section: "", addedLines, removedLines: [], contextLines: [] }];
  const memories = Array.from({ length: 300 }, (_, at) => comment({ id: `m${at}`, pr: at }));
  expect(order(memories, change({ hunks }))).toHaveLength(300);
}, 60_000);
