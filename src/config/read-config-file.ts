// One .kodiai.yml: from text to its valid values, and every problem in it by line and column.
import type { z } from "zod";
import { CONFIG_KEYS, CONFIG_SCHEMA, type JsonSchema, VALUE_KEYS } from "./config-keys.ts";
import { didYouMean, plainWord } from "./did-you-mean.ts";
import { bare, type Entry, type FileReading, type Located, locate, type Mapping, NOTHING, without } from "./located.ts";
import { dotted, type Path, shown, type Trouble, trouble } from "./problems.ts";
import { readYaml } from "./read-yaml.ts";
import { ConfigFile } from "./repo-config.ts";

/** Reads known keys with valid values. Never throws; a wrong value is left out and reported. */
export function readConfigFile(text: string): FileReading {
  const yaml = readYaml(text);
  const troubles = [...yaml.troubles];
  const recognised = recogniseSection(yaml.root, CONFIG_SCHEMA, [], troubles);
  return { root: dropWrongValues(recognised, troubles), troubles };
}

/** The bare name in `_extends`; null for any other value (`parseConfig` reports it). */
export function extendsOf(text: string): string | null {
  const value = locate(readConfigFile(text).root, ["_extends"]);
  return value?.kind === "scalar" && typeof value.value === "string" ? value.value : null;
}

/** Most files need one round; a bad item inside a bad item needs one more. */
const MAX_ROUNDS = 8;

/**
 * A tree that the schema accepts, field by field: a wrong value is removed and its siblings stay; a
 * wrong item leaves its list; an item without something required is removed as a whole; a list that
 * is too long loses its end.
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

/**
 * The same values under our keys in our spelling, without keys that have no value. Unknown keys are
 * reported with a hint. Only words of other tools that mean the same as ours are translated.
 */
function recognise(node: Located, schema: JsonSchema, path: Path, troubles: Trouble[]): Located {
  const { properties, items } = schema;
  if (items !== undefined && node.kind === "list") {
    return { ...node, items: node.items.map((item, index) => recognise(item, items, [...path, index], troubles)) };
  }
  if (properties !== undefined && node.kind === "mapping") return recogniseSection(node, schema, path, troubles);
  if (properties !== undefined || items !== undefined || node.kind !== "scalar") return node;
  const theirs = String(node.value).toLowerCase();
  const ours = SAME_VALUES.get(`${path.join(".")}: ${theirs}`);
  if (ours === undefined) return node;
  troubles.push(trouble(path, node.place, `\`${theirs}\` is read as \`${ours}\``, "notice"));
  return { ...node, value: ours };
}

function recogniseSection(node: Mapping, schema: JsonSchema, path: Path, troubles: Trouble[]): Mapping {
  const present = new Set(node.entries.map((entry) => entry.key));
  const entries = node.entries.flatMap((entry) => {
    const key = ourSpelling(entry, schema, present, path, troubles);
    const inner = key === null ? undefined : schema.properties?.[key];
    const isNothing = entry.value.kind === "scalar" && entry.value.value === null;
    // An atomic item keeps its wrong keys, so that the schema refuses the whole item.
    if (key === null || inner === undefined || isNothing) return wholeItem(path) === null ? [] : [entry];
    present.add(key);
    return [{ ...entry, key, value: recognise(entry.value, inner, [...path, key], troubles) }];
  });
  return { ...node, entries };
}

/** The key that an entry means; null, with the reason, if it is none of ours or set twice. */
function ourSpelling(
  entry: Entry,
  schema: JsonSchema,
  present: ReadonlySet<string>,
  path: Path,
  troubles: Trouble[],
): string | null {
  const siblings = Object.keys(schema.properties ?? {});
  if (siblings.includes(entry.key)) return entry.key;
  const camel = camelCase(entry.key, siblings);
  const say = (message: string, severity?: "notice") =>
    troubles.push(trouble([...path, entry.key], entry.keyPlace, message, severity));
  if (camel === undefined) {
    nameUnknown(entry, siblings, path, troubles);
    return null;
  }
  if (present.has(camel)) {
    say(`\`${camel}\` is set as well and counts; remove \`${entry.key}\``);
    return null;
  }
  say(`read as \`${camel}\`; our keys are camelCase`, "notice");
  return camel;
}

/** `max_comments` → `maxComments`; undefined where the section has no such key. */
function camelCase(key: string, siblings: readonly string[]): string | undefined {
  return key.includes("_") ? siblings.find((ours) => plainWord(ours) === plainWord(key)) : undefined;
}

/** Reports what an unknown key may mean. What is below it is left out with it. */
function nameUnknown({ key, keyPlace }: Entry, siblings: readonly string[], path: Path, troubles: Trouble[]): void {
  const hint = keyHint(key, siblings, dotted(path));
  const meant =
    hint === key
      ? `write it nested: \`${hint.split(".").join(":` and, indented under it, `")}:\``
      : `did you mean \`${shortPath(hint ?? "", path)}\`?`;
  const advice = hint === null ? `known here: ${siblings.map((sibling) => `\`${sibling}\``).join(", ")}` : meant;
  troubles.push(trouble([...path, key], keyPlace, `unknown key \`${shown(key)}\`; ${advice}`));
}

