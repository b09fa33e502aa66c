import fc from "fast-check";
import { expect, test } from "vitest";
import { BACKGROUND } from "../../../src/domain/text/word-rarity.ts";
import { featureSignals } from "../../../src/retrieve/rank/features.ts";
import table from "../../../src/retrieve/rank/fusion-table.json" with { type: "json" };
import { fuseLearned } from "../../../src/retrieve/rank/learned-fusion.ts";
import { change, comment, WORDS } from "./ranking-builders.ts";

/** Any code points, lone surrogates included. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 40 })
  .map((points) => points.map((point) => String.fromCodePoint(point)).join(""));

const linesOf = (kind: "added" | "removed", texts: readonly string[]) => texts.map((text) => ({ kind, text }));

const weights = table.memory as Parameters<typeof fuseLearned>[2];

function order(memories: readonly ReturnType<typeof comment>[], asked = change({})): string[] {
  const even = { vector: 1, keyword: 1 };
  const terms = fuseLearned(featureSignals(asked, memories, BACKGROUND, WORDS), memories.length, weights, even);
  return memories
    .map(({ id }, at) => ({ id, score: (terms[at]?.terms ?? []).reduce((sum, { value }) => sum + value, 0) }))
    .sort((a, b) => b.score - a.score)
    .map(({ id }) => id);
}

const leak = comment({ id: "leak" });
const naming = comment({
  id: "naming",
  pr: 2,
  path: "docs/style.md",
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

test("what was said about the same thing in the same file comes first, what says nothing behind what says something", () => {
  const ranked = order([naming, thanks, sorted, leak]);
  expect(ranked[0]).toBe("leak");
  expect(ranked.indexOf("thanks")).toBeGreaterThan(ranked.indexOf("sorted"));
});

test("a comment that others repeated on other pull requests recurs more than a single one", () => {
  const again = comment({
    id: "again",
    pr: 9,
    text: "This leaks the connection when parsing throws; close it in finally.",
  });
  const { recurrence } = featureSignals(change({}), [leak, again, sorted], BACKGROUND, WORDS);
  expect(recurrence?.[0]).toBeGreaterThan(recurrence?.[2] ?? 0);
});

test("repeats on the same pull request are no recurrence", () => {
  const twice = [leak, comment({ id: "twin" }), sorted];
  const apart = [leak, comment({ id: "twin", pr: 77 }), sorted];
  const of = (memories: typeof twice) => featureSignals(change({}), memories, BACKGROUND, WORDS).recurrence?.[0] ?? 0;
  expect(of(apart)).toBeGreaterThan(of(twice));
});

const EXTENSIONS = ["", ".ts", ".tsx", ".js", ".py", ".md", ".json", ".cc", ".cpp", ".h"];

test("no signal depends on the extension of a memory's path", () => {
  const paths = ["src/billing/invoice", "src/billing/rate", "invoice", "docs/billing"];
  for (const path of paths) {
    const of = (extension: string) =>
      featureSignals(change({}), [comment({ path: `${path}${extension}` }), naming, sorted, thanks], BACKGROUND, WORDS);
    for (const extension of EXTENSIONS) expect(of(extension)).toEqual(of(".ts"));
  }
});

test("every signal is a finite figure for every memory, for any text", () => {
  const text = fc.oneof(anyText, fc.constantFrom("", "constructor", "__proto__", "```", "<!--", "<sup>"));
  const memory = fc.record({ text, hunk: text, path: text, pr: fc.integer() }).map(comment);
  const asked = fc.record({ title: text, body: text, lines: fc.array(text) }).map(({ title, body, lines }) =>
    change({
      title,
      body,
      hunks: [{ section: "", lines: [...linesOf("added", lines), ...linesOf("removed", lines)] }],
    }),
  );
  fc.assert(
    fc.property(asked, fc.array(memory, { maxLength: 6 }), (one, memories) => {
      for (const values of Object.values(featureSignals(one, memories, BACKGROUND, WORDS))) {
        expect(values).toHaveLength(memories.length);
        expect([...values].every(Number.isFinite)).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

test("the order of the memories does not change their scores", () => {
  const memories = [leak, naming, sorted, thanks, comment({ id: "late", pr: 8, text: "Who closes the connection?" })];
  const forth = order(memories);
  expect(order(memories.toReversed())).toEqual(forth);
});

test("the table names signals that exist", () => {
  // The similarity of vectors is none of words.
  const names = new Set(["similarity", ...Object.keys(featureSignals(change({}), [leak], BACKGROUND, WORDS))]);
  for (const { signal } of [table.memory, table.text, table.question].flatMap(({ weights }) => weights))
    expect(names).toContain(signal);
});

test("a huge change over many memories ends", () => {
  const line = "const value = compute(alpha, beta, gamma);".repeat(50);
  const added = Array.from({ length: 30_000 }, (_, at) => `${line}${at}`);
  const hunks = [{ section: "", lines: linesOf("added", added) }];
  const memories = Array.from({ length: 300 }, (_, at) => comment({ id: `m${at}`, pr: at }));
  expect(order(memories, change({ hunks }))).toHaveLength(300);
});
