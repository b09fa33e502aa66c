// One .kodiai.yml: from text to its valid values, and every problem in it by line and column.

import type { z } from "zod";
import { CONFIG_SHAPE, type Shape, shapeAt } from "./config-keys.ts";
import { issueText } from "./issue-text.ts";
import { keyHint, sameValue } from "./known-words.ts";
import { bare, dotted, type Entry, type Located, locate, type Path, shown, type Trouble, trouble } from "./located.ts";
import { readYaml } from "./read-yaml.ts";
import { ConfigFile } from "./repo-config.ts";

/** The values of one file, without defaults. */
export interface FileReading {
  /** A mapping with known keys and valid values; null when the file sets nothing. */
  readonly root: Located | null;
  readonly troubles: readonly Trouble[];
}

/** Reads one file. Never throws; a wrong value is left out and reported. */
export function readConfigFile(text: string): FileReading {
  const yaml = readYaml(text);
  if (yaml.root === null) return yaml;
  const recognised = recogniseKeys(yaml.root, CONFIG_SHAPE);
  const valid = dropWrongValues(recognised.root);
  return { root: valid.root, troubles: [...yaml.troubles, ...recognised.troubles, ...valid.troubles] };
}

/**
 * The repository that a file extends: the value of `_extends`, a bare name of the same owner.
 *
 * @returns null when the key is absent or not such a name (`parseConfig` reports that problem)
 */
export function extendsOf(text: string): string | null {
  const { root } = readConfigFile(text);
  const value = root === null ? undefined : (bare(root) as { _extends?: unknown })._extends;
  return typeof value === "string" ? value : null;
}

// Validates values by the schema and removes the wrong ones, each with its reason, until the rest is valid.

/** Each round removes something and most files need one; a bad item inside a bad item needs one more. */
const MAX_ROUNDS = 8;

type Issue = z.core.$ZodIssue;

/** What to remove at one level: whole children, or something within a child. */
interface Cut {
  whole: boolean;
  readonly inside: Map<string | number, Cut>;
}

/**
 * Field by field: a wrong value is removed and its siblings stay; a wrong item leaves its list; an item without something
 * required is removed as a whole; a list that is too long loses its end.
 *
 * @param root a mapping with known keys only
 * @returns a tree that the schema accepts
 */
function dropWrongValues(root: Located): { readonly root: Located; readonly troubles: readonly Trouble[] } {
  const troubles: Trouble[] = [];
  let tree: Located = root;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const parsed = ConfigFile.safeParse(bare(tree));
    if (parsed.success) return { root: tree, troubles };
    const cut: Cut = { whole: false, inside: new Map() };
    for (const issue of parsed.error.issues) judge(issue, tree, cut, round, troubles);
    tree = without(tree, cut) ?? emptied(root);
  }
  return { root: emptied(root), troubles };
}

function emptied(root: Located): Located {
  return { kind: "mapping", entries: [], place: root.place };
}

function judge(issue: Issue, tree: Located, cut: Cut, round: number, troubles: Trouble[]): void {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  const found = locate(tree, path);
  if (found === null) {
    const item = enclosingItem(path);
    const name = path.slice(item.length).join(".");
    const message = `lacks \`${name}\`, which is required; add it`;
    // What is missing in a later round was removed and reported in an earlier one.
    if (round === 0) troubles.push(trouble(item, locate(tree, item)?.place ?? null, message));
    mark(cut, item);
  } else if (issue.code === "too_big" && found.kind === "list") {
    const limit = Number(issue.maximum);
    const message = `must have at most ${limit} items; the rest is left out`;
    troubles.push(trouble(path, found.items[limit]?.place ?? found.place, message));
    for (let index = limit; index < found.items.length; index += 1) mark(cut, [...path, index]);
  } else {
    judgeValue(issue, path, found, cut, troubles);
  }
}

function judgeValue(issue: Issue, path: Path, found: Located, cut: Cut, troubles: Trouble[]): void {
  const whole = wholeItem(path);
  const message = issueText(issue, found);
  troubles.push(trouble(path, found.place, whole === null ? message : `${message}; the whole item is left out`));
  mark(cut, whole ?? path);
}

/** The list item around a missing value; without one the path itself, so that a cut always makes progress. */
function enclosingItem(path: Path): Path {
  const index = path.findLastIndex((part) => typeof part === "number");
  return path.slice(0, index + 1);
}

function mark(cut: Cut, path: Path): void {
  let level = cut;
  for (const part of path) {
    const next = level.inside.get(part) ?? { whole: false, inside: new Map() };
    level.inside.set(part, next);
    level = next;
  }
  level.whole = true;
}

function without(node: Located, cut: Cut | undefined): Located | null {
  if (cut === undefined) return node;
  if (cut.whole) return null;
  if (node.kind === "list") {
    return { ...node, items: node.items.flatMap((item, index) => without(item, cut.inside.get(index)) ?? []) };
  }
  if (node.kind === "scalar") return node;
  const entries = node.entries.flatMap((entry): Entry[] => {
    const value = without(entry.value, cut.inside.get(entry.key));
    return value === null ? [] : [{ ...entry, value }];
  });
  return { ...node, entries };
}

// Matches the file's keys with ours: known ones stay, snake_case becomes camelCase, unknown ones are reported with a hint.

type Section = Extract<Shape, { kind: "section" }>;

/**
 * The same tree with only our keys in our spelling, and without keys that have no value, such as `review:` with nothing under
 * it. Values are not validated here; only words of other tools that mean the same as ours are translated.
 */
