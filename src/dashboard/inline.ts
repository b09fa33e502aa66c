// Pieces of a line: values in, escaped HTML out. What others wrote is text here and never markup.
import { html, raw } from "hono/html";
import { rulePage } from "../config/rule-page.ts";

export type Html = ReturnType<typeof html>;

export type Content = Html | string | number | null | readonly Content[];

/** A moment in UTC; in a browser with scripts as `3 h ago`, and exact on hover. */
export function moment(at: number): Html {
  const iso = new Date(at).toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  return html`<time datetime="${iso}" title="${day} ${time} UTC">${day} ${time.slice(0, 5)}</time>`;
}

export function shortSha(sha: string): Html {
  return html`<code title="${sha}">${sha.slice(0, 7)}</code>`;
}

/** Markdown's code spans as such; the rest of the text as it is. */
export function withCode(text: string): Content {
  return text.split(/`([^`\n]+)`/).map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
}

/** A word with a colour; the colour says nothing that the word does not. */
export function badge(word: string, tone: "good" | "bad" | "warn" | "plain" = "plain"): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}

const TONES: Readonly<Record<string, "bad" | "warn">> = { critical: "bad", major: "bad", medium: "warn" };

export function severityBadge(severity: string, text: string = severity): Html {
  return badge(text, TONES[severity] ?? "plain");
}

/** A rule's id, with a link to its page where it has one. */
export function ruleName(rule: string): Html {
  const page = rulePage(rule);
  return page === null
    ? html`<code>${rule}</code>`
    : html`<a href="${page}" rel="noreferrer noopener"><code>${rule}</code></a>`;
}

/** What a link to GitHub begins with. */
export const OUT = '<a class="out" rel="noreferrer noopener" href="';

/** A link to GitHub: only https (and http) addresses become links. */
export function outLink(url: string | null, text: Content): Content {
  if (url === null || !/^https?:\/\//.test(url)) return text;
  return html`${raw(OUT)}${url}">${text}</a>`;
}

/** A line of ours with addresses in it, which become links: `acme/shop/pull/2#discussion_r7`. */
export function linked(text: string): Content {
  return text.split(" ").map((word) => {
    const [, short] = /^https:\/\/[\w.-]+\/(.*)/s.exec(word) ?? [];
    return short === undefined ? `${word} ` : html`${outLink(word, short)} `;
  });
}
