// What a comment asks of us, by a closed grammar: a mention or /kodiai in the first line, a verb of ours, and text. Nothing behind
// the verb is ever a setting. Bounded: of a comment of a megabyte the first few thousand characters are looked at.
import { didYouMean } from "../config/did-you-mean.ts";
import { type Command, SYNONYMS, VERBS, type Verb, verbEntry } from "../domain/command.ts";
import { cutText, oneLine } from "../domain/text/cut-text.ts";
import { smallTalk } from "../domain/text/low-information.ts";

/** Of a comment, and of its first line. Verbs stand at the start; the longest text is a question. */
const READ = 20_000;
const LINE = 4_000;

/** What may stand before a mention that gives an order: "hi @kodiai review". */
const GREETING = /^(?:(?:hi|hey|hello|dear|please|ok|okay|thanks|so|and|cc)\b)?[\s,.!:]{0,5}$/i;
/** What people add to a verb out of politeness. */
const FILLER = /^(?:please|pls|now|again|this|it|that|the pr|this pr|this pull request|thanks|thank you|[\s,.!?])+$/i;
const MENTION = /@([a-z\d][a-z\d-]{0,99})/gi;

/**
 * Reads a comment.
 *
 * @param text Markdown as it was written
 * @param slug the app's own name, under which it can be mentioned beside `@kodiai`
 * @returns null when the comment does not name us, or says no more than "thanks"
 */
export function readCommand(text: string, slug: string): Command | null {
  const { line, rest } = firstLine(text);
  const visible = withoutCode(line);
  const slash = /^ {0,3}\/kodiai(?=$|[\s:,])/i.exec(visible);
  if (slash !== null) return verbOf(line.slice(slash[0].length), rest) ?? unknown(line.slice(slash[0].length));
  const mention = findMention(visible, slug);
  if (mention === null) return null;
  const behind = line.slice(mention.end);
  if (!GREETING.test(visible.slice(0, mention.start).trim())) return asking(withoutMention(line, slug), rest);
  return ordered(behind, rest);
}

/** What a reply says that does not name us; null when it asks nothing, or speaks to somebody else. */
export function readReply(text: string): Command | null {
  const { line } = firstLine(text);
  if (/^\s{0,3}@[a-z\d]/i.test(line) || /^\s{0,3}[/!][a-z]/i.test(line)) return null;
  const question = cutText(readable(text), verbEntry("ask").text);
  return question === "" || smallTalk(question) !== null ? null : { kind: "reply", text: question };
}

/** A line without the mentions of us; the rest stays as it is. */
export function withoutMention(line: string, slug: string): string {
  const found = findMention(withoutCode(line), slug);
  return found === null ? line : `${line.slice(0, found.start)}${line.slice(found.end)}`.trim();
}

/** After a mention: a verb, else a question; one strange word alone is most likely a slip of the finger. */
function ordered(behind: string, rest: string): Command | null {
  const told = plain(behind);
  if (told === "" && rest === "") return { kind: "verb", verb: "help", text: "" };
  const command = verbOf(behind, rest);
  const takesText = command !== null && command.kind === "verb" && verbEntry(command.verb).text > 0;
  if (command !== null && (takesText || FILLER.test(`${afterVerb(behind)} `))) return command;
  if (smallTalk(told) !== null && rest === "") return null;
  const isWord = /^[\p{L}-]{1,40}$/u.test(told) && rest === "";
  return isWord ? unknown(behind) : asking(told, rest);
}

function asking(line: string, rest: string): Command | null {
  const text = question(line, rest);
  return text === "" || smallTalk(text) !== null ? null : { kind: "verb", verb: "ask", text };
}

function verbOf(behind: string, rest: string): Command | null {
  const told = plain(behind);
  if (told === "") return { kind: "verb", verb: "help", text: "" };
  const verb = verbAt(told);
  if (verb === null) return null;
  const after = afterVerb(behind);
  const { text: most } = verbEntry(verb);
  if (verb === "explain" && !FILLER.test(`${after} `)) return { kind: "verb", verb: "ask", text: question(told, rest) };
  const takesMore = verb === "ask" || verb === "remember";
  const said = takesMore ? question(after, rest) : FILLER.test(`${after} `) ? "" : oneLine(after);
  return { kind: "verb", verb, text: cutText(said, most) };
}

function unknown(behind: string): Command {
  const word = cutText(/^\S*/.exec(plain(behind))?.[0] ?? "", 40);
  const known = [...VERBS.map(({ verb }) => verb), ...SYNONYMS.keys()];
  const near = didYouMean(word, known);
  return { kind: "unknown", word, nearest: near === null ? null : verbAt(near) };
}

/** The verb at the start, as a whole word. */
function verbAt(told: string): Verb | null {
  const word = /^[\p{L}]{1,20}(?![\p{L}\p{N}_-])/u.exec(told)?.[0].toLowerCase() ?? "";
  if (word === "full") return /^full\s{1,5}review(?![\p{L}\p{N}_-])/iu.test(told) ? "full review" : null;
  return SYNONYMS.get(word) ?? VERBS.find(({ verb }) => verb === word)?.verb ?? null;
}

function afterVerb(behind: string): string {
  return plain(plain(behind).replace(/^(?:full\s{1,5}review|\p{L}{1,20})/iu, ""));
}

/** Without what stands between a name and what is asked. */
function plain(text: string): string {
  return text.replace(/^[\s,:;.!]{1,20}/, "").trim();
}

function question(line: string, rest: string): string {
  return cutText(readable(rest === "" ? line : `${line}\n${rest}`), verbEntry("ask").text);
}

/** Comments that nobody sees are no part of what is said. */
function readable(text: string): string {
  return cutBetween(text.slice(0, READ), "<!--", "-->").toWellFormed().trim();
}

/** The first line that holds anything, and what follows. A quotation, fence or block of code holds no order: "". */
function firstLine(text: string): { readonly line: string; readonly rest: string } {
  const read = text.slice(0, READ);
  const start = /[^\s]/.exec(read)?.index ?? 0;
  const from = read.lastIndexOf("\n", start) + 1;
  const end = read.indexOf("\n", start);
  const line = read.slice(from, end < 0 ? undefined : end).slice(0, LINE);
  const rest = end < 0 ? "" : read.slice(end + 1).trim();
  return /^(?: {4}| {0,3}\t| {0,3}(?:>|```|~~~))/.test(line) ? { line: "", rest: "" } : { line, rest };
}

/** The line with code spans and HTML comments blanked out, every other character at its place. */
function withoutCode(line: string): string {
  const blank = (text: string) => "\0".repeat(text.length);
  const shown = replaceBetween(line, "<!--", "-->", blank);
  // A span ends at a run of as many backticks as it began with; fewer or more of them are part of it.
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

/** `foo@kodiai.com` is an address. */
function opensAt(line: string, at: number): boolean {
  return at === 0 || /[\s(,:;"']/.test(line.charAt(at - 1));
}

/** `@kodiai/team`, `@kodiai.com`, `@kodiaié` are others. */
function closesAt(line: string, at: number): boolean {
  return !/^(?:[\p{L}\p{N}_/@-]|\.[\p{L}\p{N}])/u.test(line.slice(at, at + 3));
}

function cutBetween(text: string, open: string, close: string): string {
  return replaceBetween(text, open, close, () => "");
}

/** Every stretch between two marks, marks included; without a closing mark, the rest. Linear. */
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
