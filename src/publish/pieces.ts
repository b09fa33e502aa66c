// One line of text as GitHub will read it: plain text, and code in which nothing is active. Reading the written text again
// gives the same pieces, which makes the sanitizer idempotent.
import { cutPoint } from "../domain/text/cut-text.ts";
import { codeSpans } from "../domain/text/rendered-markdown.ts";

/** A run of plain characters, or the content of a code span. */
export interface Piece {
  readonly kind: "text" | "code";
  readonly text: string;
}

/** Whether `*` and `_` may emphasise (a finding's body) or are plain characters (a title). */
type Emphasis = "kept" | "plain";

/**
 * Markdown's own characters, written as entities: unlike a backslash, an entity never starts a structure and is not
 * itself escaped on a second pass. It does not stop mentions or references, which GitHub finds after Markdown is read
 * (github/cmark-gfm issue 181); those become code.
 */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ...["[", "]", "\\", "`", "~", "|", "*", "_", "#", "-", "+", "=", ":", ".", ")"].map((char): [string, string] => [
    char,
    `&#${char.charCodeAt(0)};`,
  ]),
]);
const CHARACTERS: ReadonlyMap<string, string> = new Map([...ENTITIES].map(([char, entity]) => [entity, char]));

const ALWAYS = /[&<>[\]\\`~|]/g;
const PLAIN_EMPHASIS = /\*|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** What would start a block at the beginning of a line: list, heading, rule, setext underline, delimiter row. */
const BLOCK_START = /^(?:[-+=:#](?![\p{L}\p{N}])|[*_](?=[*_ ]*$|\s))/u;
const ORDERED_START = /^(\d{1,9})([.)])(?=\s|$)/;

/** Reads one line (no LF): complete code spans are code, all else is text with our own entities decoded. */
export function readPieces(line: string): readonly Piece[] {
  // Code that contains our marker could otherwise pass for our own comment.
  const source = line.replaceAll("<!-- kodiai:", "<! -- kodiai:");
  const spans = codeSpans(source);
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: marks, index } of source.matchAll(/`+/g)) {
    const end = spans.get(index);
    if (index < from || end === undefined) continue;
    pieces.push(text(decode(source.slice(from, index))));
    pieces.push(codeOrSpace(source.slice(index + marks.length, end - marks.length)));
    from = end;
  }
  pieces.push(text(decode(source.slice(from))));
  return joinPieces(pieces);
}

/** Writes pieces as Markdown for the start of a line, or after a list marker. */
export function writePieces(pieces: readonly Piece[], emphasis: Emphasis): string {
  return pieces
    .map((piece, index) =>
      piece.kind === "code" ? writeCode(piece.text) : writeText(piece.text, emphasis, index === 0),
    )
    .join("");
}

/** Neighbours of one kind become one piece; white space is collapsed, and trimmed at both ends of the line. */
export function joinPieces(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    if (piece.text === "") continue;
    const last = joined.at(-1);
    if (last?.kind === piece.kind) joined[joined.length - 1] = { kind: piece.kind, text: last.text + piece.text };
    else joined.push(piece);
  }
  const folded = joined.map((piece) => (piece.kind === "code" ? piece : text(piece.text.replace(/\s+/g, " "))));
  return folded
    .map((piece, index) => (piece.kind === "code" ? piece : text(trimEnds(piece.text, index, folded.length))))
    .filter((piece) => piece.text !== "");
}

export function codePoints(whole: string): number {
  return [...whole].length;
}

/** The visible length: code points of all pieces. */
export function visibleLength(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text: whole }) => sum + codePoints(whole), 0);
}

/** The first `length` code points of the pieces, fewer if that would split a word or a redaction mark. */
export function cutPieces(pieces: readonly Piece[], length: number): readonly Piece[] {
  const kept: Piece[] = [];
  let left = length;
  for (const piece of pieces) {
    const points = [...piece.text].slice(0, Math.max(0, left));
    left -= points.length;
    const whole = points.join("");
    kept.push({ kind: piece.kind, text: left > 0 ? whole : cutEnd(piece, whole.length).trimEnd() });
    if (left <= 0) break;
  }
  return kept.filter((piece) => piece.text !== "");
}

/** Paths are the longest code, and are cut between their folders. */
const IN_CODE = /[\w+=~.%:@\\!#$^&*?⟦⟧-]/;

function cutEnd({ kind, text: whole }: Piece, most: number): string {
  return most >= whole.length ? whole : whole.slice(0, cutPoint(whole, most, kind === "code" ? IN_CODE : undefined));
}

/** A code span with a delimiter that its content does not contain. `content` is one line, trimmed, not empty. */
export function writeCode(content: string): string {
  const lengths = new Set([...content.matchAll(/`+/g)].map(([run]) => run.length));
  let length = 1;
  while (lengths.has(length)) length++;
  const fence = "`".repeat(length);
  const pad = content.startsWith("`") || content.endsWith("`") ? " " : "";
  return `${fence}${pad}${content}${pad}${fence}`;
}

function writeText(plain: string, emphasis: Emphasis, first: boolean): string {
  const start = first ? blockStart(plain) : 0;
  const encode = (char: string) => ENTITIES.get(char) ?? char;
  const rest = (part: string) => {
    const encoded = part.replace(ALWAYS, encode);
    return emphasis === "kept" ? encoded : encoded.replace(PLAIN_EMPHASIS, encode);
  };
  if (start === 0) return rest(plain);
  return plain.slice(0, start - 1) + encode(plain.charAt(start - 1)) + rest(plain.slice(start));
}

/** One past the character that would start a block; 0 when the line starts none. */
function blockStart(plain: string): number {
  if (BLOCK_START.test(plain)) return 1;
  const ordered = ORDERED_START.exec(plain);
  return ordered?.[1] === undefined ? 0 : ordered[1].length + 1;
}

function decode(raw: string): string {
  return raw.replace(/&(?:amp|lt|gt|#\d{2,3});/g, (entity) => CHARACTERS.get(entity) ?? entity);
}

function text(plain: string): Piece {
  return { kind: "text", text: plain };
}

function codeOrSpace(content: string): Piece {
  const trimmed = content.trim();
  return trimmed === "" ? text(" ") : { kind: "code", text: trimmed };
}

function trimEnds(plain: string, index: number, count: number): string {
  const start = index === 0 ? plain.trimStart() : plain;
  return index === count - 1 ? start.trimEnd() : start;
}
