// The only way out for text that others wrote: titles, paths, messages of custom rules, names. What leaves shows the same
// words and does nothing: no image, HTML, link, mention, reference or command; closed fences; bounded length.
import { cutText } from "../domain/text/cut-text.ts";
import { blockLength, cutBlocks, readBlocks, writeBlocks } from "./blocks.ts";
import { cutPieces, joinPieces, type Piece, readPieces, visibleLength, writeCode, writePieces } from "./pieces.ts";
import { tame } from "./tame.ts";
import { visible } from "./visible.ts";

/** What stands where text was cut. */
export const CUT = "… (cut)";

/** Code points of one line: longer than GitHub's longest title (256). */
const INLINE_LIMIT = 300;
/** Code points of a finding's body: "a few sentences", generously. */
const BLOCK_LIMIT = 3000;

/**
 * One line of plain text; code spans in it stay code.
 *
 * @param limit code points that people see, at least 10
 * @returns Markdown of one line that shows the text and is inert; at most 8 × limit + 20 UTF-16 units; idempotent
 */
export function sanitizeInline(text: string, limit = INLINE_LIMIT): string {
  const start = startOf(text, limit);
  return writePieces(tame(shorten(readPieces(oneLine(start)), limit, start !== text)), "plain");
}

/**
 * Several lines of Markdown, of which paragraphs, flat lists, emphasis, code spans and fenced code stay and all else
 * becomes plain text. Fences open and close on lines of their own, at the left margin.
 *
 * @param limit code points that people see, at least 20
 * @returns inert Markdown without blank lines at its ends; "" when nothing is left; idempotent
 */
export function sanitizeBlock(text: string, limit = BLOCK_LIMIT): string {
  const start = startOf(text, limit);
  const blocks = readBlocks(visible(start));
  const fits = start === text && blockLength(blocks) <= limit;
  return writeBlocks(fits ? blocks : cutBlocks(blocks, limit, CUT));
}

/** A name or path as a code span; `(empty)` when nothing can be shown of it. */
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
 * As much of the text as can matter: megabytes are not read to show a few hundred characters. What we write never
 * reaches this length, or a second pass would cut it again.
 */
function startOf(text: string, limit: number): string {
  const most = 16 * limit + 400;
  if (text.length <= most) return text;
  return cutText(text, most);
}

function shorten(pieces: readonly Piece[], limit: number, cut: boolean): readonly Piece[] {
  if (!cut && visibleLength(pieces) <= limit) return pieces;
  return joinPieces([...cutPieces(pieces, limit - CUT.length), { kind: "text", text: CUT }]);
}
