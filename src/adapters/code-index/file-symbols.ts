// What one file defines, and which of its lines use a name: by its grammar, or by words.
import { codeOnly } from "../../domain/code/code-only.ts";
import type { Definition, Reference } from "../../domain/code/symbols.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { parseText, unfit } from "../grammars.ts";
import { definitions } from "./definitions.ts";

/** Definitions of one file that are looked at. */
const MOST = 3_000;
const SIGNATURE_CHARS = 200;

/** Endings of the languages that have a grammar. */
const ENDINGS: Readonly<Record<string, string>> = {
  javascript: "js cjs mjs jsx",
  typescript: "ts cts mts",
  tsx: "tsx",
  python: "py pyi",
  go: "go",
  java: "java",
  ruby: "rb",
  rust: "rs",
  php: "php",
};
const GRAMMAR_BY_ENDING: ReadonlyMap<string, string> = new Map(
  Object.entries(ENDINGS).flatMap(([grammar, endings]) => endings.split(" ").map((ending) => [ending, grammar])),
);

/** Node kinds that name a constant, a type or a field; what they hold is no function. */
const NAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  javascript: { variable_declarator: "constant", field_definition: "field" },
  typescript: {
    type_alias_declaration: "type",
    variable_declarator: "constant",
    public_field_definition: "field",
    property_signature: "field",
    method_signature: "method",
    function_signature: "function",
    abstract_method_signature: "method",
  },
  python: { assignment: "constant" },
  go: {
    type_spec: "type",
    type_alias: "type",
    const_spec: "constant",
    var_spec: "constant",
    field_declaration: "field",
    method_elem: "method",
  },
  java: { field_declaration: "field", enum_constant: "constant" },
  ruby: { assignment: "constant" },
  rust: {
    const_item: "constant",
    static_item: "constant",
    type_item: "type",
    field_declaration: "field",
    enum_variant: "constant",
    function_signature_item: "method",
  },
  php: { const_element: "constant", property_element: "field" },
};

/** Where a variable stands when others can name it. */
const OUTSIDE = new Set(["program", "source_file", "module", "export_statement", "class_body", "block"]);

/**
 * The functions, classes and sections of a file, in its order.
 *
 * @param names further, constants, types and fields of these names
 */
export function fileDefinitions(path: string, text: string, names: ReadonlySet<string> = new Set()): Definition[] {
  const language = languageOf(path);
  if (language === undefined || unfit(text) !== null) return definitionsByWords(path, text, names);
  const root = parseText(language, text);
  const made = maker(path, text.split("\n"));
  const found = definitions(language, root, MOST).map(({ name, chunkType, start, last, nameRow }) =>
    // `Cart.Total` is the method `Total`.
    made(name.split(".").at(-1) ?? name, chunkType, start, last, nameRow),
  );
  const kinds = NAMED[language === "tsx" ? "typescript" : language];
  if (names.size === 0 || kinds === undefined) return found;
  const known = new Set(found.map(({ name, startLine }) => `${startLine} ${name}`));
  const any = Object.keys(kinds).map((kind) => ({ kind }));
  for (const node of root.findAll({ rule: { any } }).slice(0, MOST)) {
    const named = node.field("name") ?? node.field("declarator")?.field("name") ?? node.field("left") ?? node.child(0);
    const name = (named?.text() ?? "").replace(/^\$/, "");
    const kind = kinds[String(node.kind())] ?? "constant";
    if (!names.has(name)) continue;
    const isVariable = node.kind() === "variable_declarator" || node.kind() === "assignment";
    if (isVariable && !OUTSIDE.has(String(node.parent()?.parent()?.kind()))) continue;
    const { start, end } = node.range();
    if (!known.has(`${start.line + 1} ${name}`)) found.push(made(name, kind, start.line, end.line));
  }
  return found;
}

