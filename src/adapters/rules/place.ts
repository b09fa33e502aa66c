// Where a match may be spoken about: it must touch an added line, and GitHub takes a comment only inside one hunk.
import type { FileDiff, Hunk } from "../../domain/pull-request.ts";
import type { Match } from "./rule.ts";

/**
 * The part of a match that lies in the hunk of its first added line.
 *
 * @returns head lines inside one hunk, or null when the match touches no added line
 */
export function anchorOf(match: Match, diff: FileDiff, added: ReadonlySet<number>): Match | null {
  const hunk = diff.hunks.find((candidate) => {
    const { startLine, line } = within(match, candidate);
    for (let number = startLine; number <= line; number += 1) if (added.has(number)) return true;
    return false;
  });
  return hunk === undefined ? null : within(match, hunk);
}

function within(match: Match, hunk: Hunk): Match {
  const startLine = Math.max(match.startLine, hunk.newStart);
  const line = Math.min(match.line, hunk.newStart + hunk.newLines - 1);
  return { ...match, startLine, line };
}

/**
 * Of overlapping matches of one rule the shortest stays (the earlier of two equals): a comment should point, not span.
 *
 * @returns matches without overlap, by line
 */
export function withoutOverlap(matches: readonly Match[]): Match[] {
  const shortestFirst = [...matches].sort(
    (a, b) => a.line - a.startLine - (b.line - b.startLine) || a.startLine - b.startLine,
  );
  const taken = new Set<number>();
  const kept = shortestFirst.filter((match) => {
    const lines = range(match);
    if (lines.some((line) => taken.has(line))) return false;
    for (const line of lines) taken.add(line);
    return true;
  });
  return kept.sort((a, b) => a.startLine - b.startLine);
}

function range(match: Match): number[] {
  return Array.from({ length: Math.max(0, match.line - match.startLine + 1) }, (_, index) => match.startLine + index);
}
