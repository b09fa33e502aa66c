// Questions and remarks that need no memory: greetings, thanks, agreement, sums. Whole texts only: "history of schema
// migrations" is no greeting, and "type guards for webhook payloads" is no goodbye.

/** Longer than this nobody merely greets. */
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

/** Which kind of small talk a whole text is; null when it asks or tells something. Linear in the text. */
export function smallTalk(text: string): "greeting or confirmation" | "arithmetic" | null {
  if (text.length > LONGEST) return null;
  const plain = text.replace(/\s+/g, " ").trim();
  if (SUM.test(plain)) return "arithmetic";
  return STARTS.test(plain) && SMALL_TALK.test(plain) ? "greeting or confirmation" : null;
}
