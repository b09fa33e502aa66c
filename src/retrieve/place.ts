// Where a remembered comment stood, and where the change stands: file, folder, language.
import { relatedLanguages } from "../domain/language.ts";
import { LANGUAGE_BOOST } from "./boost-language.ts";
import type { PreparedChange, PreparedMemory } from "./prepare.ts";

/**
 * - sameFile: 1 when the change touches the comment's file
 * - pathPrefix: shared leading folders of the nearest changed file, as a share of the longer path, 0–1
 * - sameLanguage: 1 when the change touches the comment's language, half of that for a related one (C and C++)
 * - languageShare: root of the language's share of changed lines, or half that root for a related language, 0–1
 * - languageCrowd: share of the memories that have the comment's language, 0–1
 */
export function placeSignals(change: PreparedChange, memories: readonly PreparedMemory[]) {
  const paths = new Set(change.files.map((file) => file.path));
  const folders = [...new Set(change.files.map((file) => file.path))].map((path) => path.split("/"));
  const shares = languageShares(change);
  const near = relatedShares(shares);
  const { relatedRatio } = LANGUAGE_BOOST;
  const crowd = new Map<string, number>();
  for (const memory of memories) crowd.set(memory.language, (crowd.get(memory.language) ?? 0) + 1);
  const column = (figure: (memory: PreparedMemory) => number) => {
    const figures = new Float64Array(memories.length);
    for (const [at, memory] of memories.entries()) figures[at] = figure(memory);
    return figures;
  };
  return {
    sameFile: column((memory) => (paths.has(memory.path) ? 1 : 0)),
    pathPrefix: column((memory) => nearestPrefix(memory.path.split("/"), folders)),
    sameLanguage: column(({ language }) => (shares.has(language) ? 1 : near.has(language) ? relatedRatio : 0)),
    languageShare: column(({ language }) => {
      const share = shares.get(language);
      return share === undefined ? relatedRatio * Math.sqrt(near.get(language) ?? 0) : Math.sqrt(share);
    }),
    languageCrowd: column((memory) => (crowd.get(memory.language) ?? 0) / memories.length),
  };
}

/** Each language that is related to one of the change → the largest such share. */
function relatedShares(shares: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const near = new Map<string, number>();
  for (const [language, share] of shares) {
    for (const related of relatedLanguages(language)) near.set(related, Math.max(share, near.get(related) ?? 0));
  }
  return near;
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
