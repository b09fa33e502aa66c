// The only way out for text that others wrote: titles, paths, messages of custom rules, names. What leaves shows the same
// words and does nothing: no image, HTML, link, mention, reference or command; closed fences; bounded length.
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
  return writePieces(tame(shorten(readPieces(oneLine(text)), limit)), "plain");
}

/**
 * Several lines of Markdown, of which paragraphs, flat lists, emphasis, code spans and fenced code stay and all else
 * becomes plain text. Fences open and close on lines of their own, at the left margin.
 *
 * @param limit code points that people see, at least 20
 * @returns inert Markdown without blank lines at its ends; "" when nothing is left; idempotent
 */
export function sanitizeBlock(text: string, limit = BLOCK_LIMIT): string {
  const blocks = readBlocks(visible(text));
  return writeBlocks(blockLength(blocks) <= limit ? blocks : cutBlocks(blocks, limit, CUT));
}

/** A name or path as a code span; `(empty)` when nothing can be shown of it. */
export function codeSpan(text: string, limit = INLINE_LIMIT): string {
  const plain = oneLine(text).replaceAll("<!-- kodiai:", "<! -- kodiai:").trim();
  const shown = shorten(plain === "" ? [] : [{ kind: "code", text: plain }], limit);
  return writeCode(shown.map((piece) => piece.text).join("") || "(empty)");
}

/** White space of every kind becomes one space. */
function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, " ");
}

function shorten(pieces: readonly Piece[], limit: number): readonly Piece[] {
  if (visibleLength(pieces) <= limit) return pieces;
  return joinPieces([...cutPieces(pieces, limit - CUT.length), { kind: "text", text: CUT }]);
}
