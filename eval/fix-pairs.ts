// Code that a reviewer commented on, beside the code that replaced it: pairs of flagged and fixed
// lines, built from the judged retrieval data. The comment's own hunk has the lines of that time;
// the diff at the final head, or the hunk of a later comment on the same file, those of later.
import type { Hunk } from "../src/domain/pull-request.ts";
import { parseDiff } from "../src/gather/parse-diff.ts";
import { changedLines, type HeadLine, headLines, PLACE_UNKNOWN, textIn } from "../src/learn/feedback/fix-pair.ts";
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

/** As the data names them. */
const PROSE = new Set(["Markdown", "reStructuredText", "Text", "MDX", "AsciiDoc", "Org", "TeX"]);
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
  if (then.length === 0 || row.side === "LEFT" || then.at(-1)?.isAdded !== true) return "its last line was not added";
  const later = (byFile.get(fileKey(row)) ?? []).filter(({ createdAt }) => createdAt > row.createdAt);
  const sources = [
    { from: "final diff", texts: finals.get(fileKey(row)) ?? [] },
    { from: "later comment", texts: later.map(({ hunk }) => headLines(hunk ?? "")) },
  ] as const;
  if (sources.every(({ texts }) => texts.length === 0)) return "nothing of the file is known later";
  let reason = "the place is not found later";
  for (const { from, texts } of sources) {
    for (const now of texts) {
      const found = changed(then, now);
      if (typeof found === "string") reason = found === PLACE_UNKNOWN ? reason : found;
      else return { id: row.id, repo: row.repo, language: row.language, from, ...found };
    }
  }
  return reason;
}

/** The flagged end of a hunk, and the lines after the same anchors now; or why there is none. */
function changed(
  then: readonly HeadLine[],
  now: readonly HeadLine[],
): Pick<FixPairRow, "flagged" | "fixed" | "flaggedHunk" | "fixedHunk"> | string {
  const spans = changedLines(then, now, null);
  if (typeof spans === "string") return spans;
  const [flagged, fixed] = [textIn(then, spans.flagged), textIn(now, spans.fixed)];
  return { flagged, fixed, flaggedHunk: textOf(then), fixedHunk: textOf(now) };
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
  return lines.filter(({ kind }) => kind !== "removed").map(({ kind, text }) => ({ text, isAdded: kind === "added" }));
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

function squeezed(text: string): string {
  return text.replace(/\s+/g, "");
}
