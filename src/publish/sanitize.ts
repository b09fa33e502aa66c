// The only way out for text that others wrote: titles, paths, messages, names. The output shows the
// same words and does nothing: no image, HTML, link, mention, reference or command; closed fences;
// bounded length.

import { cutText } from "../domain/text/cut-text.ts";
import { closesFence } from "../domain/text/rendered-markdown.ts";
import {
  codePoints,
  cutPieces,
  isCommand,
  joinPieces,
  type Piece,
  readPieces,
  tame,
  unmarked,
  visibleLength,
  writeCode,
  writePieces,
} from "./pieces.ts";

/** Marks the place of a cut. */
export const CUT = "… (cut)";

/** Code points of one line: longer than GitHub's longest title (256). */
const INLINE_LIMIT = 300;
/** Code points of a finding's body: "a few sentences", generously. */
const BLOCK_LIMIT = 3000;

/**
 * One line of plain text; code spans in it stay code.
 *
 * @param limit visible code points, at least 10
 * @returns inert Markdown of one line; at most 8 × limit + 20 UTF-16 units; idempotent
 */
export function sanitizeInline(text: string, limit = INLINE_LIMIT): string {
  const start = startOf(text, limit);
  return writePieces(tame(shorten(readPieces(oneLine(start)), limit, start !== text)), "plain");
}

/**
 * Lines of Markdown. Paragraphs, flat lists, emphasis, code spans and fenced code stay; all else
 * becomes plain text. Fences open and close on lines of their own, at the left margin.
 *
 * @param limit visible code points, at least 20
 * @returns inert Markdown without blank lines at its ends; "" when nothing is left; idempotent
 */
export function sanitizeBlock(text: string, limit = BLOCK_LIMIT): string {
  const start = startOf(text, limit);
  const blocks = readBlocks(visible(start));
  const length = blocks.reduce((sum, block) => sum + lengthOf(block), 0);
  return writeBlocks(start === text && length <= limit ? blocks : cutBlocks(blocks, limit));
}

/** A name or path as a code span; `(empty)` if none of it can be shown. */
export function codeSpan(text: string, limit = INLINE_LIMIT): string {
  const start = startOf(text, limit);
  const plain = unmarked(oneLine(start)).trim();
  const shown = shorten(plain === "" ? [] : [{ kind: "code", text: plain }], limit, start !== text);
  return writeCode(shown.map((piece) => piece.text).join("") || "(empty)");
}

function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, " ");
}

/**
 * The part of the text that can matter: of megabytes a few hundred characters are shown. Our own
 * output is never so long, so a second pass does not cut it again.
 */
function startOf(text: string, limit: number): string {
  return cutText(text, 16 * limit + 400);
}

function shorten(pieces: readonly Piece[], limit: number, cut: boolean): readonly Piece[] {
  if (!cut && visibleLength(pieces) <= limit) return pieces;
  return joinPieces([...cutPieces(pieces, limit - CUT.length), { kind: "text", text: CUT }]);
}

// Hidden characters never leave: bidi controls, escapes and tags show as <U+202E>.

const LINE_ENDS = /\r\n?|\u2028|\u2029|\u0085|\v|\f/g;

/**
 * Removed: soft hyphen, joiners, zero-width spaces, variation selectors, byte order mark. Ordinary
 * text and emoji contain them; at worst a family emoji splits into its members.
 */
const SILENT =
  /\u00AD|\u034F|[\u180B-\u180F]|[\u200B-\u200D]|[\u2060-\u2064]|[\uFE00-\uFE0F]|\uFEFF|[\u{E0100}-\u{E01EF}]/gu;

/** Control and format characters, lone surrogates, and letters that draw nothing (fillers). */
const HIDDEN = /[\p{Cf}\p{Cs}]|[^\P{Cc}\n\t]|[\u115F\u1160\u3164\uFFA0\u2800]/gu;

/**
 * Shows hidden characters as `<U+202E>`, and removes those that ordinary text contains.
 *
 * @returns text whose only control characters are LF and TAB; well-formed UTF-16; idempotent
 */
export function visible(text: string): string {
  return text
    .replace(LINE_ENDS, "\n")
    .replace(SILENT, "")
    .replace(HIDDEN, (hidden) => `<U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`);
}

// A finding's body as lines and fences; reading the written text again gives the same.

/** A line of prose (perhaps a list item), a fenced piece of code, or a gap between paragraphs. */
type Block =
  | { readonly kind: "line"; readonly marker: string; readonly pieces: readonly Piece[] }
  | { readonly kind: "fence"; readonly language: string; readonly lines: readonly string[] }
  | { readonly kind: "gap" };

/**
 * Languages that a fence may be coloured in. Not `suggestion`, which GitHub would offer to commit,
 * nor `mermaid`, `math`, `geojson`, `topojson` and `stl`, which it would draw.
 */
