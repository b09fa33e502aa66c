// Does a comment say anything? "LGTM", "why?", a link or a bare suggestion block teach nothing about the next change.

/** Shorter prose than this carries no lesson. Against the hand-made flag of 10,840 comments: 1,049 right, 3 wrong, 69 missed. */
const LEAST_PROSE = 25;

/** Longest comment that is read, in UTF-16 units. What follows is analysis that bots append. */
export const LONGEST_COMMENT = 20_000;

/**
 * Why a comment is of low information, or null. One rule for what is remembered and for how it is ranked.
 *
 * @param text Markdown as it was written; never throws, linear in it
 */
export function lowInformation(text: string): string | null {
  const { length } = proseOf(text);
  if (length >= LEAST_PROSE) return null;
  return length === 0 ? "no words beside code and links" : `fewer than ${LEAST_PROSE} characters beside code and links`;
}

/**
 * What a comment says in sentences: fenced code, markup, hidden comments, footers of tools and links are gone, white
 * space is single. Linear in the text.
 */
export function proseOf(text: string): string {
  const open = cutBetween(withoutFooters(text), "```", "```");
  return open
    .replace(/<[^<>\n]{0,200}>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** A comment without links, hidden comments and what tools write in `<sup>` under their own comments. */
export function withoutFooters(text: string): string {
  const visible = cutBetween(cutBetween(text.slice(0, LONGEST_COMMENT), "<!--", "-->"), "<sup>", "</sup>");
  return visible.replace(/https?:\/\/\S{1,2000}/g, " ");
}

/** Cuts every stretch between two marks, marks included; without a closing mark, the rest. */
function cutBetween(text: string, open: string, close: string): string {
  let kept = "";
  let at = 0;
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, at)) {
    kept += `${text.slice(at, start)} `;
    const end = text.indexOf(close, start + open.length);
    if (end < 0) return kept;
    at = end + close.length;
  }
  return kept + text.slice(at);
}