/** Lines that use one of the names, in the order of the file, at most so many of each. */
export function fileReferences(
  path: string,
  text: string,
  names: ReadonlySet<string>,
  most: number,
): Map<string, Reference[]> {
  const found = new Map<string, Reference[]>();
  const lines = text.split("\n");
  for (const [at, line] of codeOnly(path, text).split("\n").entries()) {
    for (const word of new Set(line.match(WORD))) {
      if (!names.has(word)) continue;
      const list = found.get(word) ?? [];
      found.set(word, list);
      if (list.length < most) list.push({ path, line: at + 1, text: shownLine(lines[at] ?? "") });
    }
  }
  return found;
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** The language key of a file's grammar; undefined where it has none. */
export function languageOf(path: string): string | undefined {
  return GRAMMAR_BY_ENDING.get(/\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? "");
}

function shownLine(line: string): string {
  return cutText(line.trim(), SIGNATURE_CHARS);
}

// By words: what begins a block or names a constant, with braces; sections of settings.

const SECTIONS = /\.(?:toml|ini|cfg|conf|editorconfig)$/i;
const CONTROL = new Set(
  "if for while switch catch return else do foreach using lock fixed synchronized try when sizeof".split(" "),
);
const HEAD = /(?:^|[\s*&>:~])([A-Za-z_$][\w$]*)\s*(?:<[^<>]*>\s*)?\(/;
const TYPE =
  /\b(?:class|struct|enum|interface|record|union|trait|protocol|object|namespace|extension)\s+(?:class\s+)?([A-Za-z_$][\w$]*)/;
/** A block whose head is longer is none that people write. */
const HEAD_LINES = 12;

function definitionsByWords(path: string, text: string, names: ReadonlySet<string>): Definition[] {
  const lines = text.split("\n");
  const made = maker(path, lines);
  if (SECTIONS.test(path)) return sections(lines, made);
  const code = codeOnly(path, text).split("\n");
  const blocks = blocksOf(code);
  const found: Definition[] = [];
  let functionEnd = 0;
  for (const at of code.keys()) {
    const one = macro(code, at, names, made) ?? headed(code, blocks, at, names, made) ?? field(code, at, names, made);
    const isLocal = one?.kind === "field" && functionEnd > at;
    if (one === null || isLocal) continue;
    found.push(one);
    if (one.kind === "function") functionEnd = Math.max(functionEnd, one.endLine);
  }
  // `} SDL_Context;` names what the block above it is.
  for (const [at, line] of code.entries()) {
    const name = /^\s*\}\s*([A-Za-z_]\w*)\s*;/.exec(line)?.[1];
    const first = name === undefined ? undefined : blocks.firstOf.get(at);
    if (name === undefined || first === undefined) continue;
    const head = code[first]?.includes("typedef") ? first : Math.max(0, first - 1);
    found.push(made(name, "type", head, at));
  }
  return found.sort((a, b) => a.startLine - b.startLine);
}

/** Rows are 0-based, the last inclusive; the signature is the row `at`. */
type Make = (name: string, kind: string, first: number, last: number, at?: number) => Definition;

function maker(path: string, lines: readonly string[]): Make {
  return (name, kind, first, last, at = first) => ({
    name,
    kind,
    path,
    startLine: first + 1,
    endLine: last + 1,
    signature: shownLine(lines[at] ?? ""),
  });
}

function sections(lines: readonly string[], made: Make): Definition[] {
  const heads = lines.flatMap((line, at) => (/^\s*\[.*\]\s*$/.test(line) ? [at] : []));
  return heads.map((at, index) =>
    made((lines[at] ?? "").replace(/[[\]\s]/g, ""), "section", at, (heads[index + 1] ?? lines.length) - 1),
  );
}

function macro(code: readonly string[], at: number, names: ReadonlySet<string>, made: Make): Definition | null {
  const name = /^\s*#\s*define\s+(\w+)/.exec(code[at] ?? "")?.[1];
  if (name === undefined || !names.has(name)) return null;
  let last = at;
  while ((code[last] ?? "").trimEnd().endsWith("\\") && last - at < 40) last++;
  return made(name, "constant", at, last);
}

/** A function or a type with its block, or a function of one expression. */
function headed(
  code: readonly string[],
  blocks: Blocks,
  at: number,
  names: ReadonlySet<string>,
  made: Make,
): Definition | null {
  const line = code[at] ?? "";
  const type = TYPE.exec(line)?.[1];
  const name = type ?? HEAD.exec(line)?.[1];
  if (name === undefined || CONTROL.has(name) || /^\s*(?:#|return\b|new\b|await\b|throw\b|else\b)/.test(line))
    return null;
  const end = blockAfter(code, blocks, at);
  if (end !== null) return made(name, type === undefined ? "function" : "type", at, end);
  const isArrow = names.has(name) && `${line} ${code[at + 1] ?? ""}`.includes("=>");
  return isArrow ? made(name, "function", at, endOfStatement(code, at)) : null;
}

/** A field or a constant: `static const int LIMIT = 3;`. */
function field(code: readonly string[], at: number, names: ReadonlySet<string>, made: Make): Definition | null {
  const line = code[at] ?? "";
  const name = /(?<![\w$])([A-Za-z_$][\w$]*)\s{0,99}(?:\[[^\]]{0,99}\]\s{0,99})?(?:=(?!=)|;|\{\s{0,99}get|=>|:)/.exec(
    line,
  )?.[1];
  if (name === undefined || !names.has(name)) return null;
  const isDeclared = /^\s*[\w.<>[\],?*&@ ]+[\s*&]/.test(line);
  const isLocal = /^\s*(?:return|goto|case|break|throw|await|yield)\b/.test(line);
  return isDeclared && !isLocal ? made(name, "field", at, endOfStatement(code, at)) : null;
}

/** Pairs of braces by row: the outer one counts where it opens, the inner one where it closes. */
interface Blocks {
  /** Row on which one opens → the row on which it closes. */
  readonly lastOf: ReadonlyMap<number, number>;
  readonly firstOf: ReadonlyMap<number, number>;
}

function blocksOf(code: readonly string[]): Blocks {
  const open: number[] = [];
  const [lastOf, firstOf] = [new Map<number, number>(), new Map<number, number>()];
  for (const [row, line] of code.entries()) {
    for (const char of line) {
      if (char === "{") open.push(row);
      else if (char === "}") {
        const first = open.pop();
        if (first === undefined) continue;
        lastOf.set(first, row);
        if (!firstOf.has(row)) firstOf.set(row, first);
      }
    }
  }
  return { lastOf, firstOf };
}

/** The last row of the block that a head on this row opens; null when a `;` comes first. */
function blockAfter(code: readonly string[], blocks: Blocks, at: number): number | null {
  for (let row = at; row < Math.min(code.length, at + HEAD_LINES); row++) {
    const line = code[row] ?? "";
    const brace = line.indexOf("{");
    const stop = line.search(/;|=>/);
    if (brace >= 0 && (stop < 0 || brace < stop)) return blocks.lastOf.get(row) ?? null;
    if (stop >= 0) return null;
  }
  return null;
}

function endOfStatement(code: readonly string[], at: number): number {
  for (let row = at; row < Math.min(code.length, at + HEAD_LINES); row++)
    if (/[;}]\s*$/.test(code[row] ?? "")) return row;
  return at;
}
