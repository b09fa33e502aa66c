// Limits a review after a push to what it changed and the lines near it. The rest was read before.

import { shapeOf, textTokens } from "../domain/code/code-fingerprint.ts";
import { atLeast, type Finding, type HeldBack, isAlwaysReported } from "../domain/finding.ts";
import { firstNotBefore } from "../domain/first-not-before.ts";
import { type DiffLine, type FileDiff, type Hunk, positioned, type Side } from "../domain/pull-request.ts";
import type { Checkpoint, EarlierFinding, LineRange } from "../domain/review/review-history.ts";
import type { FileCoverage } from "../domain/review.ts";
import type { LocatedFinding } from "./memory/match-earlier-findings.ts";
import type { CodeNow } from "./placing/code-now.ts";
import { joinedRanges, pieceOfHunk } from "./reading/plan-reading.ts";
import { type Checked, split } from "./reading/verify.ts";

/** Lines shown again around a pushed change: enough to see its effect. */
const SHOWN = 40;
/** A finding this near to a pushed change is about the push. */
const NEAR = 10;

interface PushScope {
  /** Files with the hunks, or the parts of hunks, to be read. */
  readonly files: readonly FileDiff[];
  touches(path: string, side: Side, startLine: number, line: number): boolean;
  /** The coverage of files that are not among `files`: read at an earlier push. */
  readonly earlier: readonly FileCoverage[];
}

/** All of a full review; else what the push touched, and what no earlier review read wholly. */
export function scopeAfterPush(files: readonly FileDiff[], checkpoint: Checkpoint): PushScope {
  if (checkpoint.kind === "full") return { files, touches: () => true, earlier: [] };
  const joined = new Map<string, readonly LineRange[] | "whole">();
  const touchedIn = (path: string) => {
    const touched = checkpoint.read.has(path) ? (checkpoint.touched.get(path) ?? []) : "whole";
    const ranges = joined.get(path) ?? (touched === "whole" ? touched : joinedRanges(touched));
    joined.set(path, ranges);
    return ranges;
  };
  const read = files.flatMap((file) => {
    const touched = touchedIn(file.path);
    const hunks = touched === "whole" ? file.hunks : file.hunks.flatMap((hunk) => partsNear(hunk, touched));
    return touched !== "whole" && hunks.length === 0 ? [] : [{ ...file, hunks }];
  });
  const reading = new Set(read.map(({ path }) => path));
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    files: read,
    touches(path, side, startLine, line) {
      const ranges = touchedIn(path);
      const file = byPath.get(path);
      if (ranges === "whole" || file === undefined) return true;
      return positionsOf(file, side, startLine, line).some((at) => isNear(at, ranges, NEAR));
    },
    earlier: files
      .filter(({ path }) => !reading.has(path))
      .map(({ path }) => ({ path, state: "earlier", reason: null })),
  };
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

/** @param ranges in order and apart */
function isNear(at: number, ranges: readonly LineRange[], within: number): boolean {
  const next = ranges[firstNotBefore(ranges, ({ last }) => last, at - within)];
  return next !== undefined && next.first - within <= at;
}

const DRIP = "outside the changes of this push";
const OPPOSITE = "it asks for the opposite of an earlier finding of ours that was fixed";

/**
 * Holds back new findings without a cause in the push, and those that ask for the opposite of an
 * earlier request; never critical and security ones.
 *
 * @param known findings that were reported before: they stay
 */
export function guardPush(
  findings: readonly Finding[],
  known: ReadonlyMap<Finding, EarlierFinding>,
  { pushScope, checkpoint, located, code, revived }: GuardMaterial,
): Checked {
  // Memory's decisions are made again each time, because a person may have restored a finding.
  const held = checkpoint.kind === "full" ? [] : checkpoint.heldBack.filter(({ precedent }) => precedent === undefined);
  const before = new Map(held.map((heldBack) => [heldBack.finding.id, heldBack]));
  const checked = split(findings, (finding) =>
    known.has(finding) || revived.has(finding.id) || isAlwaysReported(finding)
      ? null
      : (opposite(finding, located, code) ?? dripped(finding, pushScope, before)),
  );
  const heldBack = checked.heldBack.map((one) => {
    const heldBy = before.get(one.finding.id)?.heldBy;
    return heldBy === undefined ? one : { ...one, heldBy };
  });
  return { ...checked, heldBack };
}

interface GuardMaterial {
  readonly pushScope: PushScope;
  readonly checkpoint: Checkpoint;
  readonly located: readonly LocatedFinding[];
  readonly code: CodeNow;
  /** Ids of findings that only memory held back before: they need no cause in the push. */
  readonly revived: ReadonlySet<string>;
}

/** Rules find the same each time, so of theirs only those held back before stay held back. */
function dripped(finding: Finding, pushScope: PushScope, before: ReadonlyMap<string, HeldBack>): string | null {
  const { path, side, startLine, line } = finding;
  if (pushScope.touches(path, side, startLine, line)) return null;
  if (finding.rule !== null) return before.get(finding.id)?.reason ?? null;
  return DRIP;
}

/** A finding on fixed lines that would restore the old code, or that is only a matter of taste. */
function opposite(finding: Finding, located: readonly LocatedFinding[], code: CodeNow): string | null {
  const { path, startLine, line, side, suggestion } = finding;
  if (finding.rule !== null || side === "LEFT") return null;
  const on = located.find(({ fixed }) => fixed?.path === path && startLine <= fixed.line && fixed.startLine <= line);
  if (on === undefined || on.fixed === null) return null;
  if (suggestion !== null) return restores(finding, on.earlier, suggestion.text, code) ? OPPOSITE : null;
  const isMild = !atLeast(finding.severity, "major");
  const isWithin = startLine >= on.fixed.startLine && line <= on.fixed.line;
  return isMild && isWithin && finding.category === on.earlier.finding.category ? OPPOSITE : null;
}

function restores(finding: Finding, { shape }: EarlierFinding, suggested: string, code: CodeNow): boolean {
  const stream = code.stream(finding.path, finding.side);
  if (stream === null || shape.at.length === 0) return false;
  const old = sequence(shape.at);
  const now = sequence(shapeOf(stream, finding.startLine, finding.line).at);
  return sequence(textTokens(suggested)).includes(old) && !now.includes(old);
}

function sequence(tokens: readonly number[]): string {
  return ` ${tokens.join(" ")} `;
}
