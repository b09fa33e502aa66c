// Splits Markdown into sections by its headings, each small enough for one memory and with a name
// that stays stable while the rest of the document changes. The text is untrusted: every line is
// read once.
import { fenceLanguage, frontMatterLanguages, languageTags } from "./doc-languages.ts";

export interface DocSection {
  /**
   * Unique in the document: the slugs of its headings below the title (`consequences`,
   * `120/fixed`), with `:2` for a repeated heading in the same place, and `~2` for the next part of
   * a long section. "" before any heading.
   */
  readonly name: string;
  /** Its headings, outermost first, without their marks. */
  readonly headings: readonly string[];
  /** GitHub's own anchor for the heading: "" before any heading. */
  readonly anchor: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** As in the document, including its heading. */
  readonly text: string;
  /** Canonical ids, most frequent first; the document's own when the section has no code. */
  readonly languages: readonly string[];
}

/** A document with more sections is a list of words. */
const MAX_SECTIONS = 1_000;

/**
 * The sections of a document. Every non-blank line after the front matter is in exactly one.
 *
 * @param ofPath languages in the document's path
 * @returns in the order of the document, at most 1,000; `skipped` reports what is left out
 */
export function docSections(
  text: string,
  ofPath: readonly string[] = [],
): {
  readonly sections: readonly DocSection[];
  readonly skipped: readonly string[];
} {
  const { frontMatter, body } = blocks(text);
  const documents = [
    ...new Set([...frontMatterLanguages(frontMatter), ...ofPath, ...languageTags(linesByLanguage(body))]),
  ];
  const found = groups(body);
  // Each gives at least one section.
  const kept = found.slice(0, MAX_SECTIONS);
  const sections = withNames(kept).flatMap((group) => parts(group, documents));
  const over = sections.length + found.length - kept.length - MAX_SECTIONS;
  return {
    sections: sections.slice(0, MAX_SECTIONS),
    skipped: over > 0 ? [`${over} sections beyond the first ${MAX_SECTIONS}`] : [],
  };
}

interface Group {
  readonly trail: readonly Heading[];
  readonly blocks: readonly Block[];
}

type Heading = Extract<Block, { kind: "heading" }>;

/** Runs of blocks under one heading. A heading with nothing else goes with the next deeper one. */
function groups(body: readonly Block[]): Group[] {
  const found: Group[] = [];
  let trail: Heading[] = [];
  let current: Block[] = [];
  const isBare = () => current.length > 0 && current.every((block) => block.kind === "heading");
  for (const block of body) {
    if (block.kind === "heading") {
      const deeper = (trail.at(-1)?.level ?? 0) < block.level;
      if (current.length > 0 && !(isBare() && deeper)) {
        found.push({ trail, blocks: current });
        current = [];
      }
      trail = [...trail.filter((heading) => heading.level < block.level), block];
    }
    current.push(block);
  }
  return current.length > 0 ? [...found, { trail, blocks: current }] : found;
}

type NamedGroup = Group & Pick<DocSection, "name" | "anchor">;

/** Names lack the document's title, so that they stay the same when it is renamed. */
function withNames(found: readonly Group[]): NamedGroup[] {
  const title = found.find((group) => group.trail.length > 0)?.trail[0];
  const isTitle = (heading: Heading) => heading === title && heading.level === 1;
  const names = new Map<string, number>();
  const anchors = new Map<string, number>();
  const anchorOf = new Map<Heading, string>();
  return found.map((group) => {
    for (const block of group.blocks)
      if (block.kind === "heading") anchorOf.set(block, numbered(anchors, headingSlug(block.title), "-", 0));
    const below = group.trail.length > 1 ? group.trail.filter((heading) => !isTitle(heading)) : group.trail;
    const name = below.map((heading) => headingSlug(heading.title)).join("/");
    const last = group.trail.at(-1);
    return {
      ...group,
      name: group.trail.length === 0 ? "" : numbered(names, name, ":", 1),
      anchor: last === undefined ? "" : (anchorOf.get(last) ?? ""),
    };
  });
}

/** `a`, then `a:2`, `a:3` (GitHub: `a`, `a-1`, `a-2`). */
function numbered(seen: Map<string, number>, name: string, mark: string, from: number): string {
  const before = seen.get(name) ?? 0;
  seen.set(name, before + 1);
  return before === 0 ? name : `${name}${mark}${before + from}`;
}

