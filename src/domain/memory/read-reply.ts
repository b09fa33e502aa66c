// Classifies a reply to a comment by closed lists of phrases, clause by clause, so that "not done
// yet" and "once this is fixed" count as nothing. Used for findings, for the import of past
// reviews, and for replays.

import type { MemoryRecord } from "../memory.ts";
import type { Stance } from "./evidence.ts";

export interface ReplyReading {
  readonly stance: Stance;
  /** The reply states that the request was carried out; only with `agrees`. */
  readonly saysDone: boolean;
}

/** `reason` rejects with a reason; `no` rejects. */
type Verdict = "reason" | "no" | "yes" | "done";

/** Anywhere in a clause, unless the words before take them back. At most four words each. */
const PHRASES: ReadonlyMap<string, Verdict> = new Map([
  ...phrases("reason", [
    "by design|false positive|works as intended|working as intended|as intended|as designed|as expected",
    "expected behavior|expected behaviour|out of scope|on purpose|intentional|intentionally|deliberate|deliberately",
    "not applicable|not relevant|not reachable|not used|not needed|not necessary|not required|no need",
    "already handled|already validated|already escaped|already sanitized|already sanitised|already checked",
    "already covered|never null|never empty|never negative|never untrusted|never reached",
    "a test fixture|is test data|only test data|just test data|a test key|a test credential|are test credentials",
  ]),
  ...["not a", "not an", "isn't a", "isn't an", "ain't a", "ain't an", "not a real"].flatMap((no) =>
    phrases("reason", ["bug|problem|issue|vulnerability|secret"], `${no} `),
  ),
  ...phrases("no", [
    "won't fix|wont fix|wontfix|won't do|won't change|will not fix|will not change|not going to fix|not going to change",
    "i disagree|we disagree|don't agree|do not agree|don't think so|rather keep|rather not|prefer not|prefer to keep",
    "prefer to leave|leave it as|leave this as|leave that as|keep it as is|keep this as is|keep that as is",
    "keep it as it|keep this as it",
  ]),
  ...phrases("yes", [
    "good catch|nice catch|great catch|good point|great point|fair point|valid point|good call|good find|nice find",
    "you're right|you are right|that's right|makes sense|i agree|my bad|well spotted|will fix|i'll fix|will change",
    "i'll change|will do|will update|i'll update",
  ]),
  ...phrases("done", ["pushed a fix|has been fixed|have been fixed|has been addressed|been resolved in"]),
]);

/** At the beginning of a clause only: "we have done this elsewhere" is no reply to the comment. */
const OPENERS: ReadonlyMap<string, Verdict> = new Map([
  ...phrases("done", ["done|fixed|addressed|resolved|updated|changed|applied|corrected|removed|renamed"]),
  ...phrases("yes", ["agreed|agree|right|correct|indeed|true|absolutely|oops|whoops"]),
  ...phrases("no", ["disagree|nope|wrong|incorrect|nonsense|noise|useless|nitpick"]),
]);

/** Count only as a whole clause. */
const ALONE: ReadonlyMap<string, Verdict> = new Map([
  ...phrases("yes", ["+1|👍"]),
  ...phrases("done", ["✅"]),
  ...phrases("no", ["no|-1|👎"]),
]);

function phrases(verdict: Verdict, lists: readonly string[], before = ""): readonly (readonly [string, Verdict])[] {
  return lists.flatMap((list) => list.split("|").map((phrase) => [`${before}${phrase}`, verdict] as const));
}

/** Words before the one that counts: "it has been", "should now be" and the like. */
const LEAD_INS = new Set(
  (
    "ok okay yes yeah yep yup ah oh hm hmm thanks thank you sure all both also now already just i i've have has been it it's " +
    "is this that's that was good great ha right"
  ).split(" "),
);

/** At most this many words before a phrase, they take it back or defer it. */
const TAKES_BACK = new Set(
  (
    "not no never don't doesn't didn't isn't wasn't aren't can't cannot couldn't wouldn't shouldn't hardly without why if when " +
    "once until unless whether should must could would might needs need to be"
  ).split(" "),
);
const REACH = 5;

