import type { DiffLine, FileDiff, Hunk } from "../../src/domain/pull-request.ts";

/** A modified file; its lines are counted from its hunks unless `more` says otherwise. */
export function aFileDiff(path: string, hunks: readonly Hunk[] = [], more: Partial<FileDiff> = {}): FileDiff {
  const count = (kind: DiffLine["kind"]) =>
    hunks.flatMap(({ lines }) => lines).filter((line) => line.kind === kind).length;
  return {
    path,
    previousPath: null,
    status: "modified",
    binary: false,
    oldMode: "100644",
    newMode: "100644",
    additions: count("added"),
    deletions: count("removed"),
    hunks,
    complete: true,
    ...more,
  };
}

/** A hunk from lines with their markers: `+`, `-` or a space. */
export function aHunk(oldStart: number, newStart: number, marked: readonly string[], section = ""): Hunk {
  let [oldLine, newLine] = [oldStart, newStart];
  const lines = marked.map((line): DiffLine => {
    const text = line.slice(1);
    if (line.startsWith("+")) return { kind: "added", oldLine: null, newLine: newLine++, text };
    if (line.startsWith("-")) return { kind: "removed", oldLine: oldLine++, newLine: null, text };
    return { kind: "context", oldLine: oldLine++, newLine: newLine++, text };
  });
  return { oldStart, oldLines: oldLine - oldStart, newStart, newLines: newLine - newStart, section, lines };
}

/** Lines that are added, and nothing around them. */
export function addedHunk(newStart: number, added: readonly string[]): Hunk {
  return aHunk(
    newStart,
    newStart,
    added.map((line) => `+${line}`),
  );
}
