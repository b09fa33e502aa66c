// A YAML file as values with their positions, so that every problem can name its line and column.

import { cutText } from "../domain/text/cut-text.ts";
import type { ConfigProblem } from "./repo-config.ts";

/** Where something begins; line and column count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Entry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly value: Located;
}

export interface Mapping {
  readonly kind: "mapping";
  readonly entries: readonly Entry[];
  readonly place: Place;
}

export type Located =
  | { readonly kind: "scalar"; readonly value: string | number | boolean | null; readonly place: Place }
  | { readonly kind: "list"; readonly items: readonly Located[]; readonly place: Place }
  | Mapping;

export type Trouble = Omit<ConfigProblem, "file">;

/** The values of one file, without defaults, and what is wrong in it. */
export interface FileReading {
  /** Empty when the file sets nothing, or was refused as a whole. */
  readonly root: Mapping;
  readonly troubles: readonly Trouble[];
}

export const NOTHING: Mapping = { kind: "mapping", entries: [], place: { line: 1, column: 1 } };

/** Keys and list positions from the root to a value. */
export type Path = readonly (string | number)[];

/** Longest key that is quoted in full; ours have at most 19 characters. */
const MAX_SHOWN = 60;

/**
 * A word of the file, safe to quote in a message: control, invisible and direction characters and
 * backticks become "?", and it is cut at 60 UTF-16 units.
 */
export function shown(word: string): string {
  const start = cutText(word, MAX_SHOWN);
  const clean = start.replace(/[\p{C}\p{Z}`]/gu, (char) => (char === " " ? " " : "?"));
  return start.length < word.length ? `${clean}…` : clean;
}

/** A path in the dotted form that people write: `customRules[0].id`; "" for the root. */
export function dotted(path: Path): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? shown(part) : `${text}.${shown(part)}`,
    "",
  );
}

export function trouble(
  path: Path,
  place: Place | null,
  message: string,
  severity: Trouble["severity"] = "error",
): Trouble {
  return { key: dotted(path), line: place?.line ?? null, column: place?.column ?? null, severity, message };
}

export function locate(root: Located, path: Path): Located | null {
  return path.reduce<Located | null>((node, part) => {
    if (node?.kind === "list" && typeof part === "number") return node.items[part] ?? null;
    if (node?.kind === "mapping") return node.entries.find((entry) => entry.key === part)?.value ?? null;
    return null;
  }, root);
}

export function itemsAt(root: Mapping, key: string): readonly Located[] {
  const list = locate(root, [key]);
  return list?.kind === "list" ? list.items : [];
}

export function entriesAt(root: Mapping, key: string): readonly Entry[] {
  const mapping = locate(root, [key]);
  return mapping?.kind === "mapping" ? mapping.entries : [];
}

/** The same tree without some of its values and their keys; without its root it is empty. */
export function without(root: Mapping, removed: ReadonlySet<Located>): Mapping {
  const inside = (node: Located): Located => {
    if (node.kind === "scalar") return node;
    if (node.kind === "mapping") return without(node, removed);
    return { ...node, items: node.items.filter((item) => !removed.has(item)).map(inside) };
  };
  const kept = removed.has(root) ? [] : root.entries.filter(({ value }) => !removed.has(value));
  return { ...root, entries: kept.map((entry) => ({ ...entry, value: inside(entry.value) })) };
}

/** The value without its places. Its keys are harmless: `readYaml` refuses Object.prototype's. */
export function bare(node: Located): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(bare);
  return Object.fromEntries(node.entries.map((entry) => [entry.key, bare(entry.value)]));
}

/** As compilers print it, for editors: `.kodiai.yml:3:12: error: review.maxComments: must be …`. */
export function problemLine(problem: ConfigProblem): string {
  const place = problem.line === null ? "" : `:${problem.line}:${problem.column ?? 1}`;
  const key = problem.key === "" ? "" : `${problem.key}: `;
  return `${problem.file}${place}: ${problem.severity}: ${key}${problem.message}`;
}
