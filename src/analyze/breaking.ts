// Finds the places in parsed title, body and commits that announce a breaking change.

import type { BreakingSource } from "../domain/signals.ts";
import type { ProseLine, ProseTexts } from "./intent-prose.ts";
import { type ParsedTitle, parseTitle } from "./title.ts";

/** Further places add nothing to the decision; a changelog pasted as a body has hundreds. */
const MAX_SOURCES = 20;
const BREAKING_TAG = /^(?:breaking|breaking[ -]changes?|bc[ -]breaks?)$/;

/**
 * The places that announce a breaking change: `!`, `BREAKING CHANGE:` and tags in the title; prose,
 * headings, checkboxes and answers in the body; `!` and footers in commits. Negated words
 * ("non-breaking", "no breaking changes"), unticked boxes, template comments, code and quotations
 * announce nothing. At most 20 places, title first.
 */
export function breakingSources({ title, body, commits }: ProseTexts<ParsedTitle>): readonly BreakingSource[] {
  const found = new Map<string, BreakingSource>();
  const keep = (source: BreakingSource) => {
    if (found.size < MAX_SOURCES) found.set(`${source.where} ${source.text}`, source);
  };
  if (titleAnnounces(title)) keep({ where: "title", text: titleText(title) });
  for (const text of breakingBody(body)) keep({ where: "body", text });
  for (const text of commits.flatMap(commitTexts)) keep({ where: "commit", text });
  return [...found.values()];
}

function titleAnnounces(title: ParsedTitle): boolean {
  if (title.breaking || title.otherTags.some((tag) => BREAKING_TAG.test(tag))) return true;
  const footer = FOOTER.exec(title.untagged);
  return footer !== null && !saysNo(title.untagged.slice(footer[0].length));
}

function titleText(title: ParsedTitle): string {
  const tag = title.otherTags.find((otherTag) => BREAKING_TAG.test(otherTag));
  return excerpt(`${tag === undefined ? "" : `[${tag}] `}${title.untagged}`, 0);
}

/** A commit announces in its header and footers; its prose often describes other changes. */
function commitTexts([header, ...lines]: readonly ProseLine[]): readonly string[] {
  const title = parseTitle(header?.raw ?? "");
  const texts = titleAnnounces(title) ? [titleText(title)] : [];
  for (const { masked, raw } of lines) {
    const footer = masked === "" ? null : FOOTER.exec(masked);
    if (footer !== null && announcement(masked) !== null) texts.push(excerpt(raw, footer.index));
  }
  return texts;
}

// Finds announcements of breaking changes in the prose of a pull request's description.
// Descriptions are mostly filled-in templates, so labels, questions and boxes are read together
// with their answers.

interface Block {
  readonly isHeading: boolean;
  readonly box: "ticked" | "unticked" | null;
  readonly masked: string;
  readonly raw: string;
}

/** Blocks below a question that may hold its answer: six cover the longest list seen. */
const ANSWER_REACH = 6;

const HEADING = /^\s{0,3}#{1,6}(?=\s)/;
const RULE = /^\s{0,3}(?:-{3,}|={3,})\s*$/;
const ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?/;
/** Lines that never continue the paragraph above: table rows, trailers, announcements. */
const OWN_LINE = /^\s*(?:\||[A-Z][\w-]{2,30}: |(?:\*\*)?BREAKING)/;

/** The texts (at most 120 characters each) that announce a breaking change, in order. */
function breakingBody(body: readonly ProseLine[]): readonly string[] {
  const blocks = readBlocks(body);
  return blocks.flatMap((block, index) => {
    const at = announcedAt(block, blocks, index);
    return at === null ? [] : [excerpt(block.raw, at)];
  });
}

function announcedAt(block: Block, blocks: readonly Block[], index: number): number | null {
  if (block.box === "unticked") return null;
  const mention = mentionsBreaking(block.masked);
  if (mention !== null && isQuestion(mention.after)) {
    const rest = mention.after.slice(mention.after.indexOf("?") + 1);
    const yes = answer(rest) === "" ? answerBelow(blocks, index) === "yes" : saysYes(rest);
    return yes ? mention.at : null;
  }
  const found = announcement(block.masked);
  if (found === null) return null;
  if (!block.isHeading && !isLabel(block.masked, found)) return found.at;
  const below = answerBelow(blocks, index);
  return below === "yes" || below === "text" ? found.at : null;
}

