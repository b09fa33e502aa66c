// Where the repository names a package: whole words only, in code that is already loaded.

import type { PackageUpdate, UsagePlace } from "../domain/dependency-update.ts";
import { compareTexts } from "../domain/text/compare-texts.ts";

/** A piece of code with its place. */
export interface CodePiece {
  readonly path: string;
  /** 1-based line of its first line, or null. */
  readonly line: number | null;
  readonly text: string;
}

/** Shorter names are common words in any program. */
const SHORTEST = 3;
const LONGEST_PIECE = 1_000_000;

/** Parts of a coordinate that name no package in code. */
const IMPORT_PREFIX = /^(?:python-|py-|node-|go-|ruby-)/;

/**
 * What code writes to use a package: its name, and the forms that its ecosystem derives from it, without
 * those too short to distinguish from other words.
 */
export function importNames({ name, ecosystem }: Pick<PackageUpdate, "name" | "ecosystem">): readonly string[] {
  const names = [name];
  if (ecosystem === "python") names.push(name.toLowerCase().replaceAll("-", "_"), name.replace(IMPORT_PREFIX, ""));
  if (ecosystem === "rust") names.push(name.replaceAll("-", "_"));
  if (ecosystem === "ruby") names.push(name.replaceAll("-", "/"));
  if (ecosystem === "go") names.push(goPackage(name));
  if (ecosystem === "java") names.splice(0, 1, name.slice(0, Math.max(0, name.indexOf(":"))) || name);
  if (ecosystem === "php") names.push(name.slice(name.indexOf("/") + 1));
  return [...new Set(names)].filter(({ length }) => length >= SHORTEST);
}

/** The last part of the path that is not a major version. */
function goPackage(name: string): string {
  const parts = name.split("/").filter((part) => !/^v\d{1,3}$/.test(part));
  return parts.at(-1)?.replace(/^go-|\.v\d{1,3}$/g, "") ?? name;
}

/**
 * The pieces that name one of `names`, by path and line, each place once.
 *
 * @param broken names from breaking notes, to be looked for at the same places
 */
export function usagePlaces(
  pieces: readonly CodePiece[],
  names: readonly string[],
  broken: readonly string[],
): readonly UsagePlace[] {
  const places = new Map<string, UsagePlace>();
  for (const { path, line, text } of pieces) {
    const code = text.slice(0, LONGEST_PIECE);
    const at = firstPlace(code, names);
    if (at === null) continue;
    const place = {
      path,
      line: line === null ? null : line + at,
      broken: broken.filter((name) => wordAt(code, name) !== -1),
    };
    places.set(JSON.stringify([path, place.line]), place);
  }
  return [...places.values()].sort((a, b) => compareTexts(a.path, b.path) || (a.line ?? 0) - (b.line ?? 0));
}

/** Lines before the first place, or null when none of the names occurs. */
function firstPlace(code: string, names: readonly string[]): number | null {
  const found = names.map((name) => wordAt(code, name)).filter((at) => at !== -1);
  return found.length === 0 ? null : code.slice(0, Math.min(...found)).split("\n").length - 1;
}

/** The first place of a word with no letter, digit or other name character beside it; -1 when there is none. Linear. */
function wordAt(code: string, word: string): number {
  for (let at = code.indexOf(word); at !== -1; at = code.indexOf(word, at + 1)) {
    const [before, after] = [code.charAt(at - 1), code.charAt(at + word.length)];
    if (!/[\w$-]/.test(before) && !/[\w$-]/.test(after)) return at;
  }
  return -1;
}
