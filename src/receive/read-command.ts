// Parses commands in comments with a closed grammar: a mention or /kodiai in the first line after
// quotations, a known verb, and text. Text after the verb never changes a setting.
import { didYouMean } from "../config/did-you-mean.ts";
import { type Command, SYNONYMS, VERBS, type Verb, verbEntry } from "../domain/command.ts";
import { cutText, oneLine } from "../domain/text/cut-text.ts";
import { smallTalk } from "../domain/text/low-information.ts";

const READ = 20_000;
const LINE = 4_000;

/** Words allowed before a mention that starts a command: "hi @kodiai review". */
const GREETING = /^(?:(?:hi|hey|hello|dear|please|ok|okay|thanks|so|and|cc)\b)?[\s,.!:]{0,5}$/i;
const FILLER = /^(?:please|pls|now|again|this|it|that|the pr|this pr|this pull request|thanks|thank you|[\s,.!?])+$/i;
const MENTION = /@([a-z\d][a-z\d-]{0,99})/gi;
/** Lines of a quotation at the start, and blank lines around them. */
const QUOTATIONS = /^(?:(?: {0,3}>[^\n]*|[^\S\n]*)(?:\n|$))+/;
/** Before the words of a list item, of a task or of a heading. */
const LIST_MARKER = /^ {0,3}(?:(?:[-*+]|\d{1,9}[.)])\s{1,4}(?:\[[ x]\]\s{1,4})?|#{1,6}\s{1,4})/i;
/** Emphasis or code at the start of a line, before our name. */
const OPENING_MARKS = /^[*_~`]{1,6}(?=[@/])/;
/** Our name or a verb alone in emphasis; a verb also as code. */
const MARKED_NAME = /(?<![*_~`])([*_~]{1,3})(@[a-z\d][a-z\d-]{0,99}(?:\[bot\])?)\1/i;
const MARKED_VERB = /^([\s,:;.!]{0,20})(?:- )?([*_~]{1,3}|`)(full\s{1,5}review|\p{L}{1,20})\2/iu;

/**
 * Reads a comment.
 *
 * @param text Markdown as it was written
 * @param slug the app's own name, an alternative mention to `@kodiai`
 * @returns null when the comment does not mention us, or only says "thanks"
 */
export function readCommand(text: string, slug: string): Command | null {
  const { line: written, rest } = firstLine(text);
  const line = withoutMarks(written);
  const visible = withoutCode(line);
  const slash = /^ {0,3}\/kodiai(?=$|[\s:,])/i.exec(visible);
  if (slash !== null) return verbOf(line.slice(slash[0].length), rest) ?? unknown(line.slice(slash[0].length));
  const mention = findMention(visible, slug);
  if (mention === null) return null;
  const behind = line.slice(mention.end);
  if (!GREETING.test(visible.slice(0, mention.start).trim())) return asking(withoutMention(line, slug), rest);
  return ordered(behind, rest);
}

/** The question in a reply without a mention of us; null for small talk, or one to another. */
export function readReply(text: string): Command | null {
  const { line } = firstLine(text);
  if (/^\s{0,3}@[a-z\d]/i.test(line) || /^\s{0,3}[/!][a-z]/i.test(line)) return null;
  const question = cutText(readable(text), verbEntry("ask").text);
  return question === "" || smallTalk(question) !== null ? null : { kind: "reply", text: question };
}

/** The line without the first mention of us. */
export function withoutMention(line: string, slug: string): string {
  const found = findMention(withoutCode(line), slug);
  return found === null ? line : `${line.slice(0, found.start)}${line.slice(found.end)}`.trim();
}

/** The text after a mention: a verb, else a question. One unknown word: likely a mistyped verb. */
function ordered(behind: string, rest: string): Command | null {
  const words = plain(behind);
  if (words === "" && rest === "") return { kind: "verb", verb: "help", text: "" };
  const command = verbOf(behind, rest);
  const takesText = command !== null && command.kind === "verb" && verbEntry(command.verb).text > 0;
  if (command !== null && (takesText || FILLER.test(`${afterVerb(behind)} `))) return command;
  if (smallTalk(words) !== null && rest === "") return null;
  const isWord = /^[\p{L}-]{1,40}$/u.test(words) && rest === "";
  return isWord ? unknown(behind) : asking(words, rest);
}

function asking(line: string, rest: string): Command | null {
  const text = question(line, rest);
  return text === "" || smallTalk(text) !== null ? null : { kind: "verb", verb: "ask", text };
}

function verbOf(marked: string, rest: string): Command | null {
  const behind = marked.replace(MARKED_VERB, "$1$3");
  const words = plain(behind);
  if (words === "") return { kind: "verb", verb: "help", text: "" };
  const verb = verbAt(words);
  if (verb === null) return null;
  const after = afterVerb(behind);
  const { text: most } = verbEntry(verb);
  if (verb === "explain" && !FILLER.test(`${after} `))
    return { kind: "verb", verb: "ask", text: question(words, rest) };
  const takesMore = verb === "ask" || verb === "remember";
  const argument = takesMore ? question(after, rest) : FILLER.test(`${after} `) ? "" : oneLine(after);
  return { kind: "verb", verb, text: cutText(argument, most) };
}

function unknown(behind: string): Command {
  const word = cutText(/^\S*/.exec(plain(behind))?.[0] ?? "", 40);
  const known = [...VERBS.map(({ verb }) => verb), ...SYNONYMS.keys()];
  const near = didYouMean(word, known);
  return { kind: "unknown", word, nearest: near === null ? null : verbAt(near) };
}

function verbAt(words: string): Verb | null {
  const word = /^[\p{L}]{1,20}(?![\p{L}\p{N}_-])/u.exec(words)?.[0].toLowerCase() ?? "";
  if (word === "full") return /^full\s{1,5}review(?![\p{L}\p{N}_-])/iu.test(words) ? "full review" : null;
  return SYNONYMS.get(word) ?? VERBS.find(({ verb }) => verb === word)?.verb ?? null;
}

function afterVerb(behind: string): string {
  return plain(plain(behind).replace(/^(?:full\s{1,5}review|\p{L}{1,20})/iu, ""));
}

function plain(text: string): string {
  return text.replace(/^[\s,:;.!]{1,20}/, "").trim();
}

function question(line: string, rest: string): string {
  return cutText(readable(rest === "" ? line : `${line}\n${rest}`), verbEntry("ask").text);
}

/** The start of the text without HTML comments, which GitHub does not show. */
function readable(text: string): string {
  return replaceBetween(text.slice(0, READ), "<!--", "-->", () => "")
    .toWellFormed()
    .trim();
}

/** The line without the Markdown around a command: `- **@kodiai** review`, or all of it as code. */
function withoutMarks(line: string): string {
  const item = line.replace(LIST_MARKER, "");
  const marks = OPENING_MARKS.exec(item)?.[0] ?? "";
  if (marks === "") return item.replace(MARKED_NAME, "$2");
  const closing = [...marks].reverse().join("");
  const [inside = "", after = ""] = splitAt(item.slice(marks.length), closing);
  // A sentence that begins with a command as code is about the command.
  const isExample = marks.includes("`") && inside.trim().includes(" ") && /[^\s.,!?]/.test(after);
  return isExample ? item : `${inside}${after}`;
}

