// What a reply says about the comment that it answers: closed lists of phrases, read clause by clause, so that "not done
// yet" and "once this is fixed" are no verdicts.
import type { Outcome } from "../domain/memory.ts";

type Verdict = Extract<Outcome, "accepted" | "declined" | "fixed">;

/** Anywhere in a clause, unless what stands before takes them back. */
const PHRASES: ReadonlyMap<string, Verdict> = new Map([
  ...[
    "won't fix",
    "wont fix",
    "wontfix",
    "will not fix",
    "not a bug",
    "not a problem",
    "not an issue",
    "by design",
  ].map((phrase) => [phrase, "declined"] as const),
  ...[
    "false positive",
    "works as intended",
    "working as intended",
    "as intended",
    "out of scope",
    "not applicable",
  ].map((phrase) => [phrase, "declined"] as const),
  ...["is intentional", "was intentional", "that's intentional", "it's intentional", "on purpose", "is deliberate"].map(
    (phrase) => [phrase, "declined"] as const,
  ),
  ...["i disagree", "don't agree", "do not agree", "don't think so", "rather keep", "rather not", "no need"].map(
    (phrase) => [phrase, "declined"] as const,
  ),
  ...["not necessary", "not needed", "leave it as", "leave this as", "keep it as is", "keep this as is"].map(
    (phrase) => [phrase, "declined"] as const,
  ),
  ...[
    "good catch",
    "nice catch",
    "great catch",
    "good point",
    "great point",
    "fair point",
    "good call",
    "nice find",
  ].map((phrase) => [phrase, "accepted"] as const),
  ...["good find", "you're right", "you are right", "makes sense", "i agree", "my bad", "well spotted"].map(
    (phrase) => [phrase, "accepted"] as const,
  ),
  ...["will fix", "i'll fix", "will change", "i'll change", "will do", "will update", "i'll update"].map(
    (phrase) => [phrase, "accepted"] as const,
  ),
  ...["pushed a fix", "has been fixed", "have been fixed", "has been addressed", "been resolved in"].map(
    (phrase) => [phrase, "fixed"] as const,
  ),
]);

/** At the beginning of a clause only: "we have done this elsewhere" says nothing about the comment. */
const OPENERS: ReadonlyMap<string, Verdict> = new Map([
  ...["done", "fixed", "addressed", "resolved", "updated", "changed", "applied", "corrected", "removed", "renamed"].map(
    (word) => [word, "fixed"] as const,
  ),
  ...["agreed", "agree", "right", "correct", "indeed", "true", "absolutely", "oops", "whoops"].map(
    (word) => [word, "accepted"] as const,
  ),
  ...["disagree", "nope", "intentional", "deliberate", "wontfix"].map((word) => [word, "declined"] as const),
]);

/** What people say before the word that counts. "it has been", "should now be" and the like. */
const LEAD_INS = new Set(
  (
    "ok okay yes yeah yep yup ah oh hm hmm thanks thank you sure all both also now already just i i've have has been it it's " +
    "is this that's that was good great ha right"
  ).split(" "),
);

/** In front of a phrase, at most this many words before it, they take it back or put it off. */
const TAKES_BACK = new Set(
  (
    "not no never don't doesn't didn't isn't wasn't aren't can't cannot couldn't wouldn't shouldn't hardly without why if when " +
    "once until unless whether should must could would might needs need to be"
  ).split(" "),
);
const REACH = 5;

/** Behind an opener: "fixed size arrays", "done by the caller", "changed files" describe the code. */
const GOES_ON = new Set(
  "size sized width length point by when once if until in-place files lines only names values at".split(" "),
);

/** Replies are read so far, in UTF-16 units: a verdict comes first, logs and quotes follow. */
const READ = 2_000;
const MOST_CLAUSES = 60;

/**
 * @param body Markdown of a reply, by anybody: never throws, linear in it
 * @returns null when it gives no verdict, asks for one, or gives two that do not go together
 */
export function readVerdict(body: string): Verdict | null {
  const found = new Set<Verdict>();
  for (const clause of clausesOf(body)) {
    const verdict = readClause(clause);
    if (verdict !== null) found.add(verdict);
  }
  if (found.has("fixed")) return found.has("declined") ? null : "fixed";
  // "Good catch, but out of scope here": the courtesy comes first, the decision after it.
  if (found.has("declined")) return "declined";
  return found.has("accepted") ? "accepted" : null;
}

interface Clause {
  readonly words: readonly string[];
  readonly asks: boolean;
}

function clausesOf(body: string): readonly Clause[] {
  const said = withoutCode(body.slice(0, READ))
    .split("\n")
    .filter((line) => !line.trimStart().startsWith(">"))
    .join("\n")
    .toLowerCase()
    .replaceAll("’", "'");
  return said.split(/(?<=[.!?;:,\n()—–])|\s-\s|\bbut\b|\bthough\b/u, MOST_CLAUSES).map((text) => ({
    words: text.match(/[\p{L}\p{N}][\p{L}\p{N}'-]*|\+1|👍|✅/gu) ?? [],
    asks: text.trim().endsWith("?"),
  }));
}

/** Fenced and quoted code says what the program says. */
function withoutCode(text: string): string {
  return text
    .split("```")
    .filter((_, index) => index % 2 === 0)
    .join(" ")
    .replace(/`[^`\n]{0,200}`/g, " ");
}

const SIGNS: ReadonlyMap<string, Verdict> = new Map([
  ["+1", "accepted"],
  ["👍", "accepted"],
  ["✅", "fixed"],
]);

function readClause({ words, asks }: Clause): Verdict | null {
  if (asks || words.length === 0) return null;
  const [only = ""] = words;
  if (words.length === 1 && SIGNS.has(only)) return SIGNS.get(only) ?? null;
  return phraseIn(words) ?? openerOf(words);
}

function phraseIn(words: readonly string[]): Verdict | null {
  for (let at = 0; at < words.length; at++) {
    for (const length of [1, 2, 3, 4]) {
      const verdict = PHRASES.get(words.slice(at, at + length).join(" "));
      if (verdict === undefined) continue;
      if (!words.slice(Math.max(0, at - REACH), at).some((word) => TAKES_BACK.has(word))) return verdict;
    }
  }
  return null;
}

function openerOf(words: readonly string[]): Verdict | null {
  const at = words.findIndex((word) => !LEAD_INS.has(word));
  // "right" and "correct" may be all that is said.
  const place = at < 0 ? words.length - 1 : at;
  const verdict = OPENERS.get(words[place] ?? "");
  if (verdict === undefined || GOES_ON.has(words[place + 1] ?? "")) return null;
  return verdict;
}
