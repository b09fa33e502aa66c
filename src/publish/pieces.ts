// One line as GitHub will read it: plain text, and code in which nothing is active. Reading the
// written text again gives the same pieces, which makes the sanitizer idempotent.

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
 * Markdown's own characters, written as entities: unlike a backslash, an entity never starts a
 * structure and is not escaped again. It does not stop mentions or references, which GitHub finds
 * afterwards (github/cmark-gfm issue 181); those become code.
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
/** Starts a block at a line's beginning: list, heading, rule, setext underline, delimiter row. */
const BLOCK_START = /^(?:[-+=:#](?![\p{L}\p{N}])|[*_](?=[*_ ]*$|\s))/u;
const ORDERED_START = /^(\d{1,9})([.)])(?=\s|$)/;

/** Reads one line (no LF): complete code spans are code, else text, our entities decoded. */
export function readPieces(line: string): readonly Piece[] {
  const source = unmarked(line);
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

/** Breaks our markers: code that contains one could otherwise pass for our own comment. */
export function unmarked(text: string): string {
  return text.replaceAll("<!-- kodiai:", "<! -- kodiai:");
}

/** Writes pieces as Markdown for the start of a line, or after a list marker. */
export function writePieces(pieces: readonly Piece[], emphasis: Emphasis): string {
  return pieces
    .map((piece, index) =>
      piece.kind === "code" ? writeCode(piece.text) : writeText(piece.text, emphasis, index === 0),
    )
    .join("");
}

/** Neighbours of one kind become one; white space is collapsed, and trimmed at both ends. */
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

/** The first `length` code points, fewer if that would split a word or a redaction mark. */
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

/** A code span in a delimiter it does not contain. `content` is one line, trimmed, not empty. */
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

// What GitHub or another bot would act on becomes code, which is inert: mentions, references, shas,
// addresses, emoji names, formulas, and words that bots obey.

/**
 * A word that is active somewhere. GitHub's rules: docs.github.com "Autolinked references and URLs"
 * and "Basic writing and formatting syntax"; `@` covers mentions, e-mail addresses and user@sha;
 * `$` opens a formula; `:name:` may become an image. Shas are linked from seven digits on.
 */
const ACTIVE =
  /@|#\d|gh-\d|:\/\/|www\.|mailto:|xmpp:|\$|:[a-z0-9_+-]+:|(?<![a-z0-9_])(?:[0-9a-f]{40}|(?=[a-f]*\d)[0-9a-f]{7,40})(?![a-z0-9_])/i;

/** A command anywhere in a line: many bots look for `/word`. A path has a second slash. */
const SLASH_COMMAND = /(?<![^([{"'*_,;.])\/[a-z][a-z0-9_-]*(?![a-z0-9_/-])/i;

/** Commands without a sign of their own: Atlantis, Digger, Terrateam, and bots that merge. */
const PHRASE =
  /(?<![a-z0-9_])(?:(?:atlantis|digger|terrateam) (?:apply|approve|destroy|import|lock|plan|run|state|unlock)\w*|(?:squash|rebase) and merge(?![a-z0-9]))/gi;

/**
 * The start of a line that another bot may obey (Prow, bors, homu, Dependabot, Mergify, Jenkins,
 * Zuul, Ansible's bot …): `/word`, `!word`, `+label`, `@bot word`, and the bare words below.
 */
const COMMAND = new RegExp(
  [
    "[/!+][a-z]",
    // A login may start with a digit.
    "@[a-z0-9-]",
    "(?:bors|homu|jenkins|retest|recheck|reverify|rerun|rebuild\\w*|lgtm|shipit|azp|needs_\\w+|bot_\\w+)(?![a-z0-9])",
    "(?:dependabot|renovate|mergify\\w*|depfu|greenkeeper|snyk|autobuild|atlantis|digger|terrateam)(?![a-z0-9])",
    "(?:squash|rebase) (?:and|&) merge(?![a-z0-9])",
    "r[+?](?:\\s|$)",
    "(?:ok to|add to|please|run|test|build|merge|close|reopen|rebase|approve|hold) (?:test|tests|this|whitelist|allowlist|retest|merge|checks?)(?![a-z0-9])",
  ]
    .map((start) => `^${start}`)
    .join("|"),
  "i",
);

/** `[text](target)` and images, with an optional title. Bounded, so that no input makes it slow. */
const LINK = /!?\[([^[\]]{0,300})\]\(<?([^()\s<>]{1,2000})>?(?: "[^"]{0,300}")?\)/g;

/** Brackets, quotes and stops around a word stay outside its code span. */
const OPENING = "([{\"'*_,;.";
const CLOSING = ")]}\"'*_,;.!?:";

/** Turns the active parts of one line's pieces into code. Idempotent. */
export function tame(pieces: readonly Piece[]): readonly Piece[] {
  const unlinked = joinPieces(pieces.flatMap((piece) => (piece.kind === "code" ? [piece] : withoutLinks(piece.text))));
  const quiet = unlinked.flatMap((piece, index) => {
    if (piece.kind === "code") return [piece];
    return index === 0 && isCommand(piece.text) ? commandAsCode(piece.text) : words(piece.text);
  });
  return joinPieces(quiet);
}

/** True when a line that starts like this could be a command to some bot. */
export function isCommand(line: string): boolean {
  return COMMAND.test(line);
}

/** Links and images show their address as code: `text (address)`. `list[i](x)` stays. */
function withoutLinks(plain: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of plain.matchAll(LINK)) {
    if (!match[2]?.includes("://")) continue;
    pieces.push({ kind: "text", text: `${plain.slice(from, match.index)}${match[1] ?? ""} (` });
    pieces.push({ kind: "code", text: match[2] });
    pieces.push({ kind: "text", text: ")" });
    from = match.index + match[0].length;
  }
  pieces.push({ kind: "text", text: plain.slice(from) });
  return pieces;
}

function commandAsCode(plain: string): Piece[] {
  const end = plain.indexOf(" ");
  if (end === -1) return [{ kind: "code", text: plain }];
  return [{ kind: "code", text: plain.slice(0, end) }, ...words(plain.slice(end))];
}

function words(plain: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: phrase, index } of plain.matchAll(PHRASE)) {
    pieces.push(...singleWords(plain.slice(from, index)), { kind: "code", text: phrase });
    from = index + phrase.length;
  }
  return [...pieces, ...singleWords(plain.slice(from))];
}

function singleWords(plain: string): Piece[] {
  return plain
    .split(/( )/)
    .flatMap((word) => (ACTIVE.test(word) || SLASH_COMMAND.test(word) ? asCode(word) : [{ kind: "text", text: word }]));
}

function asCode(word: string): Piece[] {
  let start = 0;
  while (start < word.length && OPENING.includes(word.charAt(start))) start++;
  let end = word.length;
  while (end > start && CLOSING.includes(word.charAt(end - 1))) end--;
  return [
    { kind: "text", text: word.slice(0, start) },
    { kind: "code", text: word.slice(start, end) },
    { kind: "text", text: word.slice(end) },
  ];
}
