// Parses a pull request's title into tags, type, scope, breaking mark and subject. Total over all strings and linear in
// their length: every pattern is anchored or sticky, and bounded.
import { CommitParser } from "conventional-commits-parser";
import { INTENT_TYPES, type IntentType } from "../domain/signals.ts";

const COMMANDS = [
  "wip",
  "draft",
  "no-review",
  "strict-review",
  "balanced-review",
  "minimal-review",
  "security-review",
  "style-ok",
] as const;
export type TitleCommand = (typeof COMMANDS)[number];

export interface ParsedTitle {
  /** Bracket tags that are commands, each once, in order of appearance. `WIP: …` and the like count as `wip`. */
  readonly commands: readonly TitleCommand[];
  /** Other leading bracket tags, lower-cased, each once. */
  readonly otherTags: readonly string[];
  /** The title without tags, work-in-progress prefix and leading emoji, white space folded. */
  readonly untagged: string;
  readonly type: IntentType | null;
  readonly otherType: string | null;
  readonly scope: string | null;
  /** There is a `!` before the colon. */
  readonly breaking: boolean;
  readonly subject: string;
}

function commandOf(tag: string): TitleCommand | undefined {
  return tag === "work in progress" ? "wip" : COMMANDS.find((command) => command === tag);
}

/** `(?!\()`: `[text](address)` is a link, not a tag. 40 characters: longer brackets are prose. */
const LEADING_TAG = /\[([^[\]]{1,40})\](?!\() ?/y;
/** Separators between tags and text in "[Docs]: Add …" and "[wip] - …". */
const SEPARATOR = /(?:[:\-–—]|- ) ?/y;
/** GitLab's and Gitea's prefixes and the construction sign. */
const WIP_PREFIX =
  /(?:\((?:wip|draft|work in progress)\)|(?:wip|draft|work in progress) ?(?::|-(?= )|–|—)|🚧|:construction:) ?/iy;
/** The bare word counts in capitals only: "wip endpoint" is a name, "WIP endpoint" a state. */
const WIP_WORD = /WIP(?= |$) ?/y;
const EMOJI = /(?:\p{Extended_Pictographic}(?:\u{FE0F}|\u{200D}|[\u{1F3FB}-\u{1F3FF}])*|:[a-z0-9_+-]{1,40}:) ?/uy;

/** Type and scope are at the very beginning; the rest need not pass through the grammar. */
const HEAD_LENGTH = 300;
const GRAMMAR = new CommitParser({
  headerPattern:
    /^(?<type>[A-Za-z_][\w-]{0,39})(?<gap> ?)(?:\((?<scope>[^()]{0,100})\))?(?<bang>!?)(?<colon> ?[:：])(?<space>\s?)(?<rest>.*)$/s,
  headerCorrespondence: ["type", "gap", "scope", "bang", "colon", "space", "rest"],
  // One line is parsed: the grammar's own searches for footers, issues and fields have nothing to find.
  noteKeywords: [],
  referenceActions: [],
  issuePrefixes: [],
  fieldPattern: undefined,
});

/**
 * The parts of a title. The eleven types are recognised in any case and with small slips (`fix:typo`, `fix (ui): …`,
 * `feat：…`); any other word counts as `otherType` only in the exact form of the convention.
 */
export function parseTitle(title: string): ParsedTitle {
  const whole = title.replace(/\s+/g, " ").trim();
  const commands = new Set<TitleCommand>();
  const otherTags = new Set<string>();
  const start = readLeading(whole, commands, otherTags);
  const untagged = withoutTrailing(whole.slice(start), commands);
  const head = parseHead(untagged) ?? { type: null, otherType: null, scope: null, breaking: false, subject: untagged };
  return { commands: [...commands], otherTags: [...otherTags], untagged, ...head };
}

/** Reads tags, prefixes and emoji from the left until none is left; returns where the text starts. */
function readLeading(title: string, commands: Set<TitleCommand>, otherTags: Set<string>): number {
  let at = 0;
  for (;;) {
    const tag = matchAt(LEADING_TAG, title, at);
    const wip = matchAt(WIP_PREFIX, title, at) ?? matchAt(WIP_WORD, title, at);
    const read = tag ?? wip ?? matchAt(EMOJI, title, at);
    if (read === null) return at;
    at += read[0].length;
    if (wip !== null) commands.add("wip");
    if (tag === null) continue;
    const word = (tag[1] ?? "").trim().toLowerCase();
    const command = commandOf(word);
    if (command !== undefined) commands.add(command);
    else if (word !== "") otherTags.add(word);
    at += matchAt(SEPARATOR, title, at)?.[0].length ?? 0;
  }
}

/** Known commands count at the end too ("fix: x [no-review]"); any other bracket there is part of the text. */
function withoutTrailing(title: string, commands: Set<TitleCommand>): string {
  let text = title.trimEnd();
  while (text.endsWith("]")) {
    const open = text.lastIndexOf("[");
    const inside = text.slice(open + 1, -1).trim();
    const isSeparate = open === 0 || text[open - 1] === " ";
    const command = isSeparate ? commandOf(inside.toLowerCase()) : undefined;
    if (command === undefined) break;
    commands.add(command);
    text = text.slice(0, open).trimEnd();
  }
  return text;
}

function parseHead(text: string): Omit<ParsedTitle, "commands" | "otherTags" | "untagged"> | null {
  const head = text.slice(0, HEAD_LENGTH);
  if (head.trim() === "") return null;
  const { type: word, gap, scope, bang, colon, space, rest } = GRAMMAR.parse(head);
  if (!word) return null;
  const type = INTENT_TYPES.find((one) => one === word.toLowerCase()) ?? null;
  const asWritten = !gap && colon === ":" && Boolean(space);
  // `std::sort`, `docs://x`, `C:\x`: a colon alone is not the convention.
  if (type === null ? !asWritten : !space && /^[:/\\]/.test(rest ?? "")) return null;
  return {
    type,
    otherType: type === null ? word : null,
    scope: scope?.trim() || null,
    breaking: bang === "!",
    subject: text.slice(head.length - (rest ?? "").length).trim(),
  };
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
