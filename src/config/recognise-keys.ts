// The file's keys against ours: known ones stay, snake_case becomes camelCase, unknown ones are named with a hint and left out.
import { type Shape, shapeAt } from "./config-keys.ts";
import { keyHint, sameValue } from "./known-words.ts";
import { dotted, type Entry, type Located, type Path, shown, type Trouble, trouble } from "./located.ts";
import { wholeItem } from "./whole-item.ts";

type Section = Extract<Shape, { kind: "section" }>;

/**
 * The same tree with only our keys in our spelling, and without keys that have no value (`review:` with nothing under it
 * says nothing). Values are not judged here, but for words of other tools that mean the same as ours.
 */
export function recogniseKeys(
  root: Located,
  shape: Shape,
): { readonly root: Located; readonly troubles: readonly Trouble[] } {
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
    // What counts as a whole keeps what is wrong with it, so that the schema refuses it as a whole.
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

/** Says what an unknown key may mean; if it means a section of ours, its keys are looked through as well. */
function nameUnknown(entry: Entry, shape: Section, path: Path, troubles: Trouble[], seenAs: Path = path): void {
  const siblings = [...shape.keys.keys()];
  const hint = keyHint(entry.key, siblings, dotted(seenAs));
  const word = `\`${shown(entry.key)}\``;
  const at = [...path, entry.key];
  const say = (message: string) => troubles.push(trouble(at, entry.keyPlace, message));
  if (hint.kind === "unsupported") {
    say(`${word} is not supported yet; remove it`);
  } else if (hint.kind === "none") {
    say(`unknown key ${word}; known here: ${siblings.map((key) => `\`${key}\``).join(", ")}`);
  } else if (hint.path === entry.key) {
    say(`unknown key ${word}; write it nested: \`${hint.path.split(".").join(":` and, indented under it, `")}:\``);
  } else {
    say(`unknown key ${word}; did you mean \`${shortPath(hint.path, path)}\`?${sectionAdvice(hint.path, entry)}`);
    lookInside(entry, hint.path, at, troubles);
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

/** A neighbour is named alone, a key of elsewhere by its whole path. */
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
