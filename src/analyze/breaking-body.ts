// Breaking changes announced in a pull request's description: its prose comes in, the announcing texts come out.
// Descriptions are mostly filled-in templates, so labels, questions and boxes are read together with their answers.
import { announcement, answer, excerpt, mentionsBreaking, saysNo, saysYes } from "./breaking-phrase.ts";
import type { ProseLine } from "./intent-prose.ts";

interface Block {
  readonly kind: "heading" | "item" | "text";
  readonly box: "ticked" | "unticked" | null;
  readonly masked: string;
  readonly raw: string;
}

/** An answer stands directly under its question; six blocks hold the longest list of boxes seen in templates. */
const ANSWER_REACH = 6;

const HEADING = /^\s{0,3}#{1,6}(?=\s)/;
const RULE = /^\s{0,3}(?:-{3,}|={3,})\s*$/;
const ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?/;
/** Lines that never continue the paragraph above: table rows, trailers, announcements. */
const OWN_LINE = /^\s*(?:\||[A-Z][\w-]{2,30}: |(?:\*\*)?BREAKING)/;

/** The texts (at most 120 characters each) that announce a breaking change, in order. */
export function breakingBody(body: readonly ProseLine[]): readonly string[] {
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

/** The words stand alone: "**Breaking changes:**", "[Breaking changes](address)". A ticked box alone is an announcement. */
function isLabel(masked: string, { at, after }: { readonly at: number; readonly after: string }): boolean {
  const before = masked.slice(0, at).replace(ITEM, "");
  const rest = after.replace(/^\]\([^()\s]{0,500}\)/, "");
  return !/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}`]/u.test(rest) && !ITEM.exec(masked)?.[1];
}

type Answer = "yes" | "no" | "text";

/** What stands under a label, up to the next heading: yes, no, other text, or nothing. */
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
  // A ticked box about something else ("[x] Tests added") is the next question already.
  return block.box === null || announcement(block.masked) !== null ? "text" : "no";
}

/** Soft-wrapped lines belong together: a negation may stand on the line above. */
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