function parts({ name, anchor, trail, blocks }: NamedGroup, documents: readonly string[]): DocSection[] {
  return packBlocks(blocks).map((part, index) => {
    const own = languageTags(linesByLanguage(part));
    return {
      name: index === 0 ? name : `${name}~${index + 1}`,
      headings: trail.map((heading) => heading.title),
      anchor,
      ...linesOf(part),
      languages: own.length > 0 ? own : documents,
    };
  });
}

function linesByLanguage(found: readonly Block[]): Map<string, number> {
  const lines = new Map<string, number>();
  for (const block of found) {
    const language = block.kind === "code" ? fenceLanguage(block.info) : null;
    if (language !== null) lines.set(language, (lines.get(language) ?? 0) + block.lines.length);
  }
  return lines;
}

/** About 250 words: published chunkers use 200–400. */
const MAX_PART = 1_200;
/** A code block is kept whole up to here, as every stored piece of code; a longer one is data. */
const MAX_CODE = 4_000;

/**
 * Parts of at most 1,200 characters, in order. A block is split only when it is longer than that by
 * itself: prose at line ends and then at spaces; code only beyond 4,000 characters, at line ends.
 */
function packBlocks(blocks: readonly Block[]): Block[][] {
  const parts: Block[][] = [];
  let length = 0;
  for (const block of blocks.flatMap(cut)) {
    const size = sizeOf(block);
    const open = parts.at(-1);
    // A part never ends with a heading.
    const isAfterHeading = open?.every(({ kind }) => kind === "heading") === true && size <= MAX_PART;
    const isFitting = open !== undefined && (length + size <= MAX_PART || isAfterHeading);
    if (isFitting) open.push(block);
    else parts.push([block]);
    length = isFitting ? length + size : size;
  }
  return parts;
}

function linesOf(blocks: readonly Block[]): Pick<DocSection, "startLine" | "endLine" | "text"> {
  const first = blocks[0]?.row ?? 0;
  const lines: string[] = [];
  let next = first;
  for (const block of blocks) {
    // Folds blank lines between blocks into one.
    if (block.row > next) lines.push("");
    lines.push(...block.lines);
    next = block.row + block.lines.length;
  }
  return { startLine: first + 1, endLine: next, text: lines.join("\n") };
}

function sizeOf(block: Block): number {
  return block.lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** A block in pieces that fit. */
function cut(block: Block): Block[] {
  const max = block.kind === "code" ? MAX_CODE : MAX_PART;
  if (sizeOf(block) <= max) return [block];
  const pieces: (Block & { readonly lines: string[] })[] = [];
  let length = 0;
  for (const [index, line] of block.lines.entries()) {
    for (const piece of cutLine(line, max)) {
      length += piece.length + 1;
      if (pieces.length > 0 && length <= max) pieces.at(-1)?.lines.push(piece);
      else {
        pieces.push({ ...block, row: block.row + index, lines: [piece] });
        length = piece.length + 1;
      }
    }
  }
  return pieces;
}

/** A line in pieces of fewer than `max` characters, at spaces where possible. */
function cutLine(line: string, max: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (line.length - from >= max) {
    const space = line.slice(from, from + max - 1).lastIndexOf(" ");
    let to = from + (space > max / 2 ? space + 1 : max - 1);
    // Do not split a surrogate pair.
    if (/[\uD800-\uDBFF]/.test(line.charAt(to - 1))) to -= 1;
    pieces.push(line.slice(from, to));
    from = to;
  }
  return [...pieces, line.slice(from)];
}

// Parses Markdown into headings, code blocks and prose, by lines and in one pass: precise enough to
// split where a reader would.

type Block = { readonly row: number; readonly lines: readonly string[] } & (
  | { readonly kind: "heading"; readonly level: number; readonly title: string }
  /** A fenced block with its fences; `info` is the text after the opening one. */
  | { readonly kind: "code"; readonly info: string }
  /** Lines up to a blank one; headings inside a comment stay in it. */
  | { readonly kind: "prose" }
);

/** Front matter is short; a single rule of dashes at the top of a page is just a rule. */
const MAX_FRONT_MATTER = 200;

/**
 * @returns the lines of the front matter, and the blocks in the order of the document. `row` is the
 * 0-based row of a block's first line; blank lines between blocks belong to none
 */
function blocks(text: string): { readonly frontMatter: readonly string[]; readonly body: readonly Block[] } {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = frontMatterEnd(lines);
  const body: Block[] = [];
  for (let row = end; row < lines.length; ) {
    const block =
      (lines[row] ?? "").trim() === "" ? null : (heading(lines, row) ?? code(lines, row) ?? prose(lines, row));
    if (block !== null) body.push(block);
    row += block?.lines.length ?? 1;
  }
  return { frontMatter: end === 0 ? [] : lines.slice(1, end - 1), body };
}

/** The row after the closing `---`; 0 when there is no front matter. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---") return 0;
  const isEnd = (line: string, row: number) => row > 0 && /^(?:---|\.\.\.)\s*$/.test(line.slice(0, 10));
  return lines.slice(0, MAX_FRONT_MATTER).findIndex(isEnd) + 1;
}

/** A longer line is no heading. */
const MAX_TITLE = 500;

function heading(lines: readonly string[], row: number): Block | null {
  const line = lines[row] ?? "";
  if (line.length > MAX_TITLE) return null;
  const marks = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line)?.[1];
  if (marks !== undefined) {
    const title = line
      .trim()
      .slice(marks.length)
      .trim()
      .replace(/[ \t]#{1,100}$|^#{1,100}$/, "");
    return { kind: "heading", row, lines: [line], level: marks.length, title: title.trim() };
  }
  const level = underline(lines, row + 1);
  const canBe =
    level > 0 && !/^ {0,3}(?:[-*+>|]|\d{1,9}[.)])/.test(line) && !/^ {4}|^\t/.test(line) && fence(line) === null;
  return canBe ? { kind: "heading", row, lines: lines.slice(row, row + 2), level, title: line.trim() } : null;
}

