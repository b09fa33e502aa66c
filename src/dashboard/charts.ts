// Pictures of figures.
import { html } from "hono/html";
import { isoDate } from "../domain/text/iso-date.ts";
import type { Html } from "./inline.ts";
import { whole } from "./values.ts";

interface Bar {
  readonly name: string;
  readonly value: number;
  readonly shown: string;
  /** 1–5: which colour of the palette. */
  readonly tone?: number;
}

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
  readonly unit: "count" | "usd" | "share";
  readonly times: readonly number[];
  /** Tones 1–5 are colours of the palette. A line goes on over a value that is null. */
  readonly series: readonly { name: string; tone: number; values: readonly (number | null)[] }[];
  /** Columns of the table that are not drawn: what the figures rest on. */
  readonly beside?: readonly { name: string; values: readonly number[] }[];
  readonly shown?: (value: number) => string;
}

/** Fewer points are read faster as numbers. */
const LEAST_POINTS = 5;

/** A chart, its legend and its figures as a table; of fewer than five points the table alone. */
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
