// Extracts the author's own statements from Markdown: code, quotations and hidden comments become
// unreadable. One pass; linear in the length of the text.
import { closesFence, codeSpans } from "../domain/text/rendered-markdown.ts";

/**
 * One line in two forms of equal length: `masked` for searching (code spans filled with backticks),
 * `raw` for quoting.
 */
export interface ProseLine {
  readonly masked: string;
  readonly raw: string;
}

/** The texts of a pull request as prose; the title also in other forms. */
export interface ProseTexts<Title> {
  readonly title: Title;
  readonly body: readonly ProseLine[];
  readonly commits: readonly (readonly ProseLine[])[];
}

/** GitHub lets a fence be indented in list items; 20 is deeper than any list people write. */
const FENCE = /^\s{0,20}(?:[-*+] {1,3})?(`{3,}|~{3,})(.*)$/s;
const QUOTE = /^\s{0,3}>/;
const BLANK: ProseLine = { masked: "", raw: "" };

/**
 * The lines of a Markdown text, with the same numbers; fenced code, quoted lines and HTML comments
 * become blank. An unclosed fence or comment reaches to the end, as on GitHub.
 */
export function intentProse(markdown: string): readonly ProseLine[] {
  const open: Open = { fence: null, hidden: false };
  return markdown.split(/\r\n|\r|\n/).map((line) => (line === "" ? BLANK : nextLine(line, open)));
}

/** Open constructs at the end of a line: a fence by its marks, a comment. Updated line by line. */
interface Open {
  fence: string | null;
  hidden: boolean;
}

function nextLine(line: string, open: Open): ProseLine {
  if (open.fence !== null) {
    if (closesFence(line, open.fence)) open.fence = null;
    return BLANK;
  }
  if (open.hidden) return readLine(line, open);
  open.fence = openingFence(line);
  if (open.fence !== null || QUOTE.test(line)) return BLANK;
  return line.includes("`") || line.includes("<!--") ? readLine(line, open) : { masked: line, raw: line };
}

function openingFence(line: string): string | null {
  const match = FENCE.exec(line);
  const marks = match?.[1] ?? null;
  // ```x``` on one line is a code span.
  return marks?.startsWith("`") && match?.[2]?.includes("`") ? null : marks;
}

function readLine(line: string, open: Open): ProseLine {
  const spans = codeSpans(line);
  const token = /`+|<!--/g;
  let masked = "";
  let raw = "";
  let at = 0;
  while (at < line.length) {
    if (open.hidden) {
      const end = line.indexOf("-->", at);
      open.hidden = end < 0;
      at = end < 0 ? line.length : end + 3;
      continue;
    }
    token.lastIndex = at;
    const found = token.exec(line);
    const plain = line.slice(at, found?.index ?? line.length);
    masked += plain;
    raw += plain;
    if (found === null) break;
    at = spans.get(found.index) ?? found.index + found[0].length;
    open.hidden = found[0] === "<!--";
    if (open.hidden) continue;
    masked += "`".repeat(at - found.index);
    raw += line.slice(found.index, at);
  }
  return { masked, raw };
}
