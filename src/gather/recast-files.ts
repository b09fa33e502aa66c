// A file that was merged where rules read little of it (prose, generated code, a lock file, a sample) and is renamed unchanged into
// source has no changed line: nobody would ever read it. Here all of its lines count as added.
import pMap from "p-map";
import { isPipelinePath, isShownPath, isTestPath, nameOf } from "../domain/code/paths.ts";
import { type Degraded, isSource } from "../domain/omissions.ts";
import type { FileDiff } from "../domain/pull-request.ts";
import { TEXT_LIMITS } from "./read-head-texts.ts";
import { endingOf, isLinkOrSubmodule, looksUnwritten } from "./select-files.ts";

/** Texts of one change that are read anew; each may have a megabyte. */
const MOST_RECAST = 30;

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
  const texts = await pMap(
    recast.slice(0, MOST_RECAST),
    async ({ path }) => [path, await readHead(path).catch(() => null)] as const,
    { concurrency: TEXT_LIMITS.atOnce },
  );
  const known = new Map(texts);
  const reason = "it was renamed into another kind of file, and its text could not be read";
  const unread = recast.filter(({ path }) => (known.get(path) ?? null) === null);
  return {
    files: files.map((file) => allAdded(file, known.get(file.path) ?? "")),
    degraded: unread.map(({ path }) => ({ part: "patch", reason: `${path}: ${reason}`, paths: [path] })),
  };
}

function isRecast({ path, previousPath, status, ...file }: FileDiff, isOut: (path: string) => boolean): boolean {
  if (previousPath === null || status === "removed" || isLinkOrSubmodule(file) || !isSource({ path })) return false;
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

function allAdded(file: FileDiff, text: string): FileDiff {
  const lines = text.replace(/\n$/, "").split("\n");
  if (text === "") return file;
  const hunk = {
    ...{ oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, section: "" },
    lines: lines.map((line, at) => ({ kind: "added" as const, oldLine: null, newLine: at + 1, text: line })),
  };
  return { ...file, additions: lines.length, deletions: 0, hunks: [hunk], complete: true, isRebuilt: true };
}