/** The text before and after the first `mark`; all of it is before when there is none. */
function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

/**
 * The first non-blank line after leading quotations, as "Quote reply" writes them, and the rest.
 * Both are "" for a code block, which holds no command.
 */
function firstLine(text: string): { readonly line: string; readonly rest: string } {
  const read = text.slice(0, READ).replace(QUOTATIONS, "");
  const start = /[^\s]/.exec(read)?.index ?? 0;
  const from = read.lastIndexOf("\n", start) + 1;
  const end = read.indexOf("\n", start);
  const line = read.slice(from, end < 0 ? undefined : end).slice(0, LINE);
  const rest = end < 0 ? "" : read.slice(end + 1).trim();
  return /^(?: {4}| {0,3}\t| {0,3}(?:```|~~~))/.test(line) ? { line: "", rest: "" } : { line, rest };
}

/** The line with code spans and HTML comments blanked out; other characters keep their position. */
function withoutCode(line: string): string {
  const blank = (text: string) => "\0".repeat(text.length);
  const shown = replaceBetween(line, "<!--", "-->", blank);
  // A span ends at a run of exactly as many backticks as it began with.
  return shown.replace(/(?<!`)(`{1,9})(?!`).{1,500}?(?<!`)\1(?!`)/gs, blank);
}

function findMention(visible: string, slug: string): { readonly start: number; readonly end: number } | null {
  const names = new Set(["kodiai", slug.toLowerCase()]);
  for (const match of visible.matchAll(MENTION)) {
    const end = match.index + match[0].length;
    const isOurs = names.has((match[1] ?? "").toLowerCase());
    if (isOurs && opensAt(visible, match.index) && closesAt(visible, end)) {
      const bot = /^\[bot\]/i.exec(visible.slice(end, end + 5))?.[0].length ?? 0;
      return { start: match.index, end: end + bot };
    }
  }
  return null;
}

/** `foo@kodiai.com` is an e-mail address. */
function opensAt(line: string, at: number): boolean {
  return at === 0 || /[\s(,:;"']/.test(line.charAt(at - 1));
}

/** `@kodiai/team`, `@kodiai.com`, `@kodiaié` are other names. */
function closesAt(line: string, at: number): boolean {
  return !/^(?:[\p{L}\p{N}_/@-]|\.[\p{L}\p{N}])/u.test(line.slice(at, at + 3));
}

/** Replaces each stretch with its delimiters; an unclosed one extends to the end. Linear time. */
function replaceBetween(text: string, open: string, close: string, by: (stretch: string) => string): string {
  let kept = "";
  let at = 0;
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, at)) {
    const closed = text.indexOf(close, start + open.length);
    const end = closed < 0 ? text.length : closed + close.length;
    kept += text.slice(at, start) + by(text.slice(start, end));
    at = end;
  }
  return kept + text.slice(at);
}
