// Where remarks were made, as a glob for `pathInstructions`: the longest folder and the ending that most of them share.
import { revealLine } from "../domain/reveal.ts";

/** Of the remarks, so many hundredths share a folder or an ending that stands for all. */
const MOST = 80;
/** Deeper folders are not told apart. */
const DEEPEST = 30;
/** A glob that is longer is no help to read; the configuration takes 500. */
const LONGEST = 200;
const EVERYWHERE = "**";

/**
 * @param paths one per remark, null where it stands on no file
 * @returns `src/api/**` + `/*.ts`, `src/api/**`, `**` + `/*.ts`, or `**`; what globs read as their own stands for itself
 */
export function commonGlob(paths: readonly (string | null)[]): string {
  const known = paths.flatMap((path) => (path !== null && isPlain(path) ? [path] : []));
  const least = Math.ceil((paths.length * MOST) / 100);
  const ending = mostCommon(known.map(endingOf), least);
  const folders = known.filter((path) => ending === null || endingOf(path) === ending).map(foldersOf);
  const folder = longestShared(folders, least);
  if (folder === null && ending === null) return EVERYWHERE;
  const glob = `${folder === null ? "" : literal(folder)}**${ending === null ? "" : `/*${literal(ending)}`}`;
  return glob.length > LONGEST ? EVERYWHERE : glob;
}

/** At least this many hundredths of the values are one: that one. */
export function sharedBy(values: readonly string[]): string | null {
  return mostCommon(values, Math.ceil((values.length * MOST) / 100));
}

/** Hidden characters would make a glob that nobody can read. */
function isPlain(path: string): boolean {
  return path.isWellFormed() && revealLine(path) === path;
}

/** `.ts`; "" for a name without one. */
function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 || dot === name.length - 1 ? "" : name.slice(dot);
}

/** `src/`, `src/api/` */
function foldersOf(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1).slice(0, DEEPEST);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`);
}

function mostCommon(values: readonly string[], least: number): string | null {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].find(([, count]) => count >= least)?.[0] ?? null;
}

function longestShared(folders: readonly (readonly string[])[], least: number): string | null {
  const counts = new Map<string, number>();
  for (const folder of folders.flat()) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const shared = [...counts].filter(([, count]) => count >= least).map(([folder]) => folder);
  return shared.reduce<string | null>((longest, one) => (one.length > (longest?.length ?? 0) ? one : longest), null);
}

function literal(text: string): string {
  return text.replace(/[*?[\]{}()!\\]/g, "\\$&");
}
