// Source code into chunks that have a name: functions, methods, classes. What a chunk stands in is part of its name.
import { cutText } from "../../domain/text/cut-text.ts";
import type { CodeChunk, CodeChunks } from "../../ports/memory.ts";
import { parseText, unfit } from "../grammars.ts";
import { type Definition, definitions } from "./definitions.ts";

/** Canonical ids of what can be cut. */
export const CHUNKED_LANGUAGES = ["typescript", "javascript", "python", "go", "java", "ruby", "rust", "php"];
/** As every stored piece of code. */
const MAX_CHUNK = 4_000;
/** Hand-written files stay far below; generated ones add nothing that is worth remembering. */
const MAX_CHUNKS = 2_000;
/** Lines of comments and attributes above a definition. */
const MAX_ABOVE = 80;

/**
 * Chunks through ast-grep's grammars, in this process. Never throws, but may not end in time: recovering from errors,
 * tree-sitter can take quadratic time and memory (6 kB of opened comments in Python: 12 s and 1.5 GB).
 *
 * @param language canonical id
 */
export function cutCode(path: string, language: string, text: string): CodeChunks {
  const grammar = language === "typescript" && /\.tsx$/i.test(path) ? "tsx" : language;
  const reason = unfit(text);
  if (reason !== null) return { chunks: [], skipped: [reason] };
  const lines = text.split("\n");
  try {
    const { found, beyond } = definitions(grammar, parseText(grammar, text), MAX_CHUNKS);
    const spans = nest(found.map((definition) => spanOf(definition, lines)));
    const chunks = spans.filter(isChunk).map((span) => chunkOf(span, lines));
    const skipped = beyond > 0 ? [`${beyond} definitions beyond the first ${MAX_CHUNKS}`] : [];
    return { chunks, skipped };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { chunks: [], skipped: [`not parsed: ${why}`.slice(0, 200)] };
  }
}

/** A definition with what stands above it and what it stands in. Rows are 0-based, ends inclusive. */
interface Span extends Definition {
  /** With the comments above. */
  readonly first: number;
  readonly isLong: boolean;
  parent: Span | null;
  readonly inner: Span[];
}

function spanOf(definition: Definition, lines: readonly string[]): Span {
  const first = firstRow(lines, definition.start);
  return { ...definition, first, isLong: isLong(lines, first, definition.last), parent: null, inner: [] };
}

/** A line of a comment, an attribute or a decorator, in any of the languages. */
const ABOVE = /^\s*(?:\/\/|\/\*|\*|#|@)/;

function firstRow(lines: readonly string[], start: number): number {
  let first = start;
  while (first > 0 && start - first < MAX_ABOVE) {
    const line = (lines[first - 1] ?? "").slice(0, 500);
    const opened = line.trimEnd().endsWith("*/") ? blockStart(lines, first - 1) : first;
    if (opened < first) first = opened;
    else if (ABOVE.test(line) && !line.startsWith("#!")) first -= 1;
    else break;
  }
  return first;
}

/** The row on which a block comment that ends on `row` begins; `row + 1` when that is too far up, or it follows code. */
function blockStart(lines: readonly string[], row: number): number {
  for (let each = row; each >= 0 && row - each < MAX_ABOVE; each -= 1) {
    const line = lines[each] ?? "";
    if (line.includes("/*")) return /^\s*\/\*/.test(line) ? each : row + 1;
  }
  return row + 1;
}

/** What lies within another's offsets belongs to it. */
function nest(spans: readonly Span[]): Span[] {
  const ordered = [...spans].sort((a, b) => a.from - b.from || b.to - a.to);
  const open: Span[] = [];
  for (const span of ordered) {
    while ((open.at(-1)?.to ?? span.to) < span.to) open.pop();
    const parent = open.at(-1) ?? null;
    span.parent = parent;
    parent?.inner.push(span);
    open.push(span);
  }
  return ordered;
}

const CONTAINERS: ReadonlySet<string> = new Set(["class", "interface", "struct", "enum", "trait", "module"]);

/**
 * What stands inside a function is part of it, unless that function is too long to be kept whole; what stands on the one
 * line of its class is that class. A module is only a place: what it holds speaks for itself.
 */
function isChunk(span: Span): boolean {
  if (span.chunkType === "module" && span.inner.length > 0) return false;
  if (span.parent !== null && isContainer(span.parent) && span.parent.start === span.parent.last) {
    return span.parent.chunkType === "module";
  }
  for (let outer = span.parent; outer !== null; outer = outer.parent) {
    if (!isContainer(outer) && !outer.isLong) return false;
  }
  return true;
}

function isContainer(span: Span): boolean {
  return CONTAINERS.has(span.chunkType);
}

function isLong(lines: readonly string[], first: number, last: number): boolean {
  let length = 0;
  for (let row = first; row <= last && length <= MAX_CHUNK; row += 1) length += (lines[row]?.length ?? 0) + 1;
  return length > MAX_CHUNK;
}

function chunkOf(span: Span, lines: readonly string[]): CodeChunk {
  const isMember = span.chunkType === "function" && span.parent !== null && isContainer(span.parent);
  return {
    symbol: symbolOf(span),
    chunkType: isMember && span.parent?.chunkType !== "module" ? "method" : span.chunkType,
    startLine: span.first + 1,
    endLine: span.last + 1,
    text: fitting(isContainer(span) ? outline(span, lines) : rows(lines, span.first, span.last)),
  };
}

/** Deepest nesting that a name tells. */
const MAX_NESTING = 8;

function symbolOf(span: Span): string {
  const names: string[] = [];
  for (let each: Span | null = span; each !== null && names.length < MAX_NESTING; each = each.parent)
    names.unshift(each.name);
  return names.join(".");
}

/** A class without the bodies of its methods: their first lines tell what it can do. */
function outline(span: Span, lines: readonly string[]): string {
  const kept: string[] = [];
  let row = span.first;
  for (const inner of span.inner) {
    if (inner.first > row) kept.push(rows(lines, row, inner.first - 1));
    if (inner.nameRow >= row) kept.push(lines[inner.nameRow] ?? "");
    row = Math.max(row, inner.last + 1);
  }
  if (row <= span.last) kept.push(rows(lines, row, span.last));
  return kept.join("\n");
}

function rows(lines: readonly string[], first: number, last: number): string {
  return lines.slice(first, last + 1).join("\n");
}

/** Whole lines as far as they fit; a first line that does not fit is cut. */
function fitting(text: string): string {
  if (text.length <= MAX_CHUNK) return text;
  const newline = text.lastIndexOf("\n", MAX_CHUNK);
  return cutText(text, newline > 0 ? newline : MAX_CHUNK).toWellFormed();
}
