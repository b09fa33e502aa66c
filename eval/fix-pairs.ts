// Code that a reviewer spoke about, beside what stood there later: pairs of flagged and fixed lines, built from the judged
// retrieval data. The comment's own hunk tells the lines of then; the diff at the final head, or the hunk of a later comment
// on the same file, those of later.
import type { Hunk } from "../src/domain/pull-request.ts";
import { parseDiff } from "../src/gather/parse-diff.ts";
import type { CorpusRow, JudgedData } from "./judged-data.ts";

export interface FixPairRow {
  /** The comment's id. */
  readonly id: string;
  readonly repo: string;
  readonly language: string | null;
  readonly flagged: string;
  readonly fixed: string;
  /** The head sides of the hunks that hold the one and the other. */
  readonly flaggedHunk: string;
  readonly fixedHunk: string;
  readonly from: "final diff" | "later comment";
}

export interface FixPairs {
  readonly pairs: readonly FixPairRow[];
  /** Comments that gave no pair, by reason. */
  readonly leftOut: ReadonlyMap<string, number>;
}

interface HeadLine {
  readonly text: string;
  readonly added: boolean;
}

/** As the data names them. */
const PROSE = new Set(["Markdown", "reStructuredText", "Text", "MDX", "AsciiDoc", "Org", "TeX"]);
/** Lines of flagged code: a comment is about the end of its hunk, rarely about more than a few lines. */
const MOST_LINES = 8;
/** Lines above the flagged ones that must stand unchanged, so that it is the same place. */
const ANCHORS = 2;
const ANCHOR_REACH = 6;
/** Words that two versions of the same lines share at least, 0–1: fewer, and it is other code in the same place. */
const SAME_PLACE = 0.2;
/** Words of each version. */
const LEAST_WORDS = 4;

/** One pair a comment at most; the later text is looked for in the final diff first. */
export function fixPairs({ corpus, queries }: JudgedData): FixPairs {
  const finals = finalHunks(queries);
  const byFile = Map.groupBy(corpus, fileKey);
  const leftOut = new Map<string, number>();
  const pairs = corpus.flatMap((row): FixPairRow[] => {
    const pair = pairOf(row, finals, byFile);
    if (typeof pair !== "string") return [pair];
    leftOut.set(pair, (leftOut.get(pair) ?? 0) + 1);
    return [];
  });
  return { pairs: distinct(pairs), leftOut };
}

function pairOf(
  row: CorpusRow,
  finals: ReadonlyMap<string, readonly (readonly HeadLine[])[]>,
  byFile: ReadonlyMap<string, readonly CorpusRow[]>,
): FixPairRow | string {
  if (PROSE.has(row.language ?? "")) return "prose";
  const then = headLines(row.hunk ?? "");
  if (then.length === 0 || row.side === "LEFT" || then.at(-1)?.added !== true) return "its last line was not added";
  const later = (byFile.get(fileKey(row)) ?? []).filter(({ createdAt }) => createdAt > row.createdAt);
  const sources = [
    { from: "final diff", texts: finals.get(fileKey(row)) ?? [] },
    { from: "later comment", texts: later.map(({ hunk }) => headLines(hunk ?? "")) },
  ] as const;
  if (sources.every(({ texts }) => texts.length === 0)) return "nothing of the file is known later";
  let reason = "the place is not found later";
  for (const { from, texts } of sources) {
    for (const now of texts) {
      const found = changedLines(then, now);
      if (typeof found === "string") reason = found === PLACE_UNKNOWN ? reason : found;
      else return { id: row.id, repo: row.repo, language: row.language, from, ...found };
    }
  }
  return reason;
}

const PLACE_UNKNOWN = "the place is not found later";

/** The flagged end of a hunk, and what stands after the same anchors now; or why there is none. */
function changedLines(
  then: readonly HeadLine[],
  now: readonly HeadLine[],
): Pick<FixPairRow, "flagged" | "fixed" | "flaggedHunk" | "fixedHunk"> | string {
  const matched = commonLines(then, now);
  const last = matched.at(-1);
  if (last === undefined) return PLACE_UNKNOWN;
  const flagged = then.slice(last[0] + 1);
  if (flagged.length === 0) return "the line stands unchanged";
  const anchors = matched.filter(([at]) => at > last[0] - ANCHOR_REACH && told(then[at]?.text ?? ""));
  if (flagged.length > MOST_LINES || anchors.length < ANCHORS) return PLACE_UNKNOWN;
  const rest = now.slice(last[1] + 1);
  const end = rest.findIndex(({ added }) => !added);
  const fixed = rest.slice(0, Math.min(end < 0 ? rest.length : end, flagged.length + 2));
  const [before, after] = [textOf(flagged), textOf(fixed)];
  const [a, b] = [wordsOf(before), wordsOf(after)];
  if (a.size < LEAST_WORDS || b.size < LEAST_WORDS) return "too few words";
  const shared = [...a].filter((word) => b.has(word)).length;
  if (shared / (a.size + b.size - shared) < SAME_PLACE) return "other code in the same place";
  if (squeezed(before) === squeezed(after)) return "only its form changed";
  return { flagged: before, fixed: after, flaggedHunk: textOf(then), fixedHunk: textOf(now) };
}

/** Longest common subsequence of lines without their indentation, as index pairs. */
function commonLines(a: readonly HeadLine[], b: readonly HeadLine[]): readonly (readonly [number, number])[] {
  const [left, right] = [a.slice(-120), b.slice(0, 600)];
  const skipped = a.length - left.length;
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  const same = (i: number, j: number) => left[i]?.text.trim() === right[j]?.text.trim() && left[i]?.text.trim() !== "";
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = same(i, j)
        ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
        : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  const pairs: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (same(i, j)) pairs.push([skipped + i++, j++]);
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return pairs;
}

function finalHunks(queries: JudgedData["queries"]): ReadonlyMap<string, readonly (readonly HeadLine[])[]> {
  const found = new Map<string, (readonly HeadLine[])[]>();
  for (const { repo, pr, diff, diffAt } of queries) {
    if (!diffAt.startsWith("final-head")) continue;
    for (const { path, hunks } of parseDiff(diff).files)
      found.set(fileKey({ repo, pr, filePath: path }), hunks.map(headOf));
  }
  return found;
}

function headOf({ lines }: Hunk): readonly HeadLine[] {
  return lines.filter(({ kind }) => kind !== "removed").map(({ kind, text }) => ({ text, added: kind === "added" }));
}

/** The head side of GitHub's `diff_hunk`: it ends at the line that was spoken about. */
function headLines(hunk: string): readonly HeadLine[] {
  const lines = hunk.split("\n").filter((line) => /^[+ ]/.test(line));
  return lines.map((line) => ({ text: line.slice(1).replace(/\r$/, ""), added: line.startsWith("+") }));
}

function distinct(pairs: readonly FixPairRow[]): readonly FixPairRow[] {
  const seen = new Set<string>();
  return pairs.filter(({ repo, flagged, fixed }) => {
    const key = JSON.stringify([repo, squeezed(flagged), squeezed(fixed)]);
    const news = !seen.has(key);
    seen.add(key);
    return news;
  });
}

function fileKey({ repo, pr, filePath }: Pick<CorpusRow, "repo" | "pr" | "filePath">): string {
  return JSON.stringify([repo, pr, filePath]);
}

function textOf(lines: readonly HeadLine[]): string {
  return lines.map(({ text }) => text).join("\n");
}

function told(line: string): boolean {
  return (line.match(/[\p{L}\p{N}]/gu) ?? []).length >= 4;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/[\p{L}\p{N}_]+/gu) ?? []);
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, "");
}
