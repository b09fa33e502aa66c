// Untrusted YAML text in; values with their places out, or one friendly reason why the file is not read at all.
// Only plain values get through: no tags, no merge keys, no keys of Object.prototype, bounded size, depth and aliases.

import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  type ParsedNode,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { type Entry, type Located, type Path, type Place, shown, type Trouble, trouble } from "./located.ts";

/** Largest file in bytes of UTF-8. */
export const MAX_CONFIG_BYTES = 256 * 1024;
/** Lexer tokens: "key: value" is 5. 256 KiB of brackets would keep the parser busy for seconds; this many, for tenths. */
const MAX_TOKENS = 20_000;
/** Values after aliases are followed: an alias bomb stops here. */
const MAX_VALUES = 20_000;
const MAX_ALIASES = 100;
/** Deeper than any ast-grep rule that a person would write. */
const MAX_DEPTH = 32;
/** Less than this goes to the parser, which says where; each level and each error more costs it a stack trace. */
const MAX_OPEN_BRACKETS = 100;

const PLAIN_TAGS: ReadonlySet<string> = new Set(
  ["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
);

interface Walk {
  readonly lines: LineCounter;
  readonly troubles: Trouble[];
  readonly anchors: Map<string, ParsedNode>;
  aliases: number;
  values: number;
  /** Set once: the whole file is refused, and the walk returns by the shortest way. */
  refusal: Trouble | null;
}

/**
 * Reads one YAML document.
 *
 * @returns the root mapping, null when the file is empty or refused as a whole; and what was wrong. Never throws.
 */
export function readYaml(text: string): { readonly root: Located | null; readonly troubles: readonly Trouble[] } {
  const tooLarge = sizeTrouble(text);
  if (tooLarge !== null) return { root: null, troubles: [tooLarge] };
  const lines = new LineCounter();
  const document = parse(text, lines);
  if (document === null) return { root: null, troubles: [trouble([], null, "the file cannot be read as YAML")] };
  const first = document.errors.reduce<(typeof document.errors)[number] | null>(
    (least, error) => (least === null || error.pos[0] < least.pos[0] ? error : least),
    null,
  );
  if (first !== null) {
    const message = yamlErrorText(first.code, first.message);
    return { root: null, troubles: [trouble([], placeAt(lines, first.pos[0]), message)] };
  }
  const read = fromRoot(document.contents, lines);
  return { root: read.root, troubles: [...directiveTroubles(document, text, lines), ...read.troubles] };
}

function fromRoot(contents: ParsedNode | null, lines: LineCounter): ReturnType<typeof readYaml> {
  if (contents === null || (isScalar(contents) && contents.value === null)) return { root: null, troubles: [] };
  const walk: Walk = { lines, troubles: [], anchors: new Map(), aliases: 0, values: 0, refusal: null };
  const root = convert(contents, [], walk);
  if (walk.refusal !== null) return { root: null, troubles: [walk.refusal] };
  if (root !== null && root.kind !== "mapping") {
    return { root: null, troubles: [trouble([], root.place, "the file must be a mapping: lines of `key: value`")] };
  }
  return { root, troubles: walk.troubles };
}

/** `%TAG` and unknown `%` lines mean nothing to us; `%YAML` is harmless. */
function directiveTroubles(document: Document.Parsed, text: string, lines: LineCounter): readonly Trouble[] {
  const { warnings, directives } = document;
  const isStrange = warnings.some(({ code }) => code === "BAD_DIRECTIVE") || Object.keys(directives.tags).length > 1;
  if (!isStrange) return [];
  const place = placeAt(lines, Math.max(0, text.search(/^%(?!YAML)/m)));
  return [trouble([], place, "lines that begin with `%` are not read; remove them", "notice")];
}

function sizeTrouble(text: string): Trouble | null {
  // A UTF-16 unit is at least one byte of UTF-8, so the cheap test comes first.
  if (text.length > MAX_CONFIG_BYTES || new TextEncoder().encode(text).length > MAX_CONFIG_BYTES) {
    return trouble([], null, `the file is larger than ${MAX_CONFIG_BYTES / 1024} KiB and was not read; shorten it`);
  }
  return isWithinReach(text) ? null : trouble([], null, "the file holds too many values and was not read; shorten it");
}

/** False for text that would keep the parser busy: too many tokens, or far more brackets opened than closed. */
function isWithinReach(text: string): boolean {
  let tokens = 0;
  let depth = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens += 1;
    if (lexeme === "[" || lexeme === "{") depth += 1;
    if (lexeme === "]" || lexeme === "}") depth -= 1;
    if (tokens > MAX_TOKENS || Math.abs(depth) > MAX_OPEN_BRACKETS) return false;
  }
  return true;
}

function parse(text: string, lineCounter: LineCounter) {
  try {
    // Duplicate keys are found below: the parser's own search is quadratic.
    return parseDocument(text, {
      lineCounter,
      schema: "core",
      uniqueKeys: false,
      prettyErrors: false,
      resolveKnownTags: false,
      // Not "silent": that would also keep quiet about a second document.
      logLevel: "error",
    });
  } catch {
    // The parser is recursive and may run out of stack on hostile nesting; whatever it throws means the same to us.
    return null;
  }
}

function convert(node: ParsedNode | null, path: Path, walk: Walk, depth = 0): Located | null {
  if (walk.refusal !== null) return null;
  walk.values += 1;
  const place = placeAt(walk.lines, node?.range[0] ?? 0);
  walk.refusal = limitTrouble(walk, depth, place);
  if (walk.refusal !== null) return null;
  if (node === null) return { kind: "scalar", value: null, place };
  if (isAlias(node)) return follow(node.source, path, place, walk, depth);
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  if (node.tag !== undefined && node.tag !== "!" && !PLAIN_TAGS.has(node.tag)) {
    walk.troubles.push(trouble(path, place, tagText(node.tag)));
    return null;
  }
  if (isMap(node)) return mapping(node, path, place, walk, depth);
  if (isSeq(node)) return list(node, path, place, walk, depth);
  return isScalar(node) ? { kind: "scalar", value: plainScalar(node.value), place } : null;
}

