// The file that a SARIF location means, by its address. Opens no file by such a name.
import { countOf, listOf, member, textOf } from "./json-value.ts";

/** Bases of bases; deeper ones, and a circle of them, are left unresolved. */
const MOST_BASES = 8;
/** UTF-16 units; no file system has longer paths. */
const MOST_CHARS = 8_192;

/**
 * The path of an artifactLocation with `/` and without `.` and `..`; "" without one. It begins with
 * `/` where the address is absolute.
 *
 * @param run the run that it occurs in: its artifacts and bases
 */
export function artifactPath(location: unknown, run: unknown): string {
  const index = countOf(0, location, "index");
  const isNamed = textOf(location, "uri") !== "" || index === null;
  const artifact = isNamed ? location : member(listOf(run, "artifacts")[index], "location");
  const start = textOf(artifact, "uri");
  if (start === "" || start.length > MOST_CHARS) return "";
  const base = textOf(artifact, "uriBaseId");
  let path = plainPath(start);
  let next: unknown =
    base === "" ? member(listOf(run, "invocations")[0], "workingDirectory") : member(run, "originalUriBaseIds", base);
  for (let step = 0; next !== undefined && !isAbsolute(path) && step < MOST_BASES; step += 1) {
    const uri = textOf(next, "uri");
    if (uri.length > MOST_CHARS) return "";
    if (uri !== "") path = `${plainPath(uri).replace(/\/$/, "")}/${path}`;
    next = member(run, "originalUriBaseIds", textOf(next, "uriBaseId"));
  }
  return normalised(path);
}

/** Of a `file:` address or a relative reference, with any separators; "" for any other. */
function plainPath(uri: string): string {
  if (/^(?!file:)[a-z][a-z0-9+.-]+:/i.test(uri)) return "";
  const path = decode(uri.replace(/^file:(?:\/\/[^/]*(?=\/))?/i, "")).replaceAll("\\", "/");
  // The drive of Windows: the rest of the path is what names the file.
  return path.replace(/^\/?[a-z]:(?=\/)/i, "");
}

/** A `%` that encodes nothing is kept: not every tool encodes. */
function decode(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

function normalised(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `${isAbsolute(path) ? "/" : ""}${parts.join("/")}`;
}

/** Questions about the head for one report: most paths need none or one. */
const MOST_QUESTIONS = 300;
/** Folders of a path that are compared, from its end. */
const MOST_FOLDERS = 64;

/**
 * Matches paths of tools to changed files. Tools run in a folder of the repository, on another
 * machine, or in a container: a path means the changed file that it ends like, or that ends like
 * it, unless the head has another file that fits better.
 *
 * @param isInHead null if unknown: a relative path is its own file, an absolute the longest fit
 * @returns gives the changed path, null for another file, or `several` when more than one fits
 */
export function changedPaths(paths: readonly string[], isInHead: (path: string) => Promise<boolean | null>) {
  const byName = Map.groupBy(paths, nameOf);
  const known = new Map<string, string | null | "several">();
  let left = MOST_QUESTIONS;

  const find = async (path: string): Promise<string | null | "several"> => {
    const named = byName.get(nameOf(path)) ?? [];
    if (named.includes(path)) return path;
    const isThere = async (end: string, unknown: boolean) => {
      left -= 1;
      return (left < 0 ? null : await isInHead(end)) ?? unknown;
    };
    // Most files of most reports did not change.
    if (named.length === 0 || (!isAbsolute(path) && (await isThere(path, true)))) return null;
    const [inFolder, ...more] = named.filter((one) => one.endsWith(`/${path}`));
    if (inFolder !== undefined) return more.length > 0 ? "several" : inFolder;
    const parts = path.split("/").slice(-MOST_FOLDERS);
    for (let from = 1; from < parts.length; from += 1) {
      const end = parts.slice(from).join("/");
      if (named.includes(end)) return end;
      if (!named.some((one) => end.endsWith(one))) continue;
      // A file that was not asked for may fit better than the changed one.
      if (left <= 0 || (await isThere(end, false))) return null;
    }
    return null;
  };

  return async (path: string): Promise<string | null | "several"> => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = path === "" ? null : await find(path);
    known.set(path, found);
    return found;
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
