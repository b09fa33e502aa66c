// What retrieval did in a window: how quick, how good, how dear, and how often the gate was right.
import { html } from "hono/html";
import type { RetrievalFigures } from "../domain/figures/retrieval-figures.ts";
import { retrievalRows } from "../domain/figures/retrieval-rows.ts";
import { counted } from "../domain/text/counted.ts";
import { type Page, repositoryChooser } from "./frame.ts";
import { badge, type Html } from "./inline.ts";
import { windowLinks } from "./overview.ts";
import { empty, table, wide } from "./parts.ts";
import type { RetrievalView } from "./read-views.ts";
import { dollars, whole } from "./values.ts";

export function retrievalPage(view: RetrievalView): Page {
  const { days, choice, figures: all, alerts } = view;
  const query: Readonly<Record<string, string>> = choice.chosen === null ? {} : { repo: choice.chosen };
  const { count, gate } = all;
  return {
    title: "Retrieval",
    section: "retrieval",
    body: html`<div class="head"><h1>Retrieval</h1>${windowLinks("/retrieval", days, query)}</div>
${repositoryChooser("/retrieval", choice, { days: String(days) })}
${alerts.map(({ name, text, fix }) => html`<div class="status"><p>${badge(name, "warn")} ${text}. ${fix}</p></div>`)}
${
  count === 0 && gate.decisions === 0
    ? empty(
        "Nothing was searched in this window.",
        html`Every review searches memory where the gate says so; <a href="/memories">search by hand</a>, or review a pull request.`,
      )
    : html`${inSentences(all, days)}<details><summary>Advanced: figures of every step</summary>${table("Figures of every step", ["Step", wide("Figures")], retrievalRows(all))}</details>`
}`,
  };
}

/** What the figures say, for people who do not know the steps of a retrieval. */
function inSentences(
  { count, ms, gate, averageResults, degraded, usdPerRetrieval }: RetrievalFigures,
  days: number,
): Html {
  const skipped =
    gate.skips === 0
      ? "No change was skipped as one that memory cannot help with."
      : `${counted(gate.skips, "change")} of ${whole(gate.decisions)} ${gate.skips === 1 ? "was" : "were"} skipped, because memory rarely helps with such.`;
  const checked =
    gate.shadow.searched === 0
      ? ""
      : `Of ${whole(gate.shadow.searched)} skipped ones that were searched all the same, ${whole(gate.shadow.hits)} would have had a memory.`;
  const cost =
    usdPerRetrieval === 0 || usdPerRetrieval === null
      ? "Searching cost nothing."
      : `A search cost ${dollars(usdPerRetrieval)}.`;
  const less = degraded.map(({ part, count: times }) => `${part} (${times})`).join(", ");
  return html`<ul class="lines card">
<li>Memory was searched ${counted(count, "time")} in ${days} days, and gave ${averageResults.toFixed(1)} memories a search.</li>
<li>Half of the searches took ${whole(ms.p50)} ms or less, 95 of 100 took ${whole(ms.p95)} ms or less. ${cost}</li>
<li>${skipped} ${checked}</li>
${less === "" ? "" : html`<li>Some searches did with less: ${less}.</li>`}
<li class="note">Whether memory helps a repository: <code>kodiai replay</code>.</li></ul>`;
}
