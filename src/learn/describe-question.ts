// The question for the fields of one memory: the remark, its replies and the code it was about, each fenced. One memory a
// question, so that what somebody wrote into a comment can bend the fields of that comment and of no other.
import { cutText } from "../domain/cut-text.ts";
import { fence } from "../domain/fence.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { estimatedTokens, type PromptPiece } from "../domain/model.ts";
import { shownText } from "../domain/shown-text.ts";
import { DESCRIBE_INSTRUCTIONS } from "./describe-instructions.ts";

/** UTF-16 units. A remark tells what it is about at its beginning; the code it is about stands at the end of its hunk. */
const TEXT_CHARS = 4_000;
const REPLY_CHARS = 800;
const REPLIES = 8;
const HUNK_CHARS = 3_000;

/** A situation of 70 words, a lesson and five tags are some 200 tokens; models that think first take more. */
export const DESCRIBE_REPLY_TOKENS = 2_000;
/** What a reply takes as a rule, for the estimate that is shown before anything is asked. */
const USUAL_REPLY_TOKENS = 250;

/** What is asked. */
export interface DescribeQuestion {
  readonly system: readonly PromptPiece[];
  readonly user: readonly PromptPiece[];
}

/** @param delimiter unguessable and new */
export function describeQuestion(record: MemoryRecord, delimiter: string): DescribeQuestion {
  const { path, language, severity, category, corpus } = record;
  const facts = [
    corpus === "finding" ? "It was posted by this reviewer itself." : null,
    language === "unknown" ? null : `Language: ${language}.`,
    severity === null ? null : `Severity: ${severity}.`,
    category === null ? null : `Category: ${category}.`,
  ].filter((fact) => fact !== null);
  const parts = [
    ["remark", cutText(shownText(record.text).text, TEXT_CHARS)],
    ["replies", repliesOf(record)],
    ["file", cutText(path ?? "", 500)],
    ["code", lastLines(record.hunk ?? "", HUNK_CHARS)],
  ] as const;
  const fenced = parts.filter(([, text]) => text.trim() !== "").map(([label, text]) => fence(label, text, delimiter));
  const text = [facts.join(" "), ...fenced, "Describe this remark."].filter((part) => part !== "").join("\n\n");
  return { system: [{ text: DESCRIBE_INSTRUCTIONS, cache: true }], user: [{ text, cache: false }] };
}

/** The first replies and the last: the last says how it ended. */
function repliesOf({ replies }: MemoryRecord): string {
  const shown =
    replies.length <= REPLIES ? replies : [...replies.slice(0, REPLIES / 2), ...replies.slice(-REPLIES / 2)];
  return shown.map((reply) => `- ${cutText(shownText(reply).text.trim(), REPLY_CHARS)}`).join("\n");
}

/** As long as any; nothing is asked with it. */
const SOME_DELIMITER = `kodiai-${"0".repeat(32)}`;

/** Tokens of the question about a memory, of its reply as a rule, and of its reply at most. */
export function describeTokens(record: MemoryRecord): {
  readonly input: number;
  readonly usual: number;
  readonly most: number;
} {
  const { system, user } = describeQuestion(record, SOME_DELIMITER);
  const chars = [...system, ...user].reduce((sum, { text }) => sum + text.length, 0);
  return { input: estimatedTokens(chars), usual: USUAL_REPLY_TOKENS, most: DESCRIBE_REPLY_TOKENS };
}

/** As many whole lines from the end as fit; of a line that is longer its beginning. */
function lastLines(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.indexOf("\n", text.length - most - 1) + 1;
  return start > 0 ? text.slice(start) : cutText(text.slice(text.lastIndexOf("\n") + 1), most);
}
