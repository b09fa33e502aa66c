// Blocks of a page.
import { html, raw } from "hono/html";
import type { Content, Html } from "./inline.ts";

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

export const num = (name: string): Column => [name, "num"];
export const wide = (name: string): Column => [name, "wide"];

/**
 * Where it is too wide for the window, rows become lists of names and values; with `lines` each
 * row is one line of its first three cells.
 */
export function table(
  caption: string,
  named: readonly (Column | string)[],
  rows: readonly (readonly Content[])[],
  narrow: "" | "lines" = "",
): Html {
  const columns = named.map((column) => (typeof column === "string" ? [column, ""] : column));
  return html`<div class="scroll rows ${narrow}" role="region" aria-label="${caption}" tabindex="0"><table>
<caption class="quiet">${caption}</caption>
<thead><tr>${columns.map(([name, kind]) => html`<th scope="col" class="${kind}">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, at) => html`<td class="${columns[at]?.[1] ?? ""}" data-name="${columns[at]?.[0] ?? ""}"><div>${cell}</div></td>`)}</tr>`,
  )}</tbody></table></div>`;
}

export function empty(title: string, next: Content): Html {
  return html`<div class="empty"><p><strong>${title}</strong></p><p>${next}</p></div>`;
}

/** A list that is folded unless it is open; nothing where it is empty. */
export function listOf(name: string, items: readonly Content[], isOpen = false): Content {
  if (items.length === 0) return "";
  return html`<details${isOpen ? raw(" open") : ""}><summary>${name} (${items.length})</summary><ul>${items.map((item) => html`<li>${item}</li>`)}</ul></details>`;
}

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
