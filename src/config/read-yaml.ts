// Reads untrusted YAML into values with their places, or gives one reason why the file is refused.
// Only plain values pass: no tags, merge keys or keys of Object.prototype; bounded size and depth.

import {
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  type Pair,
  type ParsedNode,
  parseDocument,
  type YAMLMap,
} from "yaml";
import { type Entry, type FileReading, type Located, NOTHING } from "./located.ts";
import { type Path, type Place, shown, type Trouble, trouble } from "./problems.ts";

export const CONFIG_FILE = ".kodiai.yml";
/**
 * Requested size in bytes: above the limit below, so that a larger file is reported instead of
 * looking absent. GitHub's contents API ends here.
 */
export const MAX_ASKED_BYTES = 1024 * 1024;
/** Largest file in bytes of UTF-8. */
export const MAX_CONFIG_BYTES = 256 * 1024;
/** Lexer tokens: "key: value" is 5. 256 KiB of brackets would take seconds; this many, tenths. */
const MAX_TOKENS = 20_000;
/** Values after aliases are resolved, which stops an alias bomb. */
const MAX_VALUES = 20_000;
const MAX_ALIASES = 100;
/** Deeper than any ast-grep rule that a person would write. */
const MAX_DEPTH = 32;
/** The parser reports the place of fewer; each further level or error costs it a stack trace. */
const MAX_OPEN_BRACKETS = 100;

const PLAIN_TAGS: ReadonlySet<string> = new Set(
  ["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
);

interface Conversion {
  readonly lines: LineCounter;
  readonly troubles: Trouble[];
  readonly anchors: Map<string, ParsedNode>;
  aliases: number;
  values: number;
  /** Set once: the whole file is refused, and the traversal ends. */
  refusal: Trouble | null;
}

/** Reads one YAML document. Never throws. */
export function readYaml(text: string): FileReading {
  const tooLarge = sizeProblem(text);
  if (tooLarge !== null) return refused(trouble([], null, tooLarge));
  const lines = new LineCounter();
  const document = parse(text, lines);
  if (document === null) return refused(trouble([], null, "the file cannot be read as YAML"));
  const [first] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) {
    return refused(trouble([], placeAt(lines, first.pos[0]), yamlErrorText(first.code, first.message)));
  }
  const conversion: Conversion = { lines, troubles: [], anchors: new Map(), aliases: 0, values: 0, refusal: null };
  const root = convert(document.contents, [], conversion, 0);
  if (conversion.refusal !== null) return refused(conversion.refusal);
  const { troubles } = conversion;
  const { warnings, directives } = document;
  // `%YAML` is harmless; `%TAG` and unknown `%` lines are ignored.
  if (warnings.some(({ code }) => code === "BAD_DIRECTIVE") || Object.keys(directives.tags).length > 1) {
    const place = placeAt(lines, Math.max(0, text.search(/^%(?!YAML)/m)));
    troubles.unshift(trouble([], place, "lines that begin with `%` are not read; remove them", "notice"));
  }
  if (root?.kind === "mapping") return { root, troubles };
  const isEmpty = root === null || (root.kind === "scalar" && root.value === null);
  const wrong = isEmpty ? [] : [trouble([], root.place, "the file must be a mapping: lines of `key: value`")];
  return { root: NOTHING, troubles: [...troubles, ...wrong] };
}

function refused(why: Trouble): FileReading {
  return { root: NOTHING, troubles: [why] };
}

function sizeProblem(text: string): string | null {
  // A UTF-16 unit is at least one byte of UTF-8, so the cheap check comes first.
  if (text.length > MAX_CONFIG_BYTES || Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    return `the file is larger than ${MAX_CONFIG_BYTES / 1024} KiB and was not read; shorten it`;
  }
  let tokens = 0;
  let depth = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens += 1;
    if (lexeme === "[" || lexeme === "{") depth += 1;
    if (lexeme === "]" || lexeme === "}") depth -= 1;
    if (tokens > MAX_TOKENS || Math.abs(depth) > MAX_OPEN_BRACKETS)
      return "the file holds too many values and was not read; shorten it";
  }
  return null;
}

function parse(text: string, lineCounter: LineCounter) {
  try {
    // Duplicate keys are detected below: the parser's own check is quadratic.
    return parseDocument(text, {
      lineCounter,
      schema: "core",
      uniqueKeys: false,
      prettyErrors: false,
      resolveKnownTags: false,
      // Not "silent": that would also suppress the error about a second document.
      logLevel: "error",
    });
  } catch {
    // The parser is recursive and may run out of stack; any error means the same to the caller.
    return null;
  }
}

