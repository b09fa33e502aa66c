// Pieces that pages are made of: values in, escaped HTML out. What others wrote is text here and never markup.
import { html, raw } from "hono/html";
import { rulePage } from "../config/rule-page.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { cutText, oneLine } from "../domain/text/cut-text.ts";
import { isoDate } from "../domain/text/iso-date.ts";

export type Html = ReturnType<typeof html>;

/** What may stand in a page. */
export type Content = Html | string | number | null | readonly Content[];

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** A moment in UTC; in a browser with scripts as `3 h ago`, and exact on hover. */
export function moment(at: number): Html {
  const iso = new Date(at).toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  return html`<time datetime="${iso}" title="${day} ${time} UTC">${day} ${time.slice(0, 5)}</time>`;
}

/** The first seven digits of a commit's id, as GitHub shows it. */
export function shortSha(sha: string): Html {
  return html`<code title="${sha}">${sha.slice(0, 7)}</code>`;
}

/** Markdown's code spans as such; the rest of the text as it is. */
export function withCode(text: string): Content {
  return text.split(/`([^`\n]+)`/).map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
}

/** `3 d`, `5 h`, `12 min`, `8 s`, `240 ms`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ["s", 1_000];
  return `${Math.round(ms / size)} ${unit}`;
}

/** `12,345` */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** `42 %`; `–` of nothing. */
export function percent(share: number | null): string {
  return share === null ? "–" : `${Math.round(share * 100)} %`;
}

/** `$1.20`, `$0.0042`; "no price" where none is known. */
export function dollars(usd: number | null): string {
  if (usd === null) return "no price";
  return `$${usd.toFixed(usd === 0 || usd >= 1 ? 2 : 4)}`;
}

/** A word with a colour; the colour says nothing that the word does not. */
export function badge(word: string, tone: "good" | "bad" | "warn" | "plain" = "plain"): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}

const TONES: Readonly<Record<string, "bad" | "warn">> = { critical: "bad", major: "bad", medium: "warn" };

export function severityBadge(severity: string, text: string = severity): Html {
  return badge(text, TONES[severity] ?? "plain");
}

/** An outcome as people read it: `posted` means that there is no answer. */
export function outcomeWord(outcome: string): string {
  if (outcome === "posted") return "no answer yet";
  return outcome === "none" ? "no outcome" : outcome;
}

/** A rule's id, with a link to its page where it has one. */
export function ruleName(rule: string): Html {
  const page = rulePage(rule);
  return page === null
    ? html`<code>${rule}</code>`
    : html`<a href="${page}" rel="noreferrer noopener"><code>${rule}</code></a>`;
}

/** UTF-16 units of a title, and of the lines below it. */
const TITLE = 110;
const BELOW = 400;

/** What was said as a title, and what else was said on one line: "" where the title says it all. */
export function titleOf({ lesson, text }: MemoryRecord) {
  const plain = text.replace(/^#+ /gm, "");
  const [first = "", ...more] = plain.trim().split("\n");
  const said = oneLine(lesson ?? first);
  const isCut = said.length > TITLE;
  const rest = oneLine(isCut || lesson !== null ? plain : more.join(" "));
  return { title: isCut ? `${cutText(said, TITLE).trimEnd()}…` : said, rest: cutText(rest, BELOW) };
}

/** Figures with their names, and what each rests on below. */
export function figures(list: readonly { name: string; value: string; note?: string }[]): Html {
  return html`<dl class="figures">${list.map(
    ({ name, value, note }) =>
      html`<div><dt>${name}</dt><dd><span class="number">${value}</span>${note === undefined ? "" : html`<span class="note">${note}</span>`}</dd></div>`,
  )}</dl>`;
}

/** Names and values, one below the other; without those that are null or "". */
export function facts(named: Readonly<Record<string, Content>>): Html {
  const shown = Object.entries(named).filter(([, value]) => value !== null && value !== "");
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

type Column = readonly [name: string, kind: "num" | "wide"];

/** A column of numbers, aligned under each other. */
export const num = (name: string): Column => [name, "num"];
/** A column of sentences. */
export const wide = (name: string): Column => [name, "wide"];

/**
 * A table; where it is too wide for the window, its rows become lists of names and values.
 *
 * @param named a plain name is a column of words
 * @param narrow `lines`: where the table is too wide, each row is one line of its first three cells
 */
export function table(
  caption: string,
  named: readonly (Column | string)[],
  rows: readonly (readonly Content[])[],
  narrow: "" | "lines" = "",
): Html {
  const columns = named.map((one) => (typeof one === "string" ? [one, ""] : one));
  return html`<div class="scroll rows ${narrow}" role="region" aria-label="${caption}" tabindex="0"><table>
