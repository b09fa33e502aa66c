// The one diff parser: unified text, or a file of GitHub's listing, to FileDiff. It never throws;
// an unreadable file is refused by name with the reason, and does not affect the others.

import type { ListedFile } from "../domain/changes.ts";
import type { DiffLine, FileDiff, FileStatus, Hunk } from "../domain/pull-request.ts";
import { type ParsedFile, parseHunks, parsePlain } from "./parse-hunks.ts";
import { commonPath, readGitHeader, unquotePath } from "./read-git-header.ts";

/** An unreadable part of a diff. `path` is null when not even the name is known. */
interface RefusedDiff {
  readonly path: string | null;
  /** One sentence fragment, in our words only. */
  readonly reason: string;
}

export interface ParsedDiff {
  readonly files: readonly FileDiff[];
  readonly refused: readonly RefusedDiff[];
}

/**
 * Parses a whole unified diff of git, and the common subset of hg, svn, bzr and diff -u.
 *
 * @param text only LF ends a line: CR, form feed and U+2028 are text
 * @returns every file in order; a changed type, which git prints as a removal and an addition, is
 * one file. Linear in the length of `text`; never throws
 */
export function parseDiff(text: string): ParsedDiff {
  const results = cutDiff(text).flatMap(parsePiece);
  const files = results.filter((result) => "hunks" in result);
  const refused = results.filter((result) => "reason" in result);
  if (results.length === 0 && text.trim() !== "") refused.push({ path: null, reason: "no unified diff was found" });
  return { files: joinTypeChanges(files), refused };
}

/**
 * Parses one file of a listing.
 *
 * @returns the file, with `complete: false` when its patch lacks lines that the listing counts; or
 * why its patch cannot be read
 */
export function parseListedFile(file: ListedFile): FileDiff | RefusedDiff {
  const { path, previousPath, status, additions, deletions, patch } = file;
  if (patch?.startsWith("@@@") === true) return refuseCombined(path);
  const hunks = patch === null ? [] : parseHunks(patch);
  if ("reason" in hunks) return { path, reason: hunks.reason };
  const delivered = countLines(hunks);
  const complete = additions <= delivered.additions && deletions <= delivered.deletions;
  const modes = { oldMode: null, newMode: file.newMode ?? null };
  const rebuilt = file.isRebuilt === true ? { isRebuilt: true } : {};
  return { path, previousPath, status, binary: false, ...modes, additions, deletions, hunks, complete, ...rebuilt };
}

function parsePiece({ kind, text }: DiffPiece): FileDiff | RefusedDiff | (FileDiff | RefusedDiff)[] {
  if (kind === "git") return parseGitPiece(text);
  if (kind === "cc" || kind === "combined") return refuseCombined(combinedPath(text));
  return kind === "Binary" ? parseBinaryLine(text) : parsePlainPiece(text);
}

function parseGitPiece(text: string): FileDiff | RefusedDiff {
  const { contentDiffers, path, ...header } = readGitHeader(text);
  if (path === null) return { path, reason: "the names in its header are ambiguous" };
  const nothing = { ...header, path, additions: 0, deletions: 0, hunks: [] };
  if (header.binary) return { ...nothing, complete: true };
  const start = text.indexOf("\n@@");
  if (start < 0) return { ...nothing, complete: !contentDiffers };
  if (text.startsWith("@@@", start + 1)) return refuseCombined(path);
  const hunks = parseHunks(text.slice(start + 1));
  if ("reason" in hunks) return { path, reason: hunks.reason };
  return { ...nothing, ...countLines(hunks), hunks, complete: true };
}

function refuseCombined(path: string | null): RefusedDiff {
  return { path, reason: "a combined diff of a merge has more than one old side" };
}

function combinedPath(text: string): string {
  const line = text.slice(0, lineEnd(text)).replace(/^diff --(?:cc|combined) /, "");
  return unquotePath(line)?.name ?? line.replace(/\r$/, "");
}

/** "Binary files a/x.png and b/x.png differ" of another tool than git. */
function parseBinaryLine(text: string): FileDiff | RefusedDiff {
  const said = text.slice(0, lineEnd(text)).replace(/^(?:Binary files )+/, "");
  const [oldName = "", newName = "", ...more] = said.replace(/ differ\r?$/, "").split(" and ");
  const path = more.length > 0 ? null : pathOf(oldName, newName);
  if (path === null) return { path, reason: "a binary file with ambiguous names" };
  const status = statusOf(oldName, newName, []);
  const nothing = { oldMode: null, newMode: null, additions: 0, deletions: 0, hunks: [], complete: true };
  return { path, previousPath: null, status, binary: true, ...nothing };
}

/** Prose without a hunk names no changed file: a mail's head, "Only in …", `--stat`. */
function parsePlainPiece(text: string): (FileDiff | RefusedDiff)[] {
  if (text.startsWith("@@@ ") || text.includes("\n@@@ ")) return [refuseCombined(null)];
  if (text.includes("\n*** ") && text.includes("\n***************")) {
    return [{ path: null, reason: "a context diff; only unified diffs are read" }];
  }
  if (!text.startsWith("@@ ") && !text.includes("\n@@ ")) return [];
  const parsed = parsePlain(text);
  if ("reason" in parsed) return [{ path: barePath(text), reason: parsed.reason }];
  return parsed.filter((file) => file.hunks.length > 0).map(plainFile);
}

