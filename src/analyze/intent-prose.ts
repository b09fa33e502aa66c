// What the author says in their own voice: Markdown comes in, lines come out in which code, quotations and hidden
// comments can no longer be read as statements. One pass; linear in the length of the text.

/** One line, twice and equally long: `masked` to search in (code spans filled with backticks), `raw` to quote from. */
export interface ProseLine {
  readonly masked: string;
  readonly raw: string;
}

/** GitHub lets a fence be indented in list items; 20 is deeper than any list people write. */
const FENCE = /^\s{0,20}(?:[-*+] {1,3})?(`{3,}|~{3,})(.*)$/s;
const QUOTE = /^\s{0,3}>/;

/**
 * The lines of a Markdown text, in order and number; fenced code, quoted lines and HTML comments leave blank ones.
 * A fence or comment that is never closed reaches to the end, as on GitHub.
 */
export function intentProse(markdown: string): readonly ProseLine[] {
  const lines: ProseLine[] = [];
  let fence: string | null = null;
  let hidden = false;
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    if (fence !== null) {
      if (closes(line, fence)) fence = null;
      lines.push({ masked: "", raw: "" });
      continue;
    }
    fence = hidden ? null : openingFence(line);
    if (fence !== null || (!hidden && QUOTE.test(line))) {
      lines.push({ masked: "", raw: "" });
      continue;
    }
    const read = readLine(line, hidden);
    hidden = read.hidden;
    lines.push(read.prose);
  }
  return lines;
}

function openingFence(line: string): string | null {
  const match = FENCE.exec(line);
  const marks = match?.[1] ?? null;
  // ```x``` on one line is a code span.
  return marks?.startsWith("`") && match?.[2]?.includes("`") ? null : marks;
}

function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text.replaceAll(fence[0] ?? "`", "") === "";
}

function readLine(line: string, startsHidden: boolean): { prose: ProseLine; hidden: boolean } {
  const spans = codeSpans(line);
  const token = /`+|<!--/g;
  let hidden = startsHidden;
  let masked = "";
  let raw = "";
  let at = 0;
  while (at < line.length) {
    if (hidden) {
      const end = line.indexOf("-->", at);
      hidden = end < 0;
      at = end < 0 ? line.length : end + 3;
      continue;
    }
    token.lastIndex = at;
    const found = token.exec(line);
    const plain = line.slice(at, found?.index ?? line.length);
    masked += plain;
    raw += plain;
    if (found === null) break;
    const end = spans.get(found.index) ?? found.index + found[0].length;
    hidden = found[0] === "<!--";
    at = end;
    if (hidden) continue;
    masked += "`".repeat(end - found.index);
    raw += line.slice(found.index, end);
  }
  return { prose: { masked, raw }, hidden };
}

/** Start of each code span of a line → its end. A run of backticks is closed by the next run of the same length. */
function codeSpans(line: string): ReadonlyMap<number, number> {
  const runs = [...line.matchAll(/`+/g)].map((run) => ({ at: run.index, length: run[0].length }));
  const nextOfLength = new Map<number, number>();
  const closing = new Map<number, number>();
  for (const run of runs.toReversed()) {
    const next = nextOfLength.get(run.length);
    if (next !== undefined) closing.set(run.at, next + run.length);
    nextOfLength.set(run.length, run.at);
  }
  return closing;
}
