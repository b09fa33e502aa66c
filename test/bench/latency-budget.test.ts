// bench/README.md tells what a search may take beside what it took. No time is measured here: what
// is held is that the page names every part, and that its verdicts are those of its own figures.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Row {
  readonly part: string;
  readonly most: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly verdict: string;
}

/** Upper ends in milliseconds, as they were asked for. */
const ASKED: ReadonlyMap<string, number> = new Map([
  ["semantic, one text", 200],
  ["keyword, one text", 50],
  ["hybrid, eleven texts", 250],
  ["search and merge, our own", 50],
  ["cached embedding of a query", 10],
  ["merge alone", 10],
  ["reranking", 1_500],
]);

function rows(text: string): readonly Row[] {
  const [, table = ""] = /\| part +\| at most, ms.*\n\|[-| :]+\n((?:\|.*\n)+)/.exec(text) ?? [];
  const number = (word: string) => (word === "–" ? null : Number(word.replaceAll(",", "")));
  return table.split("\n").flatMap((line) => {
    const [, part = "", most = "", p50 = "", p95 = "", verdict = ""] = line.split("|").map((cell) => cell.trim());
    return part === "" ? [] : [{ part, most: number(most) ?? 0, p50: number(p50), p95: number(p95), verdict }];
  });
}

/** What is wrong with a row, in a sentence. */
function problem({ part, most, p50, p95, verdict }: Row): string | null {
  if (p50 === null || p95 === null)
    return /^not measured\b.*: .+/.test(verdict) ? null : `${part}: no figure and no reason`;
  if (!(p50 <= p95)) return `${part}: half is not quicker than 95 of 100`;
  const says = p95 <= most ? "held" : "missed";
  return verdict.startsWith(says) ? null : `${part} is ${says}: ${p95} of ${most} ms`;
}

test("each part of a search has its limit beside what was measured, and is called held only where it is [003-32]", () => {
  const reported = rows(readFileSync("bench/README.md", "utf8"));
  expect(new Map(reported.map(({ part, most }) => [part, most]))).toEqual(ASKED);
  expect(reported.map(problem).filter((one) => one !== null)).toEqual([]);
  expect(reported.filter(({ p95 }) => p95 !== null).length).toBeGreaterThanOrEqual(5);
});

test("a verdict that its figures do not bear is seen", () => {
  const row = { part: "x", most: 50, p50: 40, p95: 60, verdict: "held" };
  expect(problem(row)).toMatch(/is missed/);
  expect(problem({ ...row, p50: 70 })).not.toBeNull();
  expect(problem({ ...row, p50: null, p95: null, verdict: "held" })).not.toBeNull();
  expect(problem({ ...row, p95: 45, verdict: "missed" })).not.toBeNull();
});
