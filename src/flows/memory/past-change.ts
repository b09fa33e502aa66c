// Reconstructs a past pull request from memory: the commented pieces of code. Without title and other files, it asks
// memory less than the pull request itself did.

import type { Repo } from "../../domain/job.ts";
import { placeholderPullRequest } from "../../domain/memory/placeholder-pull-request.ts";
import type { DiffLine, FileDiff, Hunk, PullRequestContext } from "../../domain/pull-request.ts";

/** A commented place: GitHub's `diff_hunk`, which ends there; null when only the file is known. */
interface PastPlace {
  readonly path: string;
  readonly hunk: string | null;
}

const HEADER = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@ ?(.{0,300})/;

/**
 * @param number the pull request, whose own memories are then not searched; 0 when another repository's are
 * @param places in any number; the same place counts once
 */
export function pastChange(repo: Repo, number: number, places: readonly PastPlace[]): PullRequestContext {
  const byPath = new Map<string, Map<string, Hunk>>();
  for (const { path, hunk } of places) {
    const hunks = byPath.get(path) ?? new Map<string, Hunk>();
    if (hunk !== null) hunks.set(hunk, readHunk(hunk));
    byPath.set(path, hunks);
  }
  const files = [...byPath].map(([path, hunks]) => fileOf(path, withoutShorter(hunks)));
  return { ...placeholderPullRequest("", repo, number).context, files };
}

/** Two comments on one hunk contain it twice, cut at different lines: the longer includes the shorter. */
function withoutShorter(hunks: ReadonlyMap<string, Hunk>): readonly Hunk[] {
  const texts = [...hunks.keys()];
  return [...hunks].flatMap(([text, hunk]) =>
    texts.some((other) => other.length > text.length && other.startsWith(text)) ? [] : [hunk],
  );
}

function fileOf(path: string, hunks: readonly Hunk[]): FileDiff {
  const count = (kind: DiffLine["kind"]) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  return {
    path,
    previousPath: null,
    status: "modified",
    binary: false,
    oldMode: null,
    newMode: null,
    additions: count("added"),
    deletions: count("removed"),
    hunks,
    complete: false,
  };
}

/** The header counts the whole hunk, and only a part of it is here: lines are counted again. */
function readHunk(diff: string): Hunk {
  const [first = "", ...rest] = diff.split("\n");
  const header = HEADER.exec(first);
  const [oldStart, newStart] = [Number(header?.[1] ?? 1), Number(header?.[2] ?? 1)];
  let [oldLine, newLine] = [oldStart, newStart];
  const lines = (header === null ? [first, ...rest] : rest).flatMap((line): DiffLine[] => {
    const text = line.slice(1);
    if (line.startsWith("+")) return [{ kind: "added", oldLine: null, newLine: newLine++, text }];
    if (line.startsWith("-")) return [{ kind: "removed", oldLine: oldLine++, newLine: null, text }];
    // Lines with another prefix are not lines of a diff: the mark of a cut, "\ No newline at end of file".
    return line.startsWith(" ") ? [{ kind: "context", oldLine: oldLine++, newLine: newLine++, text }] : [];
  });
  return {
    oldStart,
    oldLines: oldLine - oldStart,
    newStart,
    newLines: newLine - newStart,
    section: header?.[3] ?? "",
    lines,
  };
}