<caption class="quiet">${caption}</caption>
<thead><tr>${columns.map(([name, kind]) => html`<th scope="col" class="${kind}">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, at) => html`<td class="${columns[at]?.[1] ?? ""}" data-name="${columns[at]?.[0] ?? ""}"><div>${cell}</div></td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** What to do where there is nothing to see yet. */
export function empty(title: string, next: Content): Html {
  return html`<div class="empty"><p><strong>${title}</strong></p><p>${next}</p></div>`;
}

/** A list that is folded unless it is open; nothing where it is empty. */
export function listOf(name: string, items: readonly Content[], isOpen = false): Content {
  if (items.length === 0) return "";
  return html`<details${isOpen ? raw(" open") : ""}><summary>${name} (${items.length})</summary><ul>${items.map((item) => html`<li>${item}</li>`)}</ul></details>`;
}

/** Several lines by others, as they are. */
export function quoted(text: string): Html {
  return html`<pre class="quoted" tabindex="0">${text}</pre>`;
}

/** Lines of a hunk that are shown: those before the one that is spoken of. GitHub shows four. */
const HUNK_LINES = 8;
const MARKERS: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "quiet-line" };

/** The end of a hunk after its first line, each line in the colour of its marker. */
export function diff(hunk: string): Html {
  const [first = "", ...lines] = hunk.split("\n");
  return html`<pre class="quoted diff" tabindex="0">${[first, ...lines.slice(-HUNK_LINES)].map(
    (line) => html`<span class="${MARKERS[line[0] ?? ""] ?? ""}">${line}</span>
`,
  )}</pre>`;
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

interface Bar {
  readonly name: string;
  readonly value: number;
  readonly shown: string;
  /** 1–5: which colour of the palette. */
  readonly tone?: number;
}

/** Bars beside their names and figures: a list that is a picture. */
export function bars(label: string, list: readonly Bar[]): Html {
  const most = Math.max(0, ...list.map(({ value }) => value));
  const width = (value: number) => (most === 0 ? 0 : Math.round((value / most) * 1000) / 10);
  return html`<ul class="bars" aria-label="${label}">${list.map(
    ({ name, value, shown, tone = 1 }) => html`<li>
<span class="bar-name">${name}</span>
<svg class="bar tone-${tone}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="10"/><rect class="fill" width="${width(value)}" height="10"/></svg>
<span class="bar-value">${shown}</span></li>`,
  )}</ul>`;
}

/** Times are epoch milliseconds, ascending. */
interface Chart {
  readonly title: string;
  /** What it shows, in a sentence, for people who do not see it. */
  readonly says: string;
  readonly kind: "stack" | "line";
  readonly unit: "count" | "usd" | "ms" | "share";
  readonly times: readonly number[];
  /** Tones 1–5: which colour of the palette. Values are null where there is none: the line goes on with the next. */
  readonly series: readonly { name: string; tone: number; values: readonly (number | null)[] }[];
  /** Columns of the table that are not drawn: what the figures rest on. */
  readonly beside?: readonly { name: string; values: readonly number[] }[];
  /** How one figure is written in the table. */
  readonly shown?: (value: number) => string;
}

/** Fewer points are read faster as numbers. */
const LEAST_POINTS = 5;

/** A chart with its legend and its figures as a table, from which it is drawn; of fewer than five points the table alone. */
export function chart({ title, says, kind, unit, times, series, beside = [], shown = String }: Chart): Html {
  const isPoint = (value: number | null | undefined) => typeof value === "number" && (kind === "line" || value !== 0);
  const points = times.flatMap((_, row) => (series.some(({ values }) => isPoint(values[row])) ? [row] : []));
  const isDrawn = points.length >= LEAST_POINTS;
  const stamp = (at: number) =>
    at % 86_400_000 === 0 ? isoDate(at) : new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const numbers = html`<div class="scroll short" role="region" aria-label="${title}, figures" tabindex="0"><table>
<thead><tr><th scope="col">Time (UTC)</th>${series.map(({ name }) => html`<th scope="col" class="num" data-series>${name}</th>`)}${beside.map(({ name }) => html`<th scope="col" class="num">${name}</th>`)}</tr></thead>
<tbody>${(isDrawn ? times.keys().toArray() : points).map((row) => {
    const at = times[row] ?? 0;
    return html`<tr><td data-value="${at / 1_000}">${stamp(at)}</td>${series.map(({ values }) => {
      const value = values[row] ?? null;
      return html`<td class="num" data-value="${value ?? ""}">${value === null ? "–" : shown(value)}</td>`;
    })}${beside.map(({ values }) => html`<td class="num">${whole(values[row] ?? 0)}</td>`)}</tr>`;
  })}</tbody></table></div>`;
  if (!isDrawn) return html`<figure class="chart"><figcaption><h2>${title}</h2></figcaption>${numbers}</figure>`;
  return html`<figure class="chart" data-kind="${kind}" data-unit="${unit}">
<figcaption><h2>${title}</h2><ul class="legend">${series.map(({ name, tone }) => html`<li><span class="swatch tone-${tone}"></span>${name}</li>`)}</ul></figcaption>
<div class="plot" role="img" aria-label="${says}"></div>
<details open><summary>Figures</summary>${numbers}</details></figure>`;
}
