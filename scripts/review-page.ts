// A posted review as GitHub shows it: its Markdown as HTML in GitHub's style, the hunk above each
// comment.
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

/** What is posted on a pull request, as far as a picture of it needs. */
export interface PostedOnPull {
  readonly summary: readonly { readonly id: number; readonly author: string; readonly body: string }[];
  readonly inline: readonly {
    readonly id: number;
    readonly author: string;
    readonly path: string;
    readonly line: number;
    readonly hunk: string;
    readonly body: string;
    readonly inReplyTo: number | null;
  }[];
}

/** The first box of a pull request: its description and the reactions to it. */
export interface Opening {
  readonly author: { readonly login: string };
  readonly title: string;
  readonly body: string | null;
  readonly reactions: readonly { readonly author: { readonly login: string }; readonly content: string }[];
}

/** GitHub shows the last lines of the hunk above a comment. */
const HUNK_LINES = 4;

/** Drawn, since not every machine has a font with them. */
const MARKS: Readonly<Record<string, string>> = { "🔴": "#dd2e44", "🟠": "#f4900c", "🟡": "#fdcb58", "🔵": "#55acee" };

/** With a word, since not every machine has a font with them. */
const REACTIONS: Readonly<Record<string, string>> = { "+1": "Thumbs up:" };

const STYLE = `
body { margin: 0; padding: 16px; background: #fff; color: #1f2328;
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif, "Noto Color Emoji"; }
.box { border: 1px solid #d1d9e0; border-radius: 6px; margin: 0 0 16px; overflow: hidden; }
.head { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px; font-weight: 600; }
.head small { color: #59636e; font-weight: 400; font-size: 14px; }
.bot { border: 1px solid #d1d9e0; border-radius: 2em; color: #59636e; font-size: 12px; font-weight: 500; padding: 0 7px; }
.md { padding: 16px; overflow-wrap: break-word; }
.md > :last-child { margin-bottom: 0; }
.md > :first-child { margin-top: 0; }
p, ul, ol, table, pre, details, blockquote { margin: 0 0 16px; }
details > :last-child { margin-bottom: 0; }
ul, ol { padding-left: 2em; }
li + li { margin-top: .25em; }
a { color: #0969da; text-decoration: underline; text-underline-offset: .2rem; }
blockquote { border-left: .25em solid #d1d9e0; color: #59636e; padding: 0 1em; margin-left: 0; margin-right: 0; }
code, pre { font: 12px/1.45 ui-monospace, "SFMono-Regular", Menlo, Consolas, "Liberation Mono", monospace; }
code { background: #818b981f; border-radius: 6px; padding: .2em .4em; font-size: 85%; white-space: break-spaces; }
pre { background: #f6f8fa; border-radius: 6px; padding: 16px; overflow: auto; }
pre code { background: none; padding: 0; font-size: 100%; white-space: pre; }
table { border-collapse: collapse; display: block; width: max-content; max-width: 100%; overflow: auto; }
th, td { border: 1px solid #d1d9e0; padding: 6px 13px; text-align: left; }
tr:nth-child(2n) td { background: #f6f8fa; }
sub { font-size: 75%; line-height: 0; position: relative; vertical-align: baseline; bottom: -.25em; }
.mark { border-radius: 50%; display: inline-block; height: 1em; vertical-align: -.125em; width: 1em; }
summary { cursor: pointer; }
h1 { font-size: 26px; font-weight: 400; margin: 0 0 16px; }
.reaction { border: 1px solid #d1d9e0; border-radius: 2em; display: inline-block; font-size: 12px; margin: 0 0 16px 16px; padding: 2px 8px; }
.none { color: #59636e; font-style: italic; }
.hunk { padding: 0; border-bottom: 1px solid #d1d9e0; font: 12px/20px ui-monospace, Menlo, Consolas, monospace; }
.hunk div { white-space: pre; padding: 0 10px; overflow: hidden; }
.add { background: #dafbe1; } .del { background: #ffebe9; }
`;

/**
 * @param posted what is posted on the pull request
 * @param opening drawn above it; null leaves it out
 * @param shown how many inline comments are drawn: first those that quote memory, then the worst
 * @returns a whole HTML page without a script or an address to fetch
 */
export function reviewPage({ summary, inline }: PostedOnPull, opening: Opening | null, shown: number): string {
  const isQuoting = ({ body }: (typeof inline)[number]) => body.includes("Said before: ");
  const threads = inline
    .filter(({ inReplyTo }) => inReplyTo === null)
    .toSorted((a, b) => Number(isQuoting(b)) - Number(isQuoting(a)))
    .slice(0, shown);
  return [
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>A review</title><style>${STYLE}</style><body>`,
    ...(opening === null ? [] : [first(opening)]),
    ...summary.map(
      ({ id, author, body }) =>
        `<div class="box summary" id="issuecomment-${id}">${head(author)}<div class="md">${html(body)}</div></div>`,
    ),
    ...threads.map(
      ({ id, path, hunk, body }) =>
        `<div class="box" id="discussion_r${id}"><div class="head">${escaped(path)}</div>${code(hunk)}<div class="md">${html(body)}</div>${inline
          .filter(({ inReplyTo }) => inReplyTo === id)
          .map(
            (one) => `<div class="md" id="discussion_r${one.id}"><b>${escaped(one.author)}</b> ${html(one.body)}</div>`,
          )
          .join("")}</div>`,
    ),
    "</body></html>",
  ].join("\n");
}

function first({ author, title, body, reactions }: Opening): string {
  const text = (body ?? "") === "" ? '<p class="none">No description provided.</p>' : html(body ?? "");
  const given = reactions.map(
    (one) =>
      `<span class="reaction">${REACTIONS[one.content] ?? escaped(one.content)} ${escaped(one.author.login)}</span>`,
  );
  const by = `<div class="head">${escaped(author.login)} <small>opened this now</small></div>`;
  return `<h1>${escaped(title)}</h1><div class="box">${by}<div class="md">${text}</div>${given.join("")}</div>`;
}

function head(author: string): string {
  return `<div class="head">${escaped(author.replace("[bot]", ""))} <span class="bot">bot</span> <small>commented now</small></div>`;
}

/**
 * GitHub takes these tags of ours as they are. Its sanitizer lets nothing else that Kodiai writes
 * through.
 */
function html(markdown: string): string {
  return micromark(markdown.replace(/<!--[\s\S]*?-->/g, ""), {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  }).replace(/[🔴🟠🟡🔵]/gu, (mark) => `<span class="mark" style="background: ${MARKS[mark]}"></span>`);
}

function code(hunk: string): string {
  const lines = hunk.split("\n").slice(1).slice(-HUNK_LINES);
  const kind = (line: string) => (line.startsWith("+") ? "add" : line.startsWith("-") ? "del" : "");
  return `<div class="hunk">${lines.map((line) => `<div class="${kind(line)}">${escaped(line) || " "}</div>`).join("")}</div>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
