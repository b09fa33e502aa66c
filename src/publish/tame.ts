// What GitHub or another bot would act on becomes code, which is inert: mentions, references, shas, addresses, emoji names,
// formulas, and words that bots obey.
import { joinPieces, type Piece } from "./pieces.ts";

/**
 * A word (no white space) that is active somewhere. GitHub's rules: docs.github.com "Autolinked references and URLs" and
 * "Basic writing and formatting syntax"; `@` covers mentions, e-mail addresses and user@sha; `$` opens a formula;
 * `:name:` may turn into an image. Short shas are linked from seven digits on.
 */
const ACTIVE =
  /@|#\d|gh-\d|:\/\/|www\.|mailto:|xmpp:|\$|:[a-z0-9_+-]+:|(?<![a-z0-9_])(?:[0-9a-f]{40}|(?=[a-f]*\d)[0-9a-f]{7,40})(?![a-z0-9_])/i;

/** A command anywhere in a line: many bots look for `/word` in the whole comment. A path has a second slash. */
const SLASH_COMMAND = /(?<![^([{"'*_,;.])\/[a-z][a-z0-9_-]*(?![a-z0-9_/-])/i;

/** Commands without a sign of their own, anywhere in a line: Atlantis, Digger, Terrateam, and bots that merge. */
const PHRASE =
  /(?<![a-z0-9_])(?:(?:atlantis|digger|terrateam) (?:apply|approve|destroy|import|lock|plan|run|state|unlock)\w*|(?:squash|rebase) and merge(?![a-z0-9]))/gi;

/**
 * The start of a line that another bot may obey (Prow, bors, homu, Dependabot, Mergify, Jenkins, Zuul, Ansible's bot …):
 * `/word`, `!word`, `+label`, `@bot word`, and the bare words below.
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

/** Links and images show their address as code: `text (address)`. `list[i](x)` is not a link and stays. */
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