function limitTrouble(walk: Walk, depth: number, place: Place): Trouble | null {
  if (depth > MAX_DEPTH)
    return trouble([], place, `the file is nested deeper than ${MAX_DEPTH} levels and was not read`);
  if (walk.values > MAX_VALUES)
    return trouble([], place, "the file holds too many values and was not read; shorten it");
  return null;
}

function follow(name: string, path: Path, place: Place, walk: Walk, depth: number): Located | null {
  walk.aliases += 1;
  if (walk.aliases > MAX_ALIASES) {
    walk.refusal = trouble(
      [],
      place,
      `the file uses more than ${MAX_ALIASES} aliases and was not read; write the values out`,
    );
    return null;
  }
  const target = walk.anchors.get(name);
  if (target !== undefined) return convert(target, path, walk, depth + 1);
  walk.troubles.push(
    trouble(path, place, `\`*\` begins an alias, and nothing above is called \`${shown(name)}\`; put globs in quotes`),
  );
  return null;
}

function tagText(tag: string): string {
  const word = shown(tag.replace("tag:yaml.org,2002:", "!!"));
  return `\`${word}\` is read as a YAML tag; put text that begins with \`!\` in quotes, and write plain values without tags`;
}

function list(node: YAMLSeq, path: Path, place: Place, walk: Walk, depth: number): Located {
  const items = node.items.flatMap((item, index) => {
    const value = convert(item as ParsedNode | null, [...path, index], walk, depth + 1);
    return value === null ? [] : [value];
  });
  return { kind: "list", items, place };
}

function mapping(node: YAMLMap, path: Path, place: Place, walk: Walk, depth: number): Located {
  const entries = new Map<string, Entry>();
  for (const pair of node.items as Pair<ParsedNode, ParsedNode | null>[]) {
    const keyPlace = placeAt(walk.lines, pair.key?.range[0] ?? node.range?.[0] ?? 0);
    const key = usableKey(pair.key, keyPlace, entries, path, walk);
    const value = key === null ? null : convert(pair.value, [...path, key], walk, depth + 1);
    if (key !== null && value !== null) entries.set(key, { key, keyPlace, value });
  }
  return { kind: "mapping", entries: [...entries.values()], place };
}

function usableKey(
  node: ParsedNode | null,
  place: Place,
  before: ReadonlyMap<string, Entry>,
  path: Path,
  walk: Walk,
): string | null {
  const key = keyText(node);
  const wrong = key === null ? "a key must be a plain word" : keyTrouble(key, before);
  if (wrong === null) return key;
  walk.troubles.push(trouble(key === null ? path : [...path, key], place, wrong));
  return null;
}

function keyText(node: ParsedNode | null): string | null {
  if (node === null) return "";
  return isScalar(node) ? String(plainScalar(node.value) ?? "") : null;
}

function keyTrouble(key: string, before: ReadonlyMap<string, Entry>): string | null {
  if (key === "") return "a key is empty; write a word before the `:`";
  if (key === "<<") return "merge keys (`<<`) are not read; write the keys out";
  if (key in Object.prototype || key === "prototype") return `\`${shown(key)}\` cannot be a key; remove it`;
  const first = before.get(key);
  if (first === undefined) return null;
  return `\`${shown(key)}\` is already set on line ${first.keyPlace.line}, which counts; remove one of the two`;
}

/** The core schema makes only these four kinds; anything else is treated as text. */
function plainScalar(value: unknown): string | number | boolean | null {
  return value === null || typeof value === "number" || typeof value === "boolean" ? value : String(value);
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  // A file without a line break leaves the counter empty, and it then answers 0.
  return { line: Math.max(1, line), column: line === 0 ? offset + 1 : col };
}

// A YAML parser's complaint in words that tell a person what to do.

const TEXTS: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: "the indentation does not fit; keys of one level begin in the same column",
  TAB_AS_INDENT: "tab used for indentation; indent with spaces",
  MULTILINE_IMPLICIT_KEY: "a key goes over several lines; is a `:` or a closing quote missing?",
  BLOCK_AS_IMPLICIT_KEY: "two `key: value` stand on one line; put text that holds `: ` in quotes",
  MISSING_CHAR: "a character is missing; is a quote, a bracket or the space after `:` or `-` left out?",
  UNEXPECTED_TOKEN: "unexpected token; put text with special characters in quotes",
  BAD_SCALAR_START: "text cannot begin with this character; put it in quotes",
  BAD_DQ_ESCAPE: "an escape in double quotes is not known; use single quotes for text with backslashes",
  BAD_ALIAS: "`*` begins an alias; put globs such as `*.md` in quotes",
  MULTIPLE_DOCS: "it holds more than one document; remove everything from the second `---` on",
  RESOURCE_EXHAUSTION: "it is nested too deeply",
  KEY_OVER_1024_CHARS: "a key is longer than 1,024 characters",
};

const OPEN_BRACKET = "a `[` or `{` is not closed, or what follows it is not indented";

/**
 * @param code the `yaml` library's error code
 * @param original its own words, quoted in part when we have none of ours
 */
function yamlErrorText(code: ErrorCode, original: string): string {
  const text = original.startsWith("Flow ") ? OPEN_BRACKET : (TEXTS[code] ?? shown(original.split("\n", 1)[0] ?? ""));
  return `not valid YAML, so the whole file is left aside: ${text}`;
}