/** `===` below a line makes it a heading of level 1, `---` of level 2; else 0. */
function underline(lines: readonly string[], row: number): number {
  const line = (lines[row] ?? "").slice(0, MAX_TITLE);
  if (/^ {0,3}={2,}\s*$/.test(line)) return 1;
  return /^ {0,3}-{2,}\s*$/.test(line) ? 2 : 0;
}

function fence(line: string): { readonly mark: string; readonly info: string } | null {
  const match = /^[ >]{0,20}(`{3,}|~{3,})([^\n]{0,500})/.exec(line.slice(0, 1_000));
  if (match === null) return null;
  const [, mark = "", info = ""] = match;
  return mark.startsWith("`") && info.includes("`") ? null : { mark, info: info.trim() };
}

/** An unclosed fence runs to the end of the document, as renderers treat it. */
function code(lines: readonly string[], row: number): Block | null {
  const opening = fence(lines[row] ?? "");
  if (opening === null) return null;
  const closes = (line = "") => {
    const closing = fence(line);
    return closing?.info === "" && closing.mark.startsWith(opening.mark);
  };
  let end = row + 1;
  while (end < lines.length && !closes(lines[end])) end += 1;
  return { kind: "code", row, lines: lines.slice(row, end + 1), info: opening.info };
}

function prose(lines: readonly string[], row: number): Block {
  let end = row;
  let inComment = false;
  while (end < lines.length) {
    const line = lines[end] ?? "";
    inComment = endsInComment(line, inComment);
    end += 1;
    const next = lines[end] ?? "";
    if (!inComment && (next.trim() === "" || fence(next) !== null || heading(lines, end) !== null)) break;
  }
  return { kind: "prose", row, lines: lines.slice(row, end) };
}

/** Whether an HTML comment is open after this line. */
function endsInComment(line: string, wasOpen: boolean): boolean {
  const opened = line.lastIndexOf("<!--");
  const closed = line.lastIndexOf("-->");
  return opened === -1 && closed === -1 ? wasOpen : opened > closed;
}

/** Long headings are prose. */
const MAX_SLUG = 100;

/** `## 2. Why *we* do it` → `2-why-we-do-it`; `section` for nothing. At most 100 characters. */
function headingSlug(title: string): string {
  const slug = title
    .slice(0, 500)
    .replace(/<[^<>]{0,200}>|\]\([^()]{0,300}\)/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .trim()
    .replaceAll(" ", "-")
    .slice(0, MAX_SLUG)
    .toWellFormed();
  return slug === "" ? "section" : slug;
}
