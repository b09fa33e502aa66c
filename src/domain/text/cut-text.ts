// Cuts text without splitting a character or leaving half of a token, which no redactor recognises.

/**
 * The mark that replaces a secret in any text: `‹redacted:github-token›`. It is inert in Markdown:
 * without brackets it cannot become part of a link or an image.
 */
export const REDACTION_MARK = /‹redacted:[a-z0-9-]{1,60}›/;
/** UTF-16 units of the longest mark. */
const LONGEST_MARK = 72;

/**
 * The characters of tokens, keys, passwords and addresses, and the invisible ones that may occur
 * between them; white space, quotes, brackets, commas and semicolons end them. `/` is in base64,
 * and in the addresses of webhooks.
 */
const INSIDE = /[\w+/=~.%:@\\!#$^&*?⟦⟧\u00ad\u200b-\u200f\u2060-\u2064\ufeff-]/;

/** Characters kept of a cut word: from eight on, a part of a token has value. */
const KEPT = 7;

const MARK = new RegExp(REDACTION_MARK, "y");

/** The first `most` UTF-16 units, or fewer: no surrogate pair, word or redaction mark is split. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, cutPoint(text, most));
}

/**
 * Where a text may be cut so that a redactor still finds every secret that it would have found in
 * the whole text: not inside a word, of which only the first seven characters remain, nor inside
 * `‹redacted:…›`.
 *
 * @param most UTF-16 units, less than the text has
 * @param inside matches one character of an unbreakable word; pass another one for text that is
 * known to hold no secret
 * @returns 0 to `most`
 */
export function cutPoint(text: string, most: number, inside: RegExp = INSIDE): number {
  const end = Math.max(0, Math.floor(most));
  const mark = text.lastIndexOf("‹", end - 1);
  if (mark >= 0 && end - mark < LONGEST_MARK && markEnd(text, mark) > end) return mark;
  let from = end;
  if (inside.test(text.charAt(end))) while (from > 0 && inside.test(text.charAt(from - 1))) from -= 1;
  const last = text.charCodeAt(end - 1);
  if (from < end) return Math.min(end, from + KEPT);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** The end of the mark that begins at `at`; -1 when none does. */
function markEnd(text: string, at: number): number {
  MARK.lastIndex = at;
  return MARK.test(text) ? MARK.lastIndex : -1;
}

/** On one line: every run of white space and control characters becomes one space, ends trimmed. */
export function oneLine(text: string): string {
  // Most texts have single spaces only: the check costs a fraction of rebuilding them.
  return (/[^\S ]|\p{Cc}| {2}/u.test(text) ? text.replace(/[\s\p{Cc}]+/gu, " ") : text).trim();
}

/** @param kind kebab-case, at most 60 characters: `github-token` */
export function redactionMark(kind: string): string {
  return `‹redacted:${kind}›`;
}