/** The name of a file whose hunks cannot be read. */
function barePath(text: string): string | null {
  const oldEnd = lineEnd(text);
  const second = text.slice(oldEnd + 1);
  if (!text.startsWith("--- ") || !second.startsWith("+++ ")) return null;
  const [oldName, newName] = [text.slice(4, oldEnd), second.slice(4, lineEnd(second))].map(nameOnly);
  return pathOf(oldName ?? "", newName ?? "");
}

/** Other tools put a tab and a date after the name. */
function nameOnly(line: string): string {
  return line.split("\t", 1)[0]?.trimEnd() ?? "";
}

function plainFile({ oldName, newName, hunks }: ParsedFile): FileDiff | RefusedDiff {
  const path = oldName === undefined || newName === undefined ? null : pathOf(oldName, newName);
  if (path === null) return { path, reason: "hunks without the name of a file" };
  const status = statusOf(oldName ?? "", newName ?? "", hunks);
  const unknown = { previousPath: null, binary: false, oldMode: null, newMode: null, complete: true };
  return { path, status, ...unknown, ...countLines(hunks), hunks };
}

const NOWHERE = "/dev/null";

/** Outside git the names may differ (`x.c.orig`, `old/x.c`): the new one counts, as printed. */
function pathOf(oldName: string, newName: string): string | null {
  if (newName === NOWHERE) return oldName === NOWHERE ? null : withoutPrefix(oldName, "a/");
  if (oldName === NOWHERE) return withoutPrefix(newName, "b/");
  if (newName === "" || oldName === "") return null;
  const prefixed = oldName.startsWith("a/") && newName.startsWith("b/");
  return (prefixed ? commonPath(oldName, newName) : null) ?? newName;
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : name;
}

/** bzr and svn print the real name on both sides; an empty range marks the absent side. */
function statusOf(oldName: string, newName: string, hunks: readonly Hunk[]): FileStatus {
  const [only] = hunks.length === 1 ? hunks : [];
  if (oldName === NOWHERE || (only?.oldStart === 0 && only.oldLines === 0)) return "added";
  if (newName === NOWHERE || (only?.newStart === 0 && only.newLines === 0)) return "removed";
  return "modified";
}

function countLines(hunks: readonly Hunk[]): { additions: number; deletions: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { additions: count("added"), deletions: count("removed") };
}

/** Git prints a file that becomes a link (or a submodule) as removed and, right after it, added. */
function joinTypeChanges(files: readonly FileDiff[]): FileDiff[] {
  const joined: FileDiff[] = [];
  for (const file of files) {
    const before = joined.at(-1);
    if (before === undefined || !isTypeChange(before, file)) {
      joined.push(file);
      continue;
    }
    joined[joined.length - 1] = {
      ...file,
      status: "typechanged",
      binary: before.binary || file.binary,
      oldMode: before.oldMode,
      additions: before.additions + file.additions,
      deletions: before.deletions + file.deletions,
      hunks: [...before.hunks, ...file.hunks],
      complete: before.complete && file.complete,
    };
  }
  return joined;
}

function isTypeChange(before: FileDiff, after: FileDiff): boolean {
  if (before.path !== after.path || before.status !== "removed" || after.status !== "added") return false;
  // The first three digits are the type: 100 file, 120 link, 160 submodule.
  return before.oldMode !== null && before.oldMode.slice(0, 3) !== after.newMode?.slice(0, 3);
}

function lineEnd(text: string): number {
  const end = text.indexOf("\n");
  return end < 0 ? text.length : end;
}

// Splits a diff of many files into one piece per file. A line of a hunk starts with a space, +, -
// or \, so the lines that separate two files (`diff …`, `Index: …`) cannot occur inside one: no
// counting is needed, and one malformed file spoils only itself.

/**
 * `git`: starts with `diff --git`. `cc`, `combined`: a merge against several parents. `Binary`: the
 * line "Binary files … differ" of another tool. `plain`: everything else: prose, or one file under
 * bare `---` and `+++`.
 */
type PieceKind = "git" | "cc" | "combined" | "Binary" | "plain";

interface DiffPiece {
  readonly kind: PieceKind;
  readonly text: string;
}

/**
 * A removed and an added line may look like the `--- ` and `+++ ` of a bare header, nothing like
 * the `@@ ` below it.
 */
const STARTS =
  /\n(?:diff --(?<merge>git|cc|combined) |diff -|Index: |=== (?:added|modified|removed|renamed) |(?<below>(?<binary>Binary) files |--- (?=[^\n]*\n\+\+\+ [^\n]*\n@@ )))/g;

/**
 * Splits a diff where one file's part ends and the next begins.
 *
 * @param text a whole unified diff; only LF ends a line
 * @returns the pieces in order; joined they are `text` again
 */
function cutDiff(text: string): readonly DiffPiece[] {
  const pieces: DiffPiece[] = [];
  let kind: PieceKind = "plain";
  let from = 0;
  for (const { index, groups = {} } of `\n${text}`.matchAll(STARTS)) {
    // Git repeats "Binary files … differ", and the names, below its own header.
    if (kind === "git" && groups.below !== undefined) continue;
    pieces.push({ kind, text: text.slice(from, index) });
    kind = (groups.merge ?? groups.binary ?? "plain") as PieceKind;
    from = index;
  }
  return [...pieces, { kind, text: text.slice(from) }];
}