/** A question mark in the sentence: "Is this a breaking change?", "Breaking change (API)?". */
function isQuestion(after: string): boolean {
  return /^[^.!?\n]{0,80}\?/.test(after);
}

/**
 * The words are alone: "**Breaking changes:**", "[Breaking changes](address)". A ticked box by
 * itself is an announcement.
 */
function isLabel(masked: string, { at, after }: { readonly at: number; readonly after: string }): boolean {
  const before = masked.slice(0, at).replace(ITEM, "");
  const rest = after.replace(/^\]\([^()\s]{0,500}\)/, "");
  return !/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}`]/u.test(rest) && !ITEM.exec(masked)?.[1];
}

type Answer = "yes" | "no" | "text";

/** The text below a label, up to the next heading: yes, no, other text, or nothing. */
function answerBelow(blocks: readonly Block[], index: number): Answer | "nothing" {
  for (const block of blocks.slice(index + 1, index + 1 + ANSWER_REACH)) {
    if (block.isHeading) break;
    const said = block.box === "unticked" ? null : answerIn(block);
    if (said !== null) return said;
  }
  return "nothing";
}

function answerIn(block: Block): Answer | null {
  const text = block.masked.replace(ITEM, "");
  if (saysNo(text)) return "no";
  if (saysYes(text)) return "yes";
  if (!/[\p{L}\p{N}]/u.test(text)) return null;
  // A ticked box about something else ("[x] Tests added") is already the next question.
  return block.box === null || announcement(block.masked) !== null ? "text" : "no";
}

/** Joins soft-wrapped lines: a negation may be on the line above. */
function readBlocks(lines: readonly ProseLine[]): readonly Block[] {
  const blocks: Block[] = [];
  let open: ProseLine[] = [];
  const close = (isHeading: boolean) => {
    const block = open[0] === undefined ? null : blockOf(open, isHeading);
    if (block !== null) blocks.push(block);
    open = [];
  };
  for (const line of lines) {
    const rule = line.masked !== "" && RULE.test(line.masked);
    if (rule || line.masked.trim() === "") {
      close(rule);
      continue;
    }
    const heading = HEADING.test(line.masked);
    if (heading || ITEM.test(line.masked) || OWN_LINE.test(line.masked)) close(false);
    open.push(line);
    if (heading) close(true);
  }
  close(false);
  return blocks;
}

function blockOf(lines: readonly ProseLine[], isHeading: boolean): Block {
  const masked = lines.map((line) => line.masked).join(" ");
  const raw = lines.map((line) => line.raw).join(" ");
  const mark = ITEM.exec(masked)?.[1];
  const box = mark === undefined ? null : mark === " " ? "unticked" : "ticked";
  return { isHeading, box, masked, raw };
}

// The phrases that announce a breaking change, and the words around them that negate it.

/** Longest text of a source, in UTF-16 units. */
const MAX_TEXT = 120;
/** Words between a negation and the phrase: "not a backwards compatibility breaking change". */
const WORDS_BEFORE = 5;
/**
 * A hedge must be nearer: "would constitute a breaking change", but "fixes #12 and is a breaking
 * change" announces one.
 */
const HEDGE_WORDS = 4;
const REACH = 120;

const PHRASE = new RegExp(
  [
    "breaking[\\s-]{1,3}changes?",
    "breaking\\s(?:the\\s|our\\s|public\\s){0,2}(?:api|abi|interface|schema|protocol|contract)s?",
    "breaks\\sbackwards?[\\s-]compatibility",
    "backwards?[\\s-]incompatible",
  ]
    .map((words) => `(?<![\\p{L}\\p{N}_-])${words}(?![\\p{L}\\p{N}_-])`)
    .join("|"),
  "giu",
);

/** `BREAKING CHANGE:`, `**BREAKING-CHANGES**:`, `BREAKING (internals):` at the start of a line. */
const FOOTER =
  /^\s{0,3}(?:[-*+] )?(?:\p{Extended_Pictographic}\u{FE0F}? ?)?(?:\*\*|__)?(?:(?:[Bb]reaking|BREAKING)[ -](?:[Cc]hange|CHANGE)[Ss]?|BREAKING)(?:\*\*|__)?(?: ?\([^()]{1,60}\))?(?:\*\*|__)?[:：](?:\*\*|__)?/u;

const NEGATIONS = new Set(
  "not no non never without neither nor cannot zero none avoid avoids avoiding avoided prevent prevents preventing".split(
    " ",
  ),
);
/** Words that make it another project's breaking change, a question, or speculation. */
const HEDGES = new Set(
  (
    "would if whether any detect detects detecting catch catches check checks checked checking consider considered " +
    "fix fixes fixed fixing revert reverts due handle handles handling previous earlier list lists listed"
  ).split(" "),
);

const NO = /^(?:no|none|nope|n\/a|na|nil|false|nothing|not applicable|❌|✖|🚫)(?![\p{L}\p{N}])/iu;
const YES = /^(?:yes|yep|true|✅|✔)(?![\p{L}\p{N}])/iu;
/** Marks and a bracket between label and answer: `**Breaking change** (y/n)?: no`, `| … | no |`. */
const FILLER = /^[\s*_:：?|\-–—=>)\]]{0,12}(?:\([^()]{0,80}\)[\s*_:：?|\-–—=>]{0,12})?/u;
const TAKEN_BACK =
  /^\W{0,3}(?:(?:are|is|were|was|have|has|will|should)\s(?:not|no|never|none|avoided)|aren|isn|weren|wasn)(?!\w)/i;

/** Where words announce a breaking change, and the text after them; null when none do. */
function announcement(masked: string): { readonly at: number; readonly after: string } | null {
  const footer = FOOTER.exec(masked);
  if (footer !== null) {
    const after = masked.slice(footer[0].length);
    return saysNo(after) ? null : { at: 0, after };
  }
  for (const phrase of masked.matchAll(PHRASE)) {
    const after = masked.slice(phrase.index + phrase[0].length);
    if (!isNegated(masked, phrase.index) && !saysNo(after) && !TAKEN_BACK.test(after))
      return { at: phrase.index, after };
  }
  return null;
}

/** The phrase, negated or not, because a question about it may be answered below. */
function mentionsBreaking(masked: string): { readonly at: number; readonly after: string } | null {
  const phrase = masked.matchAll(PHRASE).next().value;
  return phrase === undefined ? null : { at: phrase.index, after: masked.slice(phrase.index + phrase[0].length) };
}

/** The text after a label answers no: "No", ": none", "| n/a |", "(y/n)? no". */
function saysNo(after: string): boolean {
  return NO.test(answer(after));
}

function saysYes(after: string): boolean {
  return YES.test(answer(after));
}

/** The text after a label without the marks that lead to it. */
function answer(after: string): string {
  return after.replace(FILLER, "");
}

/** At most 120 characters of `text` around `at`, white space folded, whole characters only. */
function excerpt(text: string, at: number): string {
  const start = at <= MAX_TEXT / 2 ? 0 : at - MAX_TEXT / 3;
  const piece = text
    .slice(start, start + MAX_TEXT * 2)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_TEXT);
  return piece.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "").trim();
}

function isNegated(text: string, at: number): boolean {
  const clause =
    text
      .slice(Math.max(0, at - REACH), at)
      .split(/[.;:!?,(|]|\bbut\b/)
      .at(-1) ?? "";
  const words = (clause.match(/[\p{L}\p{N}'’]+/gu) ?? []).slice(-WORDS_BEFORE).map((word) => word.toLowerCase());
  return (
    words.some((word) => NEGATIONS.has(word) || /n['’]t$/.test(word)) ||
    words.slice(-HEDGE_WORDS).some((word) => HEDGES.has(word))
  );
}
