// Hunks of a change: how they are read, put into words, and chosen.

import { classifyLanguage } from "../../src/domain/code/languages.ts";
import type { DiffLine, Hunk } from "../../src/domain/pull-request.ts";
import { parseListedFile } from "../../src/gather/parse-diff.ts";
import { addedTexts, hunkText, largestHunks } from "../hunk-text.ts";
import type { AreaCheck } from "./area-check.ts";

interface HunkCase {
  readonly filePath: string;
  readonly startLine: number;
  readonly lineCount: number;
  readonly functionContext: string;
  readonly addedLines: readonly string[];
  readonly language: string;
}

function parsed(input: unknown): { hunks: HunkCase[] } {
  const { diff, filePath, minChangedLines } = input as { diff: string; filePath: string; minChangedLines: number };
  const listed = { path: filePath, previousPath: null, status: "modified", additions: 0, deletions: 0 } as const;
  const file = parseListedFile({ ...listed, patch: diff });
  const hunks = "hunks" in file ? file.hunks : [];
  return {
    hunks: hunks
      .filter((hunk) => addedTexts(hunk).length >= minChangedLines)
      .map((hunk) => ({
        filePath,
        startLine: hunk.newStart,
        lineCount: hunk.newLines,
        functionContext: hunk.section,
        addedLines: addedTexts(hunk),
        language: classifyLanguage(filePath).language,
      })),
  };
}

/** A hunk that adds these lines and nothing else. */
function adding(texts: readonly string[], section = ""): Hunk {
  const lines = texts.map((text, at): DiffLine => ({ kind: "added", oldLine: null, newLine: at + 1, text }));
  return { oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, section, lines };
}

function worded(input: unknown): { text: string } {
  const { hunk, prTitle } = input as { hunk: HunkCase; prTitle: string };
  return { text: hunkText(prTitle, hunk.filePath, adding(hunk.addedLines, hunk.functionContext)) };
}

function kept(input: unknown): { keptIndexes: number[] } {
  const { hunkAddedLineCounts, maxHunks } = input as { hunkAddedLineCounts: number[]; maxHunks: number };
  const hunks = hunkAddedLineCounts.map((count) => adding(Array.from({ length: count }, String)));
  return { keptIndexes: largestHunks(hunks, maxHunks).map((hunk) => hunks.indexOf(hunk)) };
}

/** The counts of the first header against the lines below it. */
function miscounted(input: unknown): boolean {
  const [header = "", ...lines] = (input as { diff: string }).diff.split("\n");
  const counts = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(header);
  const has = (markers: string) => lines.filter((line) => markers.includes(line.charAt(0))).length;
  return counts !== null && (Number(counts[1] ?? 1) !== has(" -") || Number(counts[2] ?? 1) !== has(" +"));
}

export const areas: readonly AreaCheck[] = [
  {
    area: "hunk.parse",
    answer: parsed,
    deliberate: [
      {
        name: "miscounted-hunk",
        reason:
          "a hunk whose lines do not agree with its header is refused by name: a comment placed by guessed line numbers would land on the wrong line",
        applies: miscounted,
      },
    ],
  },
  { area: "hunk.embeddingText", answer: worded, deliberate: [] },
  { area: "hunk.cap", answer: kept, deliberate: [] },
  {
    area: "hunk",
    answer: (input) => {
      const { filePath, contextFiles } = input as { filePath: string; contextFiles: string[] };
      return { language: classifyLanguage(filePath, { siblings: contextFiles }).language };
    },
    deliberate: [],
  },
];
