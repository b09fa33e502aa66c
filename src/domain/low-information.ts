// Comments that say nothing which could help another review: a ready-made replacement without a word, a link, thanks.

/** Fewer letters than this beside code and links say nothing about why. Chosen on eval/retrieval's development half. */
const MIN_LETTERS = 24;
const MAX_READ = 65_536;

/**
 * Why a comment is of low information, or null.
 *
 * @param text Markdown as it was written
 */
export function lowInformation(text: string): string | null {
  const prose = withoutFences(text.slice(0, MAX_READ))
    .replace(/\]\([^)\n]{0,500}\)/g, "]")
    .replace(/https?:\/\/[^\s)>\]]{1,2000}/g, " ");
  let letters = 0;
  for (const _ of prose.matchAll(/[\p{L}\p{N}]/gu)) {
    letters += 1;
    if (letters >= MIN_LETTERS) return null;
  }
  if (letters === 0) return "no words beside code and links";
  return `fewer than ${MIN_LETTERS} letters beside code and links`;
}

/** Text outside fenced blocks; a fence that nobody closes runs to the end. */
function withoutFences(text: string): string {
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const mark = /^\s{0,20}(`{3,20}|~{3,20})/.exec(line)?.[1] ?? null;
    if (fence === null && mark !== null) fence = mark;
    else if (fence === null) kept.push(line);
    else if (mark?.startsWith(fence)) fence = null;
  }
  return kept.join("\n");
}
