// Reads the changes from a listing or a whole diff, and reports what was not delivered.
import type { Changes } from "../domain/changes.ts";
import type { Degraded, LeftOut } from "../domain/omissions.ts";
import type { FileDiff } from "../domain/pull-request.ts";
import { parseDiff, parseListedFile } from "./parse-diff.ts";
import { isLinkOrSubmodule } from "./select-files.ts";

/**
 * Parses the changes. Never throws: every file that can be reviewed at least in part is among
 * `files`, in the source's order; every other one is in `leftOut` with its reason.
 */
export function readChanges(changes: Changes): {
  readonly files: readonly FileDiff[];
  readonly leftOut: readonly LeftOut[];
  /** Those of `leftOut` of which perhaps no line changed: the source does not tell. */
  readonly silent: readonly FileDiff[];
  /** Those of `files` without lines: renamed, and perhaps more. */
  readonly moved: readonly FileDiff[];
  readonly degraded: readonly Degraded[];
} {
  const { parsed, degraded } = changes.kind === "listing" ? readListing(changes) : readUnified(changes.text);
  const files: FileDiff[] = [];
  const leftOut: LeftOut[] = changes.kind === "unified" ? [...(changes.leftOut ?? [])] : [];
  const silent: FileDiff[] = [];
  const moved: FileDiff[] = [];
  for (const file of parsed) {
    const reason = "hunks" in file ? undelivered(file, changes.kind === "listing") : file.reason;
    if (reason === null && "hunks" in file) {
      files.push(file);
      // A listing counts no lines of a file that became binary while it was renamed either.
      if (changes.kind === "listing" && file.hunks.length === 0 && !isLinkOrSubmodule(file)) moved.push(file);
    } else if (reason !== null) {
      // Of a removed file nothing is left to read.
      const isRemoved = "hunks" in file && file.status === "removed";
      leftOut.push({ path: file.path, reason, ...(isRemoved ? { isExempt: true } : {}) });
      if ("hunks" in file && reason === NOTHING_DELIVERED && !isRemoved) silent.push(file);
    }
  }
  const partial = files
    .filter(({ complete }) => !complete)
    .map(({ path }) => {
      const reason = `only a part of the changed lines of ${path} was delivered`;
      return { part: "patch", reason, paths: [path] };
    });
  return { files, leftOut, silent, moved, degraded: [...degraded, ...partial] };
}

type Parsed = FileDiff | LeftOut;

/**
 * Parsing a million lines blocks the process for a quarter of a second. GitHub sends at most 20,000
 * lines with one page; texts for which it shows no diff, a megabyte each, are compared here and may
 * have more.
 */
export const MAX_LINES = 200_000;

function readListing({ files, total, degraded: known = [] }: Extract<Changes, { kind: "listing" }>) {
  let left = MAX_LINES;
  const parsed = files.map((listed): Parsed => {
    const lines = linesOf(listed.patch ?? "");
    if (lines > left) return { path: listed.path, reason: TOO_LONG };
    left -= lines;
    const file = parseListedFile(listed);
    return "hunks" in file ? file : { path: listed.path, reason: unreadable(file.reason) };
  });
  const missing = total > files.length;
  const reason = `${files.length} of ${total} files were listed`;
  const degraded = missing ? [{ part: "files", reason, paths: [] }] : [];
  return { parsed, degraded: [...known, ...degraded] };
}

const TOO_LONG = `of one change ${MAX_LINES.toLocaleString("en")} lines are read, and this file has more than are left`;

function linesOf(patch: string): number {
  let lines = 1;
  for (let at = patch.indexOf("\n"); at >= 0; at = patch.indexOf("\n", at + 1)) lines++;
  return lines;
}

function readUnified(text: string) {
  const { files, refused } = parseDiff(text);
  const named = refused.flatMap(({ path, reason }) => (path === null ? [] : [{ path, reason: unreadable(reason) }]));
  const degraded = refused
    .filter(({ path }) => path === null)
    .map(({ reason }) => ({ part: "diff", reason: `a part of the diff could not be read: ${reason}`, paths: [] }));
  const parsed: Parsed[] = [...files, ...named];
  if (files.length === 0 && degraded.length === 0 && named.length > 0)
    degraded.push({ part: "diff", reason: "no file of the diff could be read", paths: [] });
  return { parsed, degraded };
}

function unreadable(reason: string): string {
  return `its diff could not be read: ${reason}`;
}

/** Why a file without hunks cannot be reviewed; null with hunks, or when no line changed. */
function undelivered(file: FileDiff, listed: boolean): string | null {
  if (file.hunks.length > 0) return null;
  if (!file.complete) {
    const lines = file.additions + file.deletions;
    return lines > 0 ? `none of its ${lines} changed lines was delivered` : "its changed lines were not delivered";
  }
  // A listing marks neither "binary" nor "mode"; past its limits it counts 0 lines for any text.
  if (!listed || isLinkOrSubmodule(file) || file.status === "renamed" || file.status === "copied") return null;
  return NOTHING_DELIVERED;
}

const NOTHING_DELIVERED = "no changed lines were delivered: binary, empty, a change of mode, or beyond GitHub's limits";
