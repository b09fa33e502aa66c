// What people see of a Markdown text when it is rendered. Comments and definitions of links are where instructions to
// machines hide: templates put words for the author there, and attackers words for the model.

export interface ShownText {
  readonly text: string;
  /** UTF-16 units that nobody sees on the page. */
  readonly hidden: number;
}

/** `[//]: # (words)` and its kin, with a title on the next line; a footnote's text is shown. */
const DEFINITION =
  /^[ \t>]{0,20}\[(?!\^)[^\]\n]{1,1000}\]:[ \t]*\S.*(?:\n[ \t>]{0,20}(?:"[^"\n]*"|'[^'\n]*'|\([^)\n]*\))[ \t]*$)?/gm;

/**
 * Leaves out HTML comments, processing instructions, declarations, and definitions of links: in code as well, since what
 * is code to one reader of Markdown is not to another. A comment that never ends goes to the end of the text. Linear in the
 * length.
 */
export function shownText(markdown: string): ShownText {
  const text = withoutSpans(markdown).replace(DEFINITION, "");
  return { text, hidden: markdown.length - text.length };
}

const SPAN = /<!--(?!`)|<\?|<!\[CDATA\[/g;
const ENDS: ReadonlyMap<string, string> = new Map([
  ["<!--", "-->"],
  ["<?", "?>"],
  ["<![CDATA[", "]]>"],
]);

function withoutSpans(text: string): string {
  const kept: string[] = [];
  const endless = new Set<string>();
  let at = 0;
  for (const { 0: open, index } of text.matchAll(SPAN)) {
    if (index < at || endless.has(open)) continue;
    const close = ENDS.get(open) ?? "";
    // `<!-->` is a whole comment.
    const end = text.indexOf(close, index + 2);
    if (end === -1) endless.add(open);
    if (end === -1 && open !== "<!--") continue;
    kept.push(text.slice(at, index));
    at = end === -1 ? text.length : end + close.length;
  }
  return kept.join("") + text.slice(at);
}
