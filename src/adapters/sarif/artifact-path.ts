// The file that a SARIF location means, as far as its address tells. No file is opened by such a name.
import { countOf, listOf, member, textOf } from "./json-value.ts";

/** Bases of bases; deeper ones, and a circle of them, are left unresolved. */
const MOST_BASES = 8;
/** UTF-16 units; no file system has longer paths. */
const MOST_CHARS = 8_192;

/**
 * The path of an artifactLocation with `/` and without `.` and `..`; "" without one. It begins with `/` where the address is
 * absolute.
 *
 * @param run the run that it occurs in: its artifacts and bases
 */
export function artifactPath(location: unknown, run: unknown): string {
  const index = countOf(0, location, "index");
  const isNamed = textOf(location, "uri") !== "";
  const named = isNamed || index === null ? location : (listOf(run, "artifacts")[index] ?? {});
  const artifact = isNamed || index === null ? named : member(named, "location");
  const start = textOf(artifact, "uri");
  if (start === "" || start.length > MOST_CHARS) return "";
  let path = plainPath(start);
  let base = textOf(artifact, "uriBaseId");
  for (let step = 0; base !== "" && !isAbsolute(path) && step < MOST_BASES; step += 1) {
    const of = member(run, "originalUriBaseIds", base);
    const uri = textOf(of, "uri");
    if (uri.length > MOST_CHARS) return "";
    if (uri !== "") path = `${plainPath(uri).replace(/\/$/, "")}/${path}`;
    base = textOf(of, "uriBaseId");
  }
  const here = listOf(run, "invocations")[0];
  const folder = textOf(here, "workingDirectory", "uri");
  const isBare = textOf(artifact, "uriBaseId") === "" && !isAbsolute(path);
  if (isBare && folder !== "" && folder.length <= MOST_CHARS) path = `${plainPath(folder).replace(/\/$/, "")}/${path}`;
  return normalised(path);
}

/** Of a `file:` address or a relative reference, with the separators of any system; "" for any other address. */
function plainPath(uri: string): string {
  if (/^(?!file:)[a-z][a-z0-9+.-]+:/i.test(uri)) return "";
  const path = decode(uri.replace(/^file:(?:\/\/[^/]*(?=\/))?/i, "")).replaceAll("\\", "/");
  // The drive of Windows: the rest of the path is what names the file.
  return path.replace(/^\/?[a-z]:(?=\/)/i, "");
}

/** A `%` that encodes nothing stands for itself: not every tool encodes. */
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

/** Questions about the head for one report; a tool that ran elsewhere has one prefix for all its files. */
const MOST_QUESTIONS = 300;
/** Folders of a path that are compared, from its end, and prefixes that are kept. */
const MOST_FOLDERS = 64;
const MOST_PREFIXES = 20;

/**
 * Matches paths of tools to changed files. Tools run in a folder of the repository, on another machine, or in a container: a path
 * means the changed file that it ends like, or that ends like it, unless the head has another file that fits better.
 *
 * @param isInHead null where it is not known: then a relative path means its own file, and an absolute one the longest that fits
 * @returns gives the changed path, null for another file, or `several` when more than one fits
 */
export function changedPaths(paths: readonly string[], isInHead: (path: string) => Promise<boolean | null>) {
  const changed = new Set(paths);
  const byName = Map.groupBy(paths, nameOf);
  const known = new Map<string, string | null | "several">();
  const prefixes = { outside: new Set<string>(), inside: new Set<string>() };
  let left = MOST_QUESTIONS;
  const isThere = async (path: string, unknown: boolean) => {
    left -= 1;
    return (left < 0 ? null : await isInHead(path)) ?? unknown;
  };

  const absolute = async (path: string): Promise<string | null> => {
    for (const prefix of prefixes.outside)
      if (path.startsWith(prefix) && changed.has(path.slice(prefix.length))) return path.slice(prefix.length);
    const parts = path.slice(1).split("/").slice(-MOST_FOLDERS);
    const ends = parts.map((_, at) => parts.slice(at).join("/"));
    const fits = ends.findIndex((end) => changed.has(end));
    const [end] = fits === -1 ? [] : ends.slice(fits);
    if (end === undefined) return null;
    for (const longer of ends.slice(0, fits)) if (await isThere(longer, false)) return null;
    if (prefixes.outside.size < MOST_PREFIXES) prefixes.outside.add(path.slice(0, path.length - end.length));
    return end;
  };

  const relative = async (path: string): Promise<string | null | "several"> => {
    if (changed.has(path)) return path;
    const fits = (byName.get(nameOf(path)) ?? []).filter((one) => one.endsWith(`/${path}`));
    if (fits.length === 0) return absoluteLike(path);
    if (await isThere(path, true)) return null;
    const prefixed = fits.filter((one) => prefixes.inside.has(one.slice(0, one.length - path.length)));
    const [one, ...more] = prefixed.length > 0 ? prefixed : fits;
    if (one === undefined || more.length > 0) return "several";
    prefixes.inside.add(one.slice(0, one.length - path.length));
    return one;
  };
  /** `workspace/src/a.ts`: relative to a folder above the repository. */
  const absoluteLike = async (path: string) => ((await isThere(path, true)) ? null : absolute(`/${path}`));

  return async (path: string): Promise<string | null | "several"> => {
    // Most files of most reports did not change.
    if (path === "" || !byName.has(nameOf(path))) return null;
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = await (path.startsWith("/") ? absolute(path) : relative(path));
    known.set(path, found);
    return found;
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
