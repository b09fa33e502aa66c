// The only way out for text that others wrote: titles, paths, messages of custom rules, names. The output shows the same
// words and does nothing: no image, HTML, link, mention, reference or command; closed fences; bounded length.
import { cutText } from "../domain/text/cut-text.ts";
import { blockLength, cutBlocks, readBlocks, writeBlocks } from "./blocks.ts";
import {
  cutPieces,
  joinPieces,
  type Piece,
  readPieces,
  tame,
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
 * @returns Markdown of one line that shows the text and is inert; at most 8 × limit + 20 UTF-16 units; idempotent
 */
export function sanitizeInline(text: string, limit = INLINE_LIMIT): string {
  const start = startOf(text, limit);
  return writePieces(tame(shorten(readPieces(oneLine(start)), limit, start !== text)), "plain");
}

/**
 * Several lines of Markdown. Paragraphs, flat lists, emphasis, code spans and fenced code stay; all else becomes plain text.
 * Fences open and close on lines of their own, at the left margin.
 *
 * @param limit visible code points, at least 20
 * @returns inert Markdown without blank lines at its ends; "" when nothing is left; idempotent
 */
export function sanitizeBlock(text: string, limit = BLOCK_LIMIT): string {
  const start = startOf(text, limit);
  const blocks = readBlocks(visible(start));
  const fits = start === text && blockLength(blocks) <= limit;
  return writeBlocks(fits ? blocks : cutBlocks(blocks, limit, CUT));
}

/** A name or path as a code span; `(empty)` if none of it can be shown. */
export function codeSpan(text: string, limit = INLINE_LIMIT): string {
  const start = startOf(text, limit);
  const plain = oneLine(start).replaceAll("<!-- kodiai:", "<! -- kodiai:").trim();
  const shown = shorten(plain === "" ? [] : [{ kind: "code", text: plain }], limit, start !== text);
  return writeCode(shown.map((piece) => piece.text).join("") || "(empty)");
}

/** White space of every kind becomes one space. */
function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, " ");
}

/**
 * The part of the text that can matter: megabytes are not read to show a few hundred characters. Our own output never
 * reaches this length, so a second pass does not cut it again.
 */
function startOf(text: string, limit: number): string {
  return cutText(text, 16 * limit + 400);
}

function shorten(pieces: readonly Piece[], limit: number, cut: boolean): readonly Piece[] {
  if (!cut && visibleLength(pieces) <= limit) return pieces;
  return joinPieces([...cutPieces(pieces, limit - CUT.length), { kind: "text", text: CUT }]);
}

// Hidden characters never leave as they are: bidi controls, escapes and tag characters show as <U+202E>.

/** Line ends of every kind become LF. */
const LINE_ENDS = /\r\n?|\u2028|\u2029|\u0085|\v|\f/g;

/**
 * Removed: soft hyphen, joiners, zero-width spaces, variation selectors, byte order mark. Ordinary text and emoji contain
 * them; at worst a family emoji splits into its members.
 */
const SILENT =
  /\u00AD|\u034F|[\u180B-\u180F]|[\u200B-\u200D]|[\u2060-\u2064]|[\uFE00-\uFE0F]|\uFEFF|[\u{E0100}-\u{E01EF}]/gu;

/** Control and format characters, lone surrogates, and letters that draw nothing (Hangul fillers, the empty Braille cell). */
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