/** "Rather" and "prefer" are polite: "I would rather keep it" is still a no. */
const POLITE = new Set(["rather", "prefer"]);

/**
 * After an opener: "fixed size arrays", "done by the caller", "changed files" describe the code.
 */
const GOES_ON = new Set(
  "size sized width length point by when once if until in-place files lines only names values at".split(" "),
);

/** Signs of a reason in a rejection. */
const CAUSE = /\b(?:because|since|as (?:we|it|this|the)|due to|so that|the reason|otherwise)\b|[:;–—]\s*\S/i;

/** UTF-16 units of a reply that are read: the verdict comes first, logs and quotes follow. */
const READ = 2_000;
const MOST_CLAUSES = 60;

/**
 * Quoted lines, code and markup are not the writer's own words and do not count. A reply that both
 * agrees and rejects counts as a rejection: the courtesy comes first, the decision after it. Done
 * and rejected exclude each other, so together they count as nothing.
 *
 * @param body Markdown by anyone: never throws, linear in it
 */
export function readReply(body: string): ReplyReading {
  const text = ownWords(body.slice(0, READ));
  const found = new Set(clausesOf(text).map(readClause));
  const rejects = found.has("reason") || found.has("no");
  if (rejects && found.has("done")) return saying("other");
  if (rejects) return saying(found.has("reason") || CAUSE.test(text) ? "declines" : "rejects");
  if (found.has("done")) return { stance: "agrees", saysDone: true };
  if (found.has("yes")) return saying("agrees");
  return saying(text.trim().endsWith("?") ? "asks" : "other");
}

function saying(stance: Stance): ReplyReading {
  return { stance, saysDone: false };
}

/** Without code, markup and quotes of others. */
function ownWords(body: string): string {
  return body
    .split("```")
    .filter((_, index) => index % 2 === 0)
    .join(" ")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, " ")
    .replace(/`[^`\n]{0,200}`/g, " ")
    .split("\n")
    .filter((line) => !line.trimStart().startsWith(">"))
    .join("\n")
    .replaceAll("’", "'");
}

function clausesOf(text: string): readonly string[] {
  return text.toLowerCase().split(/(?<=[.!?;:,\n()—–])|\s-\s|\bbut\b|\bthough\b/u, MOST_CLAUSES);
}

function readClause(clause: string): Verdict | null {
  const words = clause.match(/[\p{L}\p{N}][\p{L}\p{N}'-]*|[+-]1|👍|👎|✅/gu) ?? [];
  if (words.length === 0 || clause.trim().endsWith("?")) return null;
  const alone = words.length === 1 ? ALONE.get(words[0] ?? "") : undefined;
  return alone ?? phraseIn(words) ?? openerOf(words);
}

function phraseIn(words: readonly string[]): Verdict | null {
  for (let at = 0; at < words.length; at++) {
    for (const length of [1, 2, 3, 4]) {
      const verdict = PHRASES.get(words.slice(at, at + length).join(" "));
      if (verdict !== undefined && !isTakenBack(words, at)) return verdict;
    }
  }
  return null;
}

function isTakenBack(words: readonly string[], at: number): boolean {
  const before = words.slice(Math.max(0, at - REACH), at);
  const isPolite = POLITE.has(words[at] ?? "");
  return before.some((word) => TAKES_BACK.has(word) && !(isPolite && word === "would"));
}

function openerOf(words: readonly string[]): Verdict | null {
  const at = words.findIndex((word) => !LEAD_INS.has(word));
  // "right" and "correct" may be the whole text.
  const place = at < 0 ? words.length - 1 : at;
  const verdict = OPENERS.get(words[place] ?? "");
  return verdict === undefined || GOES_ON.has(words[place + 1] ?? "") ? null : verdict;
}

/**
 * True for a declined memory, and for an undecided one with a rejecting reply: a hint to count,
 * never to act on.
 */
export function isDeclined({ outcome, replies }: Pick<MemoryRecord, "outcome" | "replies">): boolean {
  if (outcome !== null && outcome !== "posted") return outcome === "declined";
  return replies.some((reply) => ["declines", "rejects"].includes(readReply(reply).stance));
}
