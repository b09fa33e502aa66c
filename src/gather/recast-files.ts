// A file that rules hardly read (prose, generated code, a lock file, a sample) and that is renamed
// unchanged into source has no changed line: all its lines count as added, or no rule reads them.
import { isPipelinePath, isShownPath, isTestPath, nameOf } from "../domain/code/paths.ts";
import { type Degraded, isSource } from "../domain/omissions.ts";
import type { FileDiff } from "../domain/pull-request.ts";
import { MAX_LINES } from "./read-changes.ts";
import { readHeadTexts } from "./read-head-texts.ts";
import { endingOf, isLinkOrSubmodule, looksUnwritten } from "./select-files.ts";

/**
 * @param isOut whether the base branch leaves a path out, or calls it a test or a document
 * @param readHead null when the text cannot be read
 * @returns the same files in the same order, and what could not be read
 */
export async function recastFiles(
  files: readonly FileDiff[],
  isOut: (path: string) => boolean,
  readHead: (path: string) => Promise<string | null>,
): Promise<{ readonly files: readonly FileDiff[]; readonly degraded: readonly Degraded[] }> {
  const recast = files.filter((file) => isRecast(file, isOut));
  // Texts are read of files with added lines only.
  const { texts } = await readHeadTexts(
    recast.map((file) => ({ ...file, additions: 1 })),
    readHead,
  );
  let left = MAX_LINES;
  const known = new Map(
    recast.flatMap((file) => {
      const lines = texts.get(file.path)?.replace(/\n$/, "").split("\n") ?? [];
      left -= lines.length;
      return lines.length === 0 || left < 0 ? [] : [[file.path, allAdded(file, lines)] as const];
    }),
  );
  const reason = "it was renamed into another kind of file, and its text could not be read";
  const unread = recast.filter(({ path }) => !known.has(path));
  return {
    files: files.map((file) => known.get(file.path) ?? file),
    degraded: unread.map(({ path }) => ({ part: "patch", reason: `${path}: ${reason}`, paths: [path] })),
  };
}

function isRecast({ path, previousPath, status, ...file }: FileDiff, isOut: (path: string) => boolean): boolean {
  if (previousPath === null || status === "removed" || isLinkOrSubmodule(file)) return false;
  // The base's own word.
  if (!isSource({ path }) || isOut(path)) return false;
  const isRead = (one: string) =>
    isSource({ path: one }) && !isOut(one) && !isTestPath(one) && !isShownPath(one) && looksUnwritten(one) === null;
  return formOf(path) !== formOf(previousPath) || (isRead(path) && !isRead(previousPath));
}

/** What decides how a text is read. */
function formOf(path: string): string {
  const ending = endingOf(path)
    .replace(/^\.[cm]?[jt]sx?$/, ".js")
    .replace(/^\.yaml$/, ".yml");
  return `${ending === "" ? nameOf(path).toLowerCase() : ending} ${isPipelinePath(path)}`;
}

function allAdded(file: FileDiff, lines: readonly string[]): FileDiff {
  const hunk = {
    oldStart: 0,
    oldLines: 0,
    newStart: 1,
    newLines: lines.length,
    section: "",
    lines: lines.map((line, at) => ({ kind: "added" as const, oldLine: null, newLine: at + 1, text: line })),
  };
  return { ...file, additions: lines.length, deletions: 0, hunks: [hunk], complete: true, isRebuilt: true };
}
