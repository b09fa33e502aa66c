// Where a remembered comment stood, and where the change stands: file, folder, language.
import type { PreparedChange, PreparedMemory } from "./prepare.ts";

/**
 * - sameFile: 1 when the change touches the comment's file
 * - pathPrefix: shared leading folders of the nearest changed file, as a share of the longer path, 0–1
 * - sameLanguage: 1 when the change touches the comment's language
 * - languageShare: root of the language's share of changed lines, 0–1
 * - languageCrowd: share of the memories that have the comment's language, 0–1
 */
export function placeSignals(change: PreparedChange, memories: readonly PreparedMemory[]) {
  const paths = new Set(change.files.map((file) => file.path));
  const folders = [...new Set(change.files.map((file) => file.path))].map((path) => path.split("/"));
  const shares = languageShares(change);
  const crowd = new Map<string, number>();
  for (const memory of memories) crowd.set(memory.language, (crowd.get(memory.language) ?? 0) + 1);
  const column = (figure: (memory: PreparedMemory) => number) => Float64Array.from(memories, figure);
  return {
    sameFile: column((memory) => (paths.has(memory.path) ? 1 : 0)),
    pathPrefix: column((memory) => nearestPrefix(memory.path.split("/"), folders)),
    sameLanguage: column((memory) => (shares.has(memory.language) ? 1 : 0)),
    languageShare: column((memory) => Math.sqrt(shares.get(memory.language) ?? 0)),
    languageCrowd: column((memory) => (crowd.get(memory.language) ?? 0) / memories.length),
  };
}

/** language → share of changed lines; every file counts one line more, so that a rename counts too. */
function languageShares(change: PreparedChange): Map<string, number> {
  const lines = new Map<string, number>();
  let total = 0;
  for (const file of change.files) {
    const weight = file.additions + file.deletions + 1;
    total += weight;
    lines.set(file.language, (lines.get(file.language) ?? 0) + weight);
  }
  for (const [language, weight] of lines) lines.set(language, weight / total);
  return lines;
}

function nearestPrefix(path: readonly string[], others: readonly (readonly string[])[]): number {
  let best = 0;
  for (const other of others) {
    let shared = 0;
    const most = Math.min(path.length, other.length) - 1;
    while (shared < most && path[shared] === other[shared]) shared += 1;
    best = Math.max(best, (shared + 1) / Math.max(path.length, other.length));
  }
  return best;
}
