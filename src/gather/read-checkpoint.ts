// Decides how much of the pull request has to be read again. An earlier review is reused only when
// nothing else can have changed; in doubt everything is read, and the reason is reported.
import type { ChangesSince } from "../domain/changes.ts";
import type { HeldBack } from "../domain/finding.ts";
import type { Hunk } from "../domain/pull-request.ts";
import type { Checkpoint, LineRange } from "../domain/review/review-history.ts";
import type { FileCoverage } from "../domain/review.ts";
import { readChanges } from "./read-changes.ts";

/** The relevant part of the last posted review. */
export interface LastReview {
  readonly headSha: string;
  readonly baseSha: string;
  readonly fingerprint: string;
  readonly coverage: { readonly files: readonly FileCoverage[] } | null;
  readonly heldBack: readonly HeldBack[];
  readonly walkthrough: string | null;
}

/**
 * Why everything has to be read regardless of the push, or null when that depends on the push.
 *
 * @param isAsked a person requested this review explicitly
 */
export function fullReason(last: LastReview, fingerprint: string, isAsked: boolean): string | null {
  if (isAsked) return "a person asked for this review";
  if (last.fingerprint !== fingerprint) return "configuration, rules, model or prompt changed since the last review";
  return last.coverage === null ? "no model read this pull request before" : null;
}

/** Makes the checkpoint from an earlier review and the changes since, or why they are unknown. */
export function checkpointOf(last: LastReview, since: ChangesSince): Checkpoint {
  if (since.kind === "unknown") return { kind: "full", reason: since.reason };
  const { files, leftOut, degraded } = readChanges(since.changes);
  if (degraded.some(({ part }) => part !== "patch")) {
    return { kind: "full", reason: "what changed since the last review was not delivered in full" };
  }
  const renamed = new Map(
    files.flatMap(({ path, previousPath, status }) =>
      previousPath !== null && status === "renamed" ? [[path, previousPath] as const] : [],
    ),
  );
  const touched = new Map<string, readonly LineRange[] | "whole">();
  for (const { path } of leftOut) touched.set(path, "whole");
  for (const { path, complete, hunks } of files) touched.set(path, complete ? hunks.flatMap(changedRanges) : "whole");
  return {
    kind: "delta",
    since: last.headSha,
    touched,
    renamed,
    read: readBefore(last, renamed),
    heldBack: last.heldBack,
    walkthrough: last.walkthrough,
  };
}

function readBefore(last: LastReview, renamed: ReadonlyMap<string, string>): ReadonlySet<string> {
  const wholly = (last.coverage?.files ?? []).filter(({ state }) => state === "full" || state === "earlier");
  const read = new Set(wholly.map(({ path }) => path));
  for (const [path, before] of renamed) if (read.has(before)) read.add(path);
  return read;
}

/** Runs of changed lines; a removal reaches from the line before it to the line after it. */
function changedRanges(hunk: Hunk): readonly LineRange[] {
  const ranges: LineRange[] = [];
  let next = hunk.newStart;
  for (const { kind, newLine } of hunk.lines) {
    if (kind === "added") ranges.push({ first: next, last: next });
    if (kind === "removed") ranges.push({ first: Math.max(1, next - 1), last: next });
    if (newLine !== null) next = newLine + 1;
  }
  const runs: LineRange[] = [];
  for (const range of ranges) {
    const last = runs.at(-1);
    if (last !== undefined && range.first <= last.last + 1) {
      runs[runs.length - 1] = { first: Math.min(last.first, range.first), last: Math.max(last.last, range.last) };
    } else runs.push(range);
  }
  return runs;
}
