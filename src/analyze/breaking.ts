// Finds the places in parsed title, body and commits that announce a breaking change.

import type { BreakingSource } from "../domain/signals.ts";
import { announcement, answer, excerpt, FOOTER, mentionsBreaking, saysNo, saysYes } from "./breaking-phrase.ts";
import type { ProseLine } from "./intent-prose.ts";
import { type ParsedTitle, parseTitle } from "./title.ts";

/** Further places add nothing to the decision; a changelog pasted as a body has hundreds. */
const MAX_SOURCES = 20;
const BREAKING_TAG = /^(?:breaking|breaking[ -]changes?|bc[ -]breaks?)$/;

/**
 * The places that announce a breaking change: `!`, `BREAKING CHANGE:` and tags in the title; prose, headings, checkboxes and
 * answers in the body; `!` and footers in commits. Negated words ("non-breaking", "no breaking changes"), unticked boxes,
 * template comments, code and quotations announce nothing. At most 20 places, title first.
 */
export function breakingSources(input: {
  readonly title: ParsedTitle;
  readonly body: readonly ProseLine[];
  readonly commits: readonly (readonly ProseLine[])[];
}): readonly BreakingSource[] {
  const found = new Map<string, BreakingSource>();
  const keep = (source: BreakingSource) => {
    if (found.size < MAX_SOURCES) found.set(`${source.where} ${source.text}`, source);
  };
  if (titleAnnounces(input.title)) keep({ where: "title", text: titleText(input.title) });
  for (const text of breakingBody(input.body)) keep({ where: "body", text });
  for (const commit of input.commits) {
    for (const text of commitTexts(commit)) keep({ where: "commit", text });
  }
  return [...found.values()];
}

function titleAnnounces(title: ParsedTitle): boolean {
  if (title.breaking || title.otherTags.some((tag) => BREAKING_TAG.test(tag))) return true;
  const footer = FOOTER.exec(title.untagged);
  return footer !== null && !saysNo(title.untagged.slice(footer[0].length));
}

function titleText(title: ParsedTitle): string {
  const tag = title.otherTags.find((one) => BREAKING_TAG.test(one));
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

// Finds announcements of breaking changes in the prose of a pull request's description. Descriptions are mostly
// filled-in templates, so labels, questions and boxes are read together with their answers.

interface Block {
  readonly kind: "heading" | "item" | "text";
  readonly box: "ticked" | "unticked" | null;
  readonly masked: string;
  readonly raw: string;
}

/** Blocks below a question that may hold its answer: six cover the longest list of boxes seen in templates. */
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
  if (block.kind !== "heading" && !isLabel(block.masked, found)) return found.at;
  const below = answerBelow(blocks, index);
  return below === "yes" || below === "text" ? found.at : null;
}

/** A question mark in the sentence: "Does this introduce a breaking change?", "Breaking change (API)?". */
function isQuestion(after: string): boolean {
  return /^[^.!?\n]{0,80}\?/.test(after);
}

/**
 * The words are alone: "**Breaking changes:**", "[Breaking changes](address)". A ticked box by itself is an
 * announcement.
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
    if (block.kind === "heading") break;
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
  const close = (asHeading: boolean) => {
    const block = open[0] === undefined ? null : blockOf(open, asHeading);
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

function blockOf(lines: readonly ProseLine[], asHeading: boolean): Block {
  const masked = lines.map((line) => line.masked).join(" ");
  const raw = lines.map((line) => line.raw).join(" ");
  const item = ITEM.exec(masked);
  const box = item?.[1] === undefined ? null : item[1] === " " ? "unticked" : "ticked";
  return { kind: asHeading ? "heading" : item === null ? "text" : "item", box, masked, raw };
}