/** A sibling by its name alone, a key of another section by its whole path. */
function shortPath(path: string, section: Path): string {
  const prefix = `${dotted(section)}.`;
  return section.length > 0 && path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/**
 * The path of the atomic item that a path leads to or into; else null. A suppression that lost a
 * condition would hold back more findings than it should.
 */
function wholeItem(path: Path): Path | null {
  const isItem = path[0] === "review" && path[1] === "suppress" && typeof path[2] === "number";
  return isItem ? path.slice(0, 3) : null;
}

type Issue = z.core.$ZodIssue;

const TYPE_TEXTS: ReadonlyMap<string, string> = new Map([
  ["string", "must be text; put numbers and words such as `true` in quotes"],
  ["array", "must be a list: one value a line, each after `- `"],
  ["object", "must be a mapping: lines of `key: value`, indented"],
  ["record", "must be a mapping: lines of `key: value`, indented"],
  ["int", "must be a whole number"],
]);

/** A schema's objection with the fix. @param found the value at the issue's path */
function issueText(issue: Issue, found: Located): string {
  if (issue.code === "invalid_type") return typeText(issue, found);
  if (issue.code === "unrecognized_keys") return "holds a key that is not known";
  if (issue.code === "too_big") return limitText(issue.origin, "at most", Number(issue.maximum));
  if (issue.code === "too_small") return limitText(issue.origin, "at least", Number(issue.minimum));
  const words = choices(issue);
  if (issue.code === "invalid_union" && issue.errors.flat().some((inner) => choices(inner).length === 0)) {
    return `must be ${typeAt(issue)}`;
  }
  return words.length === 0 ? issue.message : choiceText(words, found);
}

function typeText(issue: z.core.$ZodIssueInvalidType, found: Located): string {
  if (issue.expected === "boolean") return choiceText(["true", "false"], found);
  if (issue.expected !== "number") return TYPE_TEXTS.get(issue.expected) ?? `must be of type ${issue.expected}`;
  // The schema says "number" for whole numbers as well if the value is not a number.
  return typeAt(issue).startsWith("whole") ? "must be a whole number" : "must be a number";
}

/** The type of the key at the issue's path, "" for a path without a key, such as a list's item. */
function typeAt({ path }: Issue): string {
  const dotted = path.map(String).join(".");
  return CONFIG_KEYS.find((key) => key.path === dotted)?.type ?? "";
}

function choiceText(words: readonly string[], found: Located): string {
  const hint =
    found.kind === "scalar" && words.length > 1 ? didYouMean(String(found.value).slice(0, 100), words) : null;
  const listed = OR.format(words.map((word) => `\`${word}\``));
  return `must be ${listed}${hint === null ? "" : `; did you mean \`${hint}\`?`}`;
}

/** British English has no comma before "or". */
const OR = new Intl.ListFormat("en-GB", { type: "disjunction" });

function limitText(origin: string, bound: string, limit: number): string {
  if (origin !== "string") return `must be ${bound} ${limit}`;
  return limit === 1 ? "must not be empty" : `must have ${bound} ${limit.toLocaleString("en")} characters`;
}

function choices(issue: Issue): readonly string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(choices) : [];
}

/** Values of other tools that mean the same as one of ours; accepted with a notice. */
const SAME_VALUES: ReadonlyMap<string, string> = new Map([
  ["review.profile: chill", "quiet"],
  ["review.profile: assertive", "thorough"],
]);

/** Without the keys of list items: they are not meant outside of their list. */
const PATHS = ["_extends", ...VALUE_KEYS.map(({ path }) => path)];
const BY_PLAIN_PATH = new Map(PATHS.map((path) => [plainWord(path), path]));
/** If several keys have one name (`enabled`), the first wins: the best-known keys come first. */
const BY_LAST_WORD = new Map(PATHS.toReversed().map((path) => [plainWord(path.split(".").at(-1) ?? ""), path]));

/**
 * Which of our keys an unknown one most likely means, as a dotted path: a sibling, ours in the
 * wrong section, a typo. Null when none is near.
 *
 * @param siblings the known keys of the same section
 * @param section dotted path of the key's section, "" for the root
 */
export function keyHint(key: string, siblings: readonly string[], section: string): string | null {
  const word = plainWord(key);
  const inSection = (name: string) => (section === "" ? name : `${section}.${name}`);
  const sibling = siblings.find((name) => plainWord(name) === word);
  if (sibling !== undefined) return inSection(sibling);
  const exact = BY_PLAIN_PATH.get(word) ?? BY_LAST_WORD.get(word);
  if (exact !== undefined) return exact;
  const typo = didYouMean(key, siblings);
  if (typo !== null) return inSection(typo);
  const far = didYouMean(key, [...Object.keys(CONFIG_SCHEMA.properties ?? {}), ...BY_LAST_WORD.keys()]);
  return far === null ? null : (BY_LAST_WORD.get(far) ?? far);
}
