// The visible part of a Markdown text. Instructions to machines hide in comments and link
// definitions: templates put hints for the author there, and attackers text for the model.
export interface VisibleText {
  readonly text: string;
  /** UTF-16 units that the page does not show. */
  readonly hidden: number;
}

/** `[//]: # (words)` and the like, with a title on the next line; a footnote's text is visible. */
const DEFINITION =
  /^[ \t>]{0,20}\[(?!\^)[^\]\n]{1,1000}\]:[ \t]*\S.*(?:\n[ \t>]{0,20}(?:"[^"\n]*"|'[^'\n]*'|\([^)\n]*\))[ \t]*$)?/gm;

/**
 * Removes HTML comments, processing instructions, declarations and link definitions, in code too,
 * because Markdown readers disagree on what is code. A comment without an end runs to the end of
 * the text. Linear in the length.
 */
export function visibleText(markdown: string): VisibleText {
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

/** Start of each code span of a line → its end, at the next run of as many backticks. Linear. */
export function codeSpans(line: string): ReadonlyMap<number, number> {
  const nextOfLength = new Map<number, number>();
  const ends = new Map<number, number>();
  // From the right, so that each run meets the next one of its length.
  for (const { 0: run, index } of [...line.matchAll(/`+/g)].reverse()) {
    const next = nextOfLength.get(run.length);
    if (next !== undefined) ends.set(index, next + run.length);
    nextOfLength.set(run.length, index);
  }
  return ends;
}

/** Whether a line closes the fence that these marks opened: as many or more, and nothing else. */
export function closesFence(line: string, marks: string): boolean {
  const text = line.trim();
  return text.length >= marks.length && text === marks.charAt(0).repeat(text.length);
}