function recogniseKeys(root: Located, shape: Shape): { readonly root: Located; readonly troubles: readonly Trouble[] } {
  const troubles: Trouble[] = [];
  return { root: recognise(root, shape, [], troubles), troubles };
}

function recognise(node: Located, shape: Shape, path: Path, troubles: Trouble[]): Located {
  if (shape.kind === "list" && node.kind === "list") {
    return { ...node, items: node.items.map((item, index) => recognise(item, shape.of, [...path, index], troubles)) };
  }
  if (shape.kind === "section" && node.kind === "mapping") return recogniseSection(node, shape, path, troubles);
  return node.kind === "scalar" && shape.kind === "value" ? translateValue(node, path, troubles) : node;
}

function recogniseSection(
  node: Extract<Located, { kind: "mapping" }>,
  shape: Section,
  path: Path,
  troubles: Trouble[],
): Located {
  const present = new Set(node.entries.map((entry) => entry.key));
  const entries = node.entries.flatMap((entry) => {
    const key = ourSpelling(entry, shape, present, path, troubles);
    const inner = key === null ? undefined : shape.keys.get(key);
    // An atomic item keeps its wrong keys, so that the schema refuses the whole item.
    if (key === null || inner === undefined || isNothing(entry.value)) return wholeItem(path) === null ? [] : [entry];
    present.add(key);
    return [{ ...entry, key, value: recognise(entry.value, inner, [...path, key], troubles) }];
  });
  return { ...node, entries };
}

function isNothing(node: Located): boolean {
  return node.kind === "scalar" && node.value === null;
}

function ourSpelling(
  entry: Entry,
  shape: Section,
  present: ReadonlySet<string>,
  path: Path,
  troubles: Trouble[],
): string | null {
  if (shape.keys.has(entry.key)) return entry.key;
  const camel = camelCase(entry.key, shape);
  const at = [...path, entry.key];
  if (camel === null) {
    nameUnknown(entry, shape, path, troubles);
    return null;
  }
  if (present.has(camel)) {
    troubles.push(trouble(at, entry.keyPlace, `\`${camel}\` is set as well and counts; remove \`${entry.key}\``));
    return null;
  }
  troubles.push(trouble(at, entry.keyPlace, `read as \`${camel}\`; our keys are camelCase`, "notice"));
  return camel;
}

/** `max_comments` → `maxComments`, `cache_ttl_seconds` → `cacheTTLSeconds`; null where the section has no such key. */
function camelCase(key: string, { keys }: Section): string | null {
  return key.includes("_") ? ([...keys.keys()].find((ours) => snakeCase(ours) === key) ?? null) : null;
}

function snakeCase(ours: string): string {
  return ours
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
}

/** Reports what an unknown key may mean; if it means one of our sections, its keys are checked as well. */
function nameUnknown(entry: Entry, shape: Section, path: Path, troubles: Trouble[], seenAs: Path = path): void {
  const siblings = [...shape.keys.keys()];
  const hint = keyHint(entry.key, siblings, dotted(seenAs));
  const word = `\`${shown(entry.key)}\``;
  const at = [...path, entry.key];
  const say = (message: string) => troubles.push(trouble(at, entry.keyPlace, message));
  if (hint === null) {
    say(`unknown key ${word}; known here: ${siblings.map((key) => `\`${key}\``).join(", ")}`);
  } else if (hint === entry.key) {
    say(`unknown key ${word}; write it nested: \`${hint.split(".").join(":` and, indented under it, `")}:\``);
  } else {
    say(`unknown key ${word}; did you mean \`${shortPath(hint, path)}\`?${sectionAdvice(hint, entry)}`);
    lookInside(entry, hint, at, troubles);
  }
}

function sectionAdvice(meant: string, entry: Entry): string {
  const isSection = shapeAt(meant)?.kind === "section";
  const name = meant.split(".").at(-1);
  return isSection && entry.value.kind === "mapping" ? ` Its keys go right under \`${name}:\`` : "";
}

function lookInside(entry: Entry, meant: string, at: Path, troubles: Trouble[]): void {
  const section = shapeAt(meant);
  if (section?.kind !== "section" || entry.value.kind !== "mapping") return;
  for (const child of entry.value.entries) {
    const key = camelCase(child.key, section) ?? child.key;
    if (!section.keys.has(key)) nameUnknown(child, section, at, troubles, meant.split("."));
  }
}

/** A sibling by its name alone, a key of another section by its whole path. */
function shortPath(path: string, section: Path): string {
  const prefix = `${dotted(section)}.`;
  return section.length > 0 && path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

function translateValue(node: Extract<Located, { kind: "scalar" }>, path: Path, troubles: Trouble[]): Located {
  const ours = sameValue(path.join("."), node.value);
  if (ours === null) return node;
  troubles.push(trouble(path, node.place, `\`${String(node.value).toLowerCase()}\` is read as \`${ours}\``, "notice"));
  return { ...node, value: ours };
}

// Items of a list that are valid as a whole or not at all.

/** A suppression that lost one of its conditions would hold back more findings than it should. */
const WHOLE: ReadonlySet<string> = new Set(["review.suppress"]);

/** The path of the atomic item that a path leads to or into; else null. */
function wholeItem(path: Path): Path | null {
  const at = path.findIndex((part) => typeof part === "number");
  return at >= 0 && WHOLE.has(path.slice(0, at).join(".")) ? path.slice(0, at + 1) : null;
}
