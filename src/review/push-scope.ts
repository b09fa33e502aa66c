// Limits a review after a push to what the push changed and the lines near it. The rest was read before.

import { type DiffLine, type FileDiff, type Hunk, positioned, type Side } from "../domain/pull-request.ts";
import type { Checkpoint, LineRange } from "../domain/review/review-history.ts";
import type { FileCoverage } from "../domain/review.ts";
import { pieceOfHunk } from "./reading/plan-reading.ts";

/** Lines shown again around a pushed change: enough to see its effect. */
const SHOWN = 40;
/** A finding this near to a pushed change is about the push. */
const NEAR = 10;

export interface PushScope {
  /** Files with the hunks, or the parts of hunks, to be read. */
  readonly files: readonly FileDiff[];
  /** True when the push changed something at or near these lines. */
  touches(path: string, side: Side, startLine: number, line: number): boolean;
  /** The coverage of files that are not among `files`: read at an earlier push. */
  readonly earlier: readonly FileCoverage[];
}

type Touched = readonly LineRange[] | "whole";

/** Everything for a full review; else what the push touched, plus everything that no earlier review read wholly. */
export function scopeAfterPush(files: readonly FileDiff[], checkpoint: Checkpoint): PushScope {
  if (checkpoint.kind === "full") return { files, touches: () => true, earlier: [] };
  const touchedIn = (path: string): Touched =>
    checkpoint.read.has(path) ? (checkpoint.touched.get(path) ?? []) : "whole";
  const touched = new Map(files.map(({ path }) => [path, touchedIn(path)]));
  const read = files.flatMap((file) => withTouchedHunks(file, touched.get(file.path) ?? "whole"));
  const reading = new Set(read.map(({ path }) => path));
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    files: read,
    touches(path, side, startLine, line) {
      const ranges = touched.get(path);
      const file = byPath.get(path);
      if (ranges === undefined || ranges === "whole" || file === undefined) return true;
      return positionsOf(file, side, startLine, line).some((at) => isNear(at, ranges, NEAR));
    },
    earlier: files
      .filter(({ path }) => !reading.has(path))
      .map(({ path }) => ({ path, state: "earlier", reason: null })),
  };
}

function withTouchedHunks(file: FileDiff, touched: Touched): readonly FileDiff[] {
  if (touched === "whole") return [file];
  const hunks = file.hunks.flatMap((hunk) => partsNear(hunk, touched));
  return hunks.length === 0 ? [] : [{ ...file, hunks }];
}

/** The runs of a hunk's lines near touched lines; the hunk itself when that is all of it. */
function partsNear(hunk: Hunk, touched: readonly LineRange[]): readonly Hunk[] {
  if (!positioned(hunk).some(({ at }) => isNear(at, touched, 1))) return [];
  const parts: DiffLine[][] = [];
  let wasNear = false;
  for (const { line, at } of positioned(hunk)) {
    const near = isNear(at, touched, SHOWN);
    if (near && wasNear) parts.at(-1)?.push(line);
    else if (near) parts.push([line]);
    wasNear = near;
  }
  const changing = parts.filter((lines) => lines.some(({ kind }) => kind !== "context"));
  const isWhole = parts.length === 1 && parts[0]?.length === hunk.lines.length;
  return isWhole ? [hunk] : changing.map((lines) => pieceOfHunk(hunk, lines));
}

function positionsOf({ hunks }: FileDiff, side: Side, startLine: number, line: number): readonly number[] {
  if (side === "RIGHT") return [startLine, line];
  return hunks
    .flatMap(positioned)
    .filter(({ line: { oldLine } }) => oldLine !== null && oldLine >= startLine && oldLine <= line)
    .map(({ at }) => at);
}

function isNear(at: number, ranges: readonly LineRange[], within: number): boolean {
  return ranges.some(({ first, last }) => at >= first - within && at <= last + within);
}
