// The phrases that announce a breaking change, and the words around them that negate it.

/** Longest text of a source, in UTF-16 units. */
const MAX_TEXT = 120;
/** How many words before the phrase a negation may be: "not a backwards compatibility breaking change" needs four. */
const WORDS_BEFORE = 5;
/**
 * A hedge must be nearer: "would constitute a breaking change", but "fixes #12 and is a breaking change" announces one.
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

/** `BREAKING CHANGE:`, `BREAKING-CHANGE:`, `**BREAKING CHANGES**:`, `BREAKING (internals):` at the start of a line. */
export const FOOTER =
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
/** Marks, and a comment in brackets, between a label and its answer: `**Breaking change** (y/n)?: no`, `| … | no |`. */
const FILLER = /^[\s*_:：?|\-–—=>)\]]{0,12}(?:\([^()]{0,80}\)[\s*_:：?|\-–—=>]{0,12})?/u;
const TAKEN_BACK =
  /^\W{0,3}(?:(?:are|is|were|was|have|has|will|should)\s(?:not|no|never|none|avoided)|aren|isn|weren|wasn)(?!\w)/i;

/**
 * Finds the announcement of a breaking change in a line or paragraph.
 *
 * @param masked text with unreadable code (see intentProse)
 * @returns the index of the announcing words, and the text after them; null without any, or when all are negated
 */
export function announcement(masked: string): { readonly at: number; readonly after: string } | null {
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
export function mentionsBreaking(masked: string): { readonly at: number; readonly after: string } | null {
  const phrase = masked.matchAll(PHRASE).next().value;
  return phrase === undefined ? null : { at: phrase.index, after: masked.slice(phrase.index + phrase[0].length) };
}

/** True when the text after a label answers no: "No", ": none", "| n/a |", "(y/n)? no". */
export function saysNo(after: string): boolean {
  return NO.test(answer(after));
}

/** True when the text after a label answers yes. */
export function saysYes(after: string): boolean {
  return YES.test(answer(after));
}

/** The text after a label without the marks that lead to it. */
export function answer(after: string): string {
  return after.replace(FILLER, "");
}

/** At most 120 characters of `text` around `at`, white space folded, whole characters only. */
export function excerpt(text: string, at: number): string {
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