/** @returns null for a value that is left out, with the reason in `conversion` */
function convert(node: ParsedNode | null, path: Path, conversion: Conversion, depth: number): Located | null {
  const place = placeAt(conversion.lines, node?.range[0] ?? 0);
  conversion.values += 1;
  if (isAlias(node)) conversion.aliases += 1;
  const excess = excessText(conversion, depth);
  if (excess !== null) conversion.refusal ??= trouble([], place, excess);
  if (conversion.refusal !== null) return null;
  if (node === null) return { kind: "scalar", value: null, place };
  const leaveOut = (why: string) => {
    conversion.troubles.push(trouble(path, place, why));
    return null;
  };
  if (isAlias(node)) {
    const target = conversion.anchors.get(node.source);
    if (target !== undefined) return convert(target, path, conversion, depth + 1);
    return leaveOut(
      `\`*\` begins an alias, and nothing above is called \`${shown(node.source)}\`; put globs in quotes`,
    );
  }
  if (node.anchor !== undefined) conversion.anchors.set(node.anchor, node);
  if (node.tag !== undefined && node.tag !== "!" && !PLAIN_TAGS.has(node.tag)) return leaveOut(tagText(node.tag));
  if (isMap(node)) return { kind: "mapping", entries: entriesOf(node, path, conversion, depth), place };
  if (isScalar(node)) return { kind: "scalar", value: plainScalar(node.value), place };
  const items = (node.items as (ParsedNode | null)[]).flatMap(
    (item, index) => convert(item, [...path, index], conversion, depth + 1) ?? [],
  );
  return { kind: "list", items, place };
}

function excessText({ values, aliases }: Conversion, depth: number): string | null {
  if (depth > MAX_DEPTH) return `the file is nested deeper than ${MAX_DEPTH} levels and was not read`;
  if (values > MAX_VALUES) return "the file holds too many values and was not read; shorten it";
  if (aliases <= MAX_ALIASES) return null;
  return `the file uses more than ${MAX_ALIASES} aliases and was not read; write the values out`;
}

function tagText(tag: string): string {
  const word = shown(tag.replace("tag:yaml.org,2002:", "!!"));
  return `\`${word}\` is read as a YAML tag; put text that begins with \`!\` in quotes, and write plain values without tags`;
}

function entriesOf(node: YAMLMap, path: Path, conversion: Conversion, depth: number): readonly Entry[] {
  const entries = new Map<string, Entry>();
  for (const pair of node.items as Pair<ParsedNode, ParsedNode | null>[]) {
    const keyPlace = placeAt(conversion.lines, pair.key?.range[0] ?? node.range?.[0] ?? 0);
    const key = keyText(pair.key);
    const wrong = key === null ? "a key must be a plain word" : keyProblem(key, entries.get(key));
    const at = key === null ? path : [...path, key];
    if (wrong !== null) conversion.troubles.push(trouble(at, keyPlace, wrong));
    const value = wrong === null ? convert(pair.value, at, conversion, depth + 1) : null;
    if (key !== null && value !== null) entries.set(key, { key, keyPlace, value });
  }
  return [...entries.values()];
}

function keyText(node: ParsedNode | null): string | null {
  if (node === null) return "";
  return isScalar(node) ? String(plainScalar(node.value) ?? "") : null;
}

function keyProblem(key: string, before: Entry | undefined): string | null {
  if (key === "") return "a key is empty; write a word before the `:`";
  if (key === "<<") return "merge keys (`<<`) are not read; write the keys out";
  if (key in Object.prototype || key === "prototype") return `\`${shown(key)}\` cannot be a key; remove it`;
  if (before === undefined) return null;
  return `\`${shown(key)}\` is already set on line ${before.keyPlace.line}, which counts; remove one of the two`;
}

/** The core schema produces only these four kinds; anything else is treated as text. */
function plainScalar(value: unknown): string | number | boolean | null {
  return value === null || typeof value === "number" || typeof value === "boolean" ? value : String(value);
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  // Without a line break in the file the counter is empty and answers 0.
  return { line: Math.max(1, line), column: line === 0 ? offset + 1 : col };
}

const TEXTS: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: "the indentation does not fit; keys of one level begin in the same column",
  TAB_AS_INDENT: "tab used for indentation; indent with spaces",
  MULTILINE_IMPLICIT_KEY: "a key goes over several lines; is a `:` or a closing quote missing?",
  BLOCK_AS_IMPLICIT_KEY: "two `key: value` are on one line; put text that holds `: ` in quotes",
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

/** @param original the parser's message, quoted in part if we have none for the code */
function yamlErrorText(code: ErrorCode, original: string): string {
  const text = original.startsWith("Flow ") ? OPEN_BRACKET : (TEXTS[code] ?? shown(original.split("\n", 1)[0] ?? ""));
  return `not valid YAML, so the whole file is ignored: ${text}`;
}
