// Draws a posted review for a terminal the way a person reads it on GitHub: the hunk, the comment
// under its line. Pure: takes what is posted on the pull request and returns text.

export interface ShownReview {
  readonly number: number;
  readonly title: string;
  readonly comments: {
    readonly inline: readonly {
      readonly path: string;
      readonly line: number;
      readonly hunk: string;
      readonly body: string;
    }[];
    readonly file: readonly { readonly path: string; readonly body: string }[];
    readonly summary: readonly { readonly body: string; readonly author: string }[];
    readonly reviews: readonly { readonly body: string; readonly author: string; readonly state: string }[];
  };
}

type Paint = (style: keyof typeof STYLES, text: string) => string;

const STYLES = { bold: "1", faint: "2", red: "31", green: "32", cyan: "36" } as const;
// GitHub shows the last four lines of the hunk above a comment.
const LINES_OF_HUNK = 4;
const WIDTH = 96;

/** The whole review. Lines are wrapped at WIDTH columns, except code. */
export function showReview(review: ShownReview, colours: boolean): string {
  const paint: Paint = (style, text) => (colours ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
  const { inline, file, summary, reviews } = review.comments;
  const parts = [paint("bold", `#${review.number} ${review.title}`)];
  for (const one of reviews.filter(({ body }) => body !== "")) {
    parts.push(`${paint("bold", one.author)} ${paint("faint", one.state.toLowerCase())}\n${box(one.body, paint)}`);
  }
  const inOrder = inline.toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  for (const one of inOrder) {
    parts.push([paint("bold", `${one.path}:${one.line}`), hunk(one.hunk, paint), box(one.body, paint)].join("\n"));
  }
  for (const one of file)
    parts.push(`${paint("bold", one.path)} ${paint("faint", "(whole file)")}\n${box(one.body, paint)}`);
  for (const one of summary)
    parts.push(`${paint("bold", one.author)} ${paint("faint", "in the conversation")}\n${box(one.body, paint)}`);
  return `${parts.join("\n\n")}\n`;
}

function hunk(text: string, paint: Paint): string {
  const [header = "", ...lines] = text.split("\n");
  const first = Math.max(0, lines.length - LINES_OF_HUNK);
  const numbered = withNumbers(header, lines).slice(first);
  return numbered
    .map(({ number, line }) => `${paint("faint", number.padStart(5))} ${coloured(line, paint)}`)
    .join("\n");
}

/** The line number that GitHub prints: of the head, or of the base for a removed line. */
function withNumbers(header: string, lines: readonly string[]): { number: string; line: string }[] {
  const [, base = "1", head = "1"] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header) ?? [];
  const next = { base: Number(base), head: Number(head) };
  return lines.map((line) => {
    const number = line.startsWith("-") ? next.base : next.head;
    if (!line.startsWith("+")) next.base++;
    if (!line.startsWith("-")) next.head++;
    return { number: String(number), line };
  });
}

function coloured(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}

function box(markdown: string, paint: Paint): string {
  const bar = paint("cyan", "│");
  const lines = readable(markdown).split("\n").flatMap(wrapped);
  return [paint("cyan", "╭─"), ...lines.map((line) => `${bar} ${line}`.trimEnd()), paint("cyan", "╰─")]
    .map((line) => `      ${line}`)
    .join("\n");
}

/**
 * Markdown as a reader sees it: without hidden comments, tags and link targets, and with at most
 * one empty line in a row.
 */
function readable(markdown: string): string {
  return markdown
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<summary>(.*?)<\/summary>/g, "▸ $1")
    .replace(/<\/?(?:details|sub|sup|b|i|br|code|kbd)\s*\/?>/g, "")
    .replace(/\[([^\]\n]{1,300})\]\([^)\s]{1,500}\)/g, "$1")
    .replace(/\*\*([^*\n]{1,300})\*\*/g, "$1")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function wrapped(line: string): string[] {
  const isTable = line.startsWith("|");
  if (line.length <= WIDTH || isTable) return [line];
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + word.length >= WIDTH) {
      lines.push(current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current];
}