const LANGUAGES = new Set(
  "bash c cpp cs css csharp diff dockerfile elixir go haskell html ini java javascript js json jsx kotlin lua make makefile php python py ruby rust scala sh shell sql swift toml ts tsx typescript xml yaml yml".split(
    " ",
  ),
);

const FENCE = /^(?:`{3,}|~{3,})/;
const LIST = /^([-*+]|\d{1,9}[.)]) +(?=\S)/;

const GAP: Block = { kind: "gap" };

/** Reads text whose hidden characters are already visible. An unclosed fence ends with the text. */
function readBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let fence: Fence | null = null;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (fence === null) {
      fence = openFence(trimmed);
      if (fence === null) blocks.push(readLine(trimmed));
    } else if (closesFence(trimmed, fence.run)) {
      blocks.push({ kind: "fence", language: fence.language, lines: fence.lines });
      fence = null;
    } else fence.lines.push(quietCode(line));
  }
  if (fence !== null) blocks.push({ kind: "fence", language: fence.language, lines: fence.lines });
  return spaced(blocks);
}

function writeBlocks(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === "gap") return "";
      if (block.kind === "fence") return writeFence(block.language, block.lines);
      return block.marker + writePieces(block.pieces, "kept");
    })
    .join("\n");
}

/** Code in a fence longer than any run of backticks inside; `lines` as they are. */
export function writeFence(language: string, lines: readonly string[]): string {
  let longest = 2;
  for (const line of lines) for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return [fence + language, ...lines, fence].join("\n");
}

/** Code that no bot obeys and without a marker of ours: a command moves one column right. */
export function quietCode(line: string): string {
  const code = unmarked(line);
  return isCommand(code) ? ` ${code}` : code;
}

/** Cuts blocks to at most `limit`, including the mark of the cut. */
function cutBlocks(blocks: readonly Block[], limit: number): readonly Block[] {
  const kept: Block[] = [];
  // Two line ends: of the mark's own line and of a fence that is closed early.
  let left = limit - CUT.length - 2;
  for (const block of blocks) {
    if (lengthOf(block) > left) {
      kept.push(...cutBlock(block, left));
      break;
    }
    kept.push(block);
    left -= lengthOf(block);
  }
  return spaced([...kept, { kind: "gap" }, { kind: "line", marker: "", pieces: [{ kind: "text", text: CUT }] }]);
}

function cutBlock(block: Block, left: number): Block[] {
  if (block.kind === "gap") return [];
  if (block.kind === "line")
    return [readableLine(block.marker, cutPieces(block.pieces, left - block.marker.length - 1))];
  const lines: string[] = [];
  let rest = left - 1;
  for (const line of block.lines) {
    rest -= codePoints(line) + 1;
    if (rest < 0) break;
    lines.push(line);
  }
  return [{ kind: "fence", language: block.language, lines }];
}

function readLine(trimmed: string): Block {
  const list = LIST.exec(trimmed);
  const marker = list?.[1] === undefined ? "" : `${/\d/.test(list[1]) ? list[1] : "-"} `;
  return readableLine(marker, readPieces(trimmed.slice(list?.[0].length ?? 0)));
}

function readableLine(marker: string, pieces: readonly Piece[]): Block {
  const tamed = tame(joinPieces(pieces));
  return tamed.length === 0 ? { kind: "gap" } : { kind: "line", marker, pieces: tamed };
}

interface Fence {
  readonly run: string;
  readonly language: string;
  readonly lines: string[];
}

function openFence(trimmed: string): Fence | null {
  const run = FENCE.exec(trimmed)?.[0];
  if (run === undefined) return null;
  const rest = trimmed.slice(run.length).trim();
  if (run.startsWith("`") && rest.includes("`")) return null;
  const language = rest.slice(0, 20).toLowerCase();
  return { run, language: LANGUAGES.has(language) ? language : "", lines: [] };
}

/** One gap between paragraphs, one around fences, none at the ends; no empty fences. */
function spaced(blocks: readonly Block[]): readonly Block[] {
  const full = blocks.filter((block) => block.kind !== "fence" || block.lines.some((line) => line.trim() !== ""));
  const apart = full.flatMap((block): Block[] => (block.kind === "fence" ? [GAP, block, GAP] : [block]));
  const single = apart.filter(
    (block, index) => block.kind !== "gap" || (index > 0 && apart[index - 1]?.kind !== "gap"),
  );
  return single.at(-1)?.kind === "gap" ? single.slice(0, -1) : single;
}

/** The visible length in code points; a line end counts as one. */
function lengthOf(block: Block): number {
  if (block.kind === "gap") return 0;
  if (block.kind === "line") return block.marker.length + visibleLength(block.pieces) + 1;
  return block.lines.reduce((sum, line) => sum + codePoints(line) + 1, 1);
}
