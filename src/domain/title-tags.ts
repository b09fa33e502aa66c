// The tags around a pull request's title: `[wip]`, `[no-review]`, `WIP: …`. Total over all strings
// and linear in their length: every pattern is sticky and bounded.

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

export interface TitleTags {
  /**
   * Bracket tags that are commands, each once, in order of appearance. `WIP: …` and the like count
   * as `wip`.
   */
  readonly commands: readonly TitleCommand[];
  /** Other leading bracket tags, lower-cased, each once. */
  readonly otherTags: readonly string[];
  /** The title without tags, work-in-progress prefix and leading emoji, white space folded. */
  readonly untagged: string;
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

/**
 * Tags count at the beginning, and commands at the end too; a bracket in between is part of the
 * text.
 */
export function readTitleTags(title: string): TitleTags {
  const whole = title.replace(/\s+/g, " ").trim();
  const commands = new Set<TitleCommand>();
  const otherTags = new Set<string>();
  const start = readLeading(whole, commands, otherTags);
  const untagged = withoutTrailing(whole.slice(start), commands);
  return { commands: [...commands], otherTags: [...otherTags], untagged };
}

/** GitHub's longest title; what a fake sends beyond it holds no tag. */
const TITLE_LENGTH = 500;

/**
 * The tag by which an author asks for no review yet, or null. Removing it from a title asks for
 * one.
 */
export function holdTag(title: string): "wip" | "draft" | "no-review" | null {
  const { commands } = readTitleTags(title.slice(0, TITLE_LENGTH));
  return (["wip", "draft", "no-review"] as const).find((tag) => commands.includes(tag)) ?? null;
}

/**
 * Reads tags, prefixes and emoji from the left until none is left; returns where the text starts.
 */
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

/**
 * Known commands count at the end too ("fix: x [no-review]"); any other bracket there is part of
 * the text.
 */
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

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
