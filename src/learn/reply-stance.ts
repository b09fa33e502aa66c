// What a reply in the thread of a finding says about it. Words decide, and only clear ones: a reply that takes no side, or
// asks, teaches nothing.
import { oneLine } from "../domain/cut-text.ts";
import type { Stance } from "../domain/evidence.ts";

/** Characters that are read; who takes longer to say whether it is right argues about something else. */
const READ = 2_000;

/** Phrases that reject and are a reason themselves. */
const REASONS =
  /\b(?:by design|intentional(?:ly)?|on purpose|deliberate(?:ly)?|as (?:intended|designed|expected)|expected behaviou?r|false positive|not (?:applicable|relevant|reachable|used|an? (?:issue|bug|problem|vulnerability|secret|real))|(?:isn't|is not|ain't) an? (?:issue|bug|problem|vulnerability|secret|real)|out of scope|already (?:handled|validated|escaped|sanitized|sanitised|checked|covered)|test (?:data|fixture|key|credential)s?|never (?:null|empty|negative|untrusted|reached))\b/i;
/** Phrases that reject and say no more than that. */
const REJECTS =
  /\b(?:won'?t ?fix|will not (?:fix|change)|(?:i )?disagree|not (?:going to|gonna) (?:fix|change)|nope|wrong|incorrect|nonsense|noise|useless|don't agree|do not agree|nit ?pick)\b|^no\b/i;
const AGREES =
  /\b(?:good (?:catch|point|find)|nice (?:catch|find)|great (?:catch|point)|well spotted|you(?:'re| are) right|that'?s right|agreed|i agree|makes sense|fixed|done|addressed|will (?:fix|do|change)|thanks,? (?:fixed|will)|valid point|resolved in)\b/i;
/** Right before a phrase, these turn it round or leave it open. */
const TURNS =
  /(?:\b(?:not|isn't|is not|wasn't|never|don't think (?:this|it|that)(?: is|'s)|not sure (?:if |whether )?(?:this|it|that)(?: is|'s)?|no longer|hardly|unless(?: it| this| that)(?: is|'s)?|should be|needs? to be|to be|haven't|hasn't|cannot be|can't be) (?:a |an |really |quite |yet |been )?)$/i;
const CAUSE = /\b(?:because|since|as (?:we|it|this|the)|due to|so that|the reason|otherwise)\b|[:;–—]\s*\S/i;

/**
 * Linear in the text. Quoted lines, code and markup are not the writer's own words and do not count.
 *
 * @param body Markdown as it stands on GitHub; untrusted
 */
export function replyStance(body: string): Stance {
  const text = oneLine(ownWords(body.slice(0, READ)));
  if (text === "") return "other";
  if (isQuestion(text)) return "asks";
  const isReason = says(text, REASONS);
  const rejects = isReason || says(text, REJECTS);
  const agrees = says(text, AGREES);
  // "Good catch, but by design": both sides, and nobody can tell which one counts.
  if (rejects === agrees) return "other";
  if (agrees) return "agrees";
  return isReason || CAUSE.test(text) ? "declines" : "rejects";
}

function ownWords(body: string): string {
  const withoutCode = body.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/<!--[\s\S]*?(?:-->|$)/g, " ");
  return withoutCode
    .split("\n")
    .filter((line) => !/^\s{0,3}>/.test(line))
    .join("\n")
    .replace(/`[^`\n]{0,200}`/g, " ");
}

/** The last sentence asks, and nothing was said before it that takes a side. */
function isQuestion(text: string): boolean {
  return text.endsWith("?") && !/[.!]\s/.test(text);
}

/** True when the first such phrase is meant as it stands. */
function says(text: string, phrase: RegExp): boolean {
  const found = phrase.exec(text);
  return found !== null && !TURNS.test(text.slice(Math.max(0, found.index - 60), found.index));
}
