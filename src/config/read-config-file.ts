// One .kodiai.yml: from text to its valid values, and every problem in it by line and column.

import type { z } from "zod";
import { CONFIG_SHAPE, type Shape, shapeAt } from "./config-keys.ts";
import { issueText } from "./issue-text.ts";
import { keyHint, sameValue } from "./known-words.ts";
import {
  bare,
  dotted,
  type Entry,
  type FileReading,
  type Located,
  locate,
  type Mapping,
  NOTHING,
  type Path,
  shown,
  type Trouble,
  trouble,
  without,
} from "./located.ts";
import { readYaml } from "./read-yaml.ts";
import { ConfigFile } from "./repo-config.ts";

/** Reads one file: known keys with valid values. Never throws; a wrong value is left out and reported. */
export function readConfigFile(text: string): FileReading {
  const yaml = readYaml(text);
  const troubles = [...yaml.troubles];
  const recognised = recogniseSection(yaml.root, CONFIG_SHAPE, [], troubles);
  return { root: dropWrongValues(recognised, troubles), troubles };
}

/**
 * The repository that a file extends: the value of `_extends`, a bare name of the same owner.
 *
 * @returns null when the key is absent or not such a name (`parseConfig` reports that problem)
 */
export function extendsOf(text: string): string | null {
  const value = locate(readConfigFile(text).root, ["_extends"]);
  return value?.kind === "scalar" && typeof value.value === "string" ? value.value : null;
}

// Validates values by the schema and removes the wrong ones, each with its reason, until the rest is valid.

/** Each round removes something and most files need one; a bad item inside a bad item needs one more. */
const MAX_ROUNDS = 8;

/**
 * Field by field: a wrong value is removed and its siblings stay; a wrong item leaves its list; an item without something
 * required is removed as a whole; a list that is too long loses its end.
 *
 * @param root a mapping with known keys only
 * @returns a tree that the schema accepts
 */
function dropWrongValues(root: Mapping, troubles: Trouble[]): Mapping {
  let tree = root;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const parsed = ConfigFile.safeParse(bare(tree));
    if (parsed.success) return tree;
    tree = without(tree, new Set(parsed.error.issues.flatMap((issue) => judge(issue, tree, round, troubles))));
  }
  return NOTHING;
}

/** Reports an issue, and returns the values to remove. */
function judge(issue: z.core.$ZodIssue, tree: Mapping, round: number, troubles: Trouble[]): readonly Located[] {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  const found = locate(tree, path);
  if (found === null) {
    const item = path.slice(0, path.findLastIndex((part) => typeof part === "number") + 1);
    const around = locate(tree, item) ?? tree;
    const name = path.slice(item.length).join(".");
    // What is missing in a later round was removed and reported in an earlier one.
    if (round === 0) troubles.push(trouble(item, around.place, `lacks \`${name}\`, which is required; add it`));
    return [around];
  }
  if (issue.code === "too_big" && found.kind === "list") {
    const rest = found.items.slice(Number(issue.maximum));
    const message = `must have at most ${issue.maximum} items; the rest is left out`;
    troubles.push(trouble(path, rest[0]?.place ?? found.place, message));
    return rest;
  }
  const whole = wholeItem(path);
  const message = issueText(issue, found);
  troubles.push(trouble(path, found.place, whole === null ? message : `${message}; the whole item is left out`));
  return [(whole === null ? null : locate(tree, whole)) ?? found];
}

// Matches the file's keys with ours: known ones stay, snake_case becomes camelCase, unknown ones are reported with a hint.

type Section = Extract<Shape, { kind: "section" }>;

/**
 * The same values under our keys in our spelling, and without keys that have no value, such as `review:` with nothing under it.
 * Values are not validated here; only words of other tools that mean the same as ours are translated.
 */
function recognise(node: Located, shape: Shape, path: Path, troubles: Trouble[]): Located {
  if (shape.kind === "list" && node.kind === "list") {
    return { ...node, items: node.items.map((item, index) => recognise(item, shape.of, [...path, index], troubles)) };
  }
  if (shape.kind === "section" && node.kind === "mapping") return recogniseSection(node, shape, path, troubles);
  if (shape.kind !== "value" || node.kind !== "scalar") return node;
  const ours = sameValue(path.join("."), node.value);
  if (ours === null) return node;
  troubles.push(trouble(path, node.place, `\`${String(node.value).toLowerCase()}\` is read as \`${ours}\``, "notice"));
  return { ...node, value: ours };
}

function recogniseSection(node: Mapping, shape: Section, path: Path, troubles: Trouble[]): Mapping {
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

/** The key that an entry means; null, with the reason, if it is none of ours or set twice. */
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
  const at = [...path, entry.key];
  const say = (advice: string) =>
    troubles.push(trouble(at, entry.keyPlace, `unknown key \`${shown(entry.key)}\`; ${advice}`));
  if (hint === null) {
    say(`known here: ${siblings.map((key) => `\`${key}\``).join(", ")}`);
  } else if (hint === entry.key) {
    say(`write it nested: \`${hint.split(".").join(":` and, indented under it, `")}:\``);
  } else {
    const meant = shapeAt(hint);
    const section = meant?.kind === "section" && entry.value.kind === "mapping" ? meant : null;
    const advice = section === null ? "" : ` Its keys go right under \`${hint.split(".").at(-1)}:\``;
    say(`did you mean \`${shortPath(hint, path)}\`?${advice}`);
    if (section === null || entry.value.kind !== "mapping") return;
    for (const child of entry.value.entries) {
      const key = camelCase(child.key, section) ?? child.key;
      if (!section.keys.has(key)) nameUnknown(child, section, at, troubles, hint.split("."));
    }
  }
}

/** A sibling by its name alone, a key of another section by its whole path. */
function shortPath(path: string, section: Path): string {
  const prefix = `${dotted(section)}.`;
  return section.length > 0 && path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

// Items of a list that are valid as a whole or not at all.

/** A suppression that lost one of its conditions would hold back more findings than it should. */
const WHOLE: ReadonlySet<string> = new Set(["review.suppress"]);

/** The path of the atomic item that a path leads to or into; else null. */
function wholeItem(path: Path): Path | null {
  const at = path.findIndex((part) => typeof part === "number");
  return at >= 0 && WHOLE.has(path.slice(0, at).join(".")) ? path.slice(0, at + 1) : null;
}
