// Reads the head text of changed files, within the limits of a review.

import pMap, { pMapSkip } from "p-map";
import type { Degraded } from "../domain/omissions.ts";
import type { FileDiff } from "../domain/pull-request.ts";
import { counted } from "../domain/text/counted.ts";
import { isLinkOrSubmodule } from "./select-files.ts";

/** Limits of one review; files of a pull request beyond them are reviewed by their hunks only. */
export const TEXT_LIMITS = {
  files: 300,
  bytesEach: 1 << 20,
  bytesInAll: 30 << 20,
  /** Parallel requests: GitHub allows 100, and others wait too. */
  atOnce: 6,
};

/**
 * Reads the head text of each text file with added lines, in the order of the files, until a limit
 * is reached.
 *
 * @param read the text of a path at the head; null when it is absent, binary, a link or larger than
 * `bytesEach`. An error costs only that text
 */
export async function readHeadTexts(
  files: readonly FileDiff[],
  read: (path: string) => Promise<string | null>,
  limits = TEXT_LIMITS,
): Promise<{ readonly texts: ReadonlyMap<string, string>; readonly degraded: readonly Degraded[] }> {
  const wanted = files.filter(hasHeadText).map((file) => file.path);
  let bytes = 0;
  const ask = async (path: string) => {
    if (bytes >= limits.bytesInAll) return pMapSkip;
    const text = await read(path).catch(() => undefined);
    const size = new TextEncoder().encode(text ?? "").length;
    if (size <= limits.bytesEach) bytes += size;
    return { text, size };
  };
  const answers = await pMap(wanted.slice(0, limits.files), ask, { concurrency: limits.atOnce });

  const texts = new Map<string, string>();
  let room = limits.bytesInAll;
  let failed = 0;
  let unreadable = 0;
  for (const [at, { text, size }] of answers.entries()) {
    if (text === undefined) failed++;
    else if (text === null || size > limits.bytesEach) unreadable++;
    // Stops at the first text over the rest: the order of answers must not change the result.
    else if (size > room) break;
    else {
      room -= size;
      texts.set(wanted[at] ?? "", text);
    }
  }
  return { texts, degraded: degradations(wanted, texts, failed, unreadable) };
}

/** Links and submodules have no text; without added lines there is nothing to comment on. */
function hasHeadText(file: FileDiff): boolean {
  return file.status !== "removed" && !file.binary && file.additions > 0 && !isLinkOrSubmodule(file);
}

function degradations(
  wanted: readonly string[],
  texts: ReadonlyMap<string, string>,
  failed: number,
  unreadable: number,
): Degraded[] {
  const unread = wanted.filter((path) => !texts.has(path));
  if (unread.length === 0) return [];
  const beyond = unread.length - failed - unreadable;
  const causes = [
    failed > 0 ? `${failed} could not be fetched` : null,
    unreadable > 0 ? `${unreadable} absent, not text or too large` : null,
    beyond > 0 ? `${beyond} beyond the limit of one review` : null,
  ];
  const why = causes.filter((cause) => cause !== null).join(", ");
  const reason = `${unread.length} of ${counted(wanted.length, "file")} reviewed by hunks only: ${why}`;
  return [{ part: "head-text", reason, paths: unread }];
}
