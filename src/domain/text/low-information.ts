// Does a comment carry information? "LGTM", "why?", a link or a bare suggestion block teach nothing
// about the next change.

/**
 * Shorter prose has no lesson. Of 10,840 comments flagged by hand: 1,049 right, 3 wrong, 69 missed.
 */
const LEAST_PROSE = 25;

/** One character of these scripts is a syllable or a word, and counts as two. */
const SYLLABLES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** UTF-16 units of a comment that are read. Bots append their analysis after that. */
const LONGEST_COMMENT = 20_000;

/**
 * Why a comment has low information, or null. The same rule decides what is remembered and how it
 * is ranked.
 *
 * @param text Markdown; never throws, linear in it
 */
export function lowInformation(text: string): string | null {
  const prose = proseOf(text);
  if (!saysLittle(prose)) return null;
  return prose === "" ? "no words beside code and links" : `fewer than ${LEAST_PROSE} characters beside code and links`;
}

/** Whether the sentences of a comment, see `visibleProse`, are too short to carry information. */
export function saysLittle(prose: string): boolean {
  return prose.length + (prose.match(SYLLABLES)?.length ?? 0) < LEAST_PROSE;
}

/** A comment's sentences, without code, markup, hidden comments, footers and links. Linear. */
export function proseOf(text: string): string {
  return visibleProse(withoutFooters(text));
}

/** `proseOf` for a text from `withoutFooters`. */
export function visibleProse(visible: string): string {
  return visible
    .replace(/```.*?(?:```|$)/gs, " ")
    .replace(/<[^<>\n]{0,200}>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** A comment without links, hidden comments and `<sup>` footers, each closed or up to the end. */
export function withoutFooters(text: string): string {
  return text
    .slice(0, LONGEST_COMMENT)
    .replace(/<!--.*?(?:-->|$)/gs, " ")
    .replace(/<sup>.*?(?:<\/sup>|$)/gs, " ")
    .replace(/https?:\/\/\S{1,2000}/g, " ");
}

/** A longer text is more than a greeting. */
const LONGEST = 80;

const WORDS =
  "hi|hello|hey|hiya|good (?:morning|afternoon|evening)|thanks|thank you|thx|ty|cheers|ok|okay|k|yes|yep|yeah|no|nope|sure|done|fixed|agreed|" +
  "right|true|great|nice|cool|perfect|awesome|lgtm|sounds good|makes sense|good (?:catch|point|idea|job|bot)|well done|got it|will do|bye|" +
  "my bad|fair enough|fair point|noted|\\+1|👍|🙏|🎉";
const FILLERS =
  "very|so|much|a lot|again|all|there|everyone|then|for (?:this|that|the (?:review|help|catch))|i(?:'ll| will) (?:fix|change) (?:it|this|that)|now|you|it|that|this|is";
const SMALL_TALK = new RegExp(`^(?:(?:${WORDS}|${FILLERS})(?:[\\s,.!;:]{1,4}|$)){1,8}$`, "iu");
const STARTS = new RegExp(`^(?:${WORDS})(?:[\\s,.!;:]|$)`, "iu");
const SUM =
  /^\s*(?:what(?:'s| is)\s+)?\d{1,12}(?:\.\d{1,6})?(?:\s{0,3}[-+*/%^]\s{0,3}\d{1,12}(?:\.\d{1,6})?){1,10}[\s=?]{0,5}$/i;

/**
 * The kind of small talk that a text is, which needs no memory; null when it has content. Whole
 * texts only: "history of schema migrations" is no greeting. Linear in the text.
 */
export function smallTalk(text: string): "greeting or confirmation" | "arithmetic" | null {
  if (text.length > LONGEST) return null;
  const plain = text.replace(/\s+/g, " ").trim();
  if (SUM.test(plain)) return "arithmetic";
  return STARTS.test(plain) && SMALL_TALK.test(plain) ? "greeting or confirmation" : null;
}
