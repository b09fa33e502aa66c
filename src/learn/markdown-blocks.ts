// Markdown as headings, code blocks and prose, by lines and in one pass: enough to cut where a reader would.

export type Block =
  | {
      readonly kind: "heading";
      readonly row: number;
      readonly lines: readonly string[];
      readonly level: number;
      readonly title: string;
    }
  /** A fenced block with its fences; `info` is what stands after the opening one. */
  | { readonly kind: "code"; readonly row: number; readonly lines: readonly string[]; readonly info: string }
  /** Lines up to a blank one; comments keep the headings that stand in them. */
  | { readonly kind: "prose"; readonly row: number; readonly lines: readonly string[] };

/** Front matter is short; a rule of dashes at the top of a page without a second one is just that. */
const MAX_FRONT_MATTER = 200;

/**
 * @returns the lines of the front matter, and the blocks in the order of the document. `row` is the 0-based row of a
 *   block's first line; blank lines between blocks are in none
 */
export function blocks(text: string): { readonly frontMatter: readonly string[]; readonly body: readonly Block[] } {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = frontMatterEnd(lines);
  const body: Block[] = [];
  for (let row = end; row < lines.length; ) {
    const block =
      (lines[row] ?? "").trim() === "" ? null : (heading(lines, row) ?? code(lines, row) ?? prose(lines, row));
    if (block !== null) body.push(block);
    row += block?.lines.length ?? 1;
  }
  return { frontMatter: end === 0 ? [] : lines.slice(1, end - 1), body };
}

/** The row after the closing `---`; 0 when there is no front matter. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---") return 0;
  for (let row = 1; row < Math.min(lines.length, MAX_FRONT_MATTER); row += 1) {
    if (/^(?:---|\.\.\.)\s*$/.test((lines[row] ?? "").slice(0, 10))) return row + 1;
  }
  return 0;
}

/** A longer line is no heading. */
const MAX_TITLE = 500;

function heading(lines: readonly string[], row: number): Block | null {
  const line = lines[row] ?? "";
  if (line.length > MAX_TITLE) return null;
  const marks = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line)?.[1];
  if (marks !== undefined) {
    const title = line
      .trim()
      .slice(marks.length)
      .trim()
      .replace(/[ \t]#{1,100}$|^#{1,100}$/, "");
    return { kind: "heading", row, lines: [line], level: marks.length, title: title.trim() };
  }
  const level = underline(lines, row + 1);
  const canBe =
    level > 0 && !/^ {0,3}(?:[-*+>|]|\d{1,9}[.)])/.test(line) && !/^ {4}|^\t/.test(line) && fence(line) === null;
  return canBe ? { kind: "heading", row, lines: lines.slice(row, row + 2), level, title: line.trim() } : null;
}

/** `===` below a line makes it a heading of level 1, `---` of level 2; else 0. */
function underline(lines: readonly string[], row: number): number {
  const line = (lines[row] ?? "").slice(0, MAX_TITLE);
  if (/^ {0,3}={2,}\s*$/.test(line)) return 1;
  return /^ {0,3}-{2,}\s*$/.test(line) ? 2 : 0;
}

function fence(line: string): { readonly mark: string; readonly info: string } | null {
  const match = /^[ >]{0,20}(`{3,}|~{3,})([^\n]{0,500})/.exec(line.slice(0, 1_000));
  if (match === null) return null;
  const [, mark = "", info = ""] = match;
  return mark.startsWith("`") && info.includes("`") ? null : { mark, info: info.trim() };
}

/** A fence that nobody closes runs to the end of the document, as renderers have it. */
function code(lines: readonly string[], row: number): Block | null {
  const opening = fence(lines[row] ?? "");
  if (opening === null) return null;
  let end = row + 1;
  while (end < lines.length && !closes(lines[end] ?? "", opening.mark)) end += 1;
  return { kind: "code", row, lines: lines.slice(row, end + 1), info: opening.info };
}

function closes(line: string, mark: string): boolean {
  const closing = fence(line);
  return closing !== null && closing.info === "" && closing.mark.startsWith(mark);
}

function prose(lines: readonly string[], row: number): Block {
  let end = row;
  let inComment = false;
  while (end < lines.length) {
    const line = lines[end] ?? "";
    inComment = endsInComment(line, inComment);
    end += 1;
    const next = lines[end] ?? "";
    if (!inComment && (next.trim() === "" || fence(next) !== null || heading(lines, end) !== null)) break;
  }
  return { kind: "prose", row, lines: lines.slice(row, end) };
}

/** Whether an HTML comment is open after this line. */
function endsInComment(line: string, wasOpen: boolean): boolean {
  const opened = line.lastIndexOf("<!--");
  const closed = line.lastIndexOf("-->");
  return opened === -1 && closed === -1 ? wasOpen : opened > closed;
}
