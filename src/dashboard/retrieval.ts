// What retrieval did in a window: how quick, how good, how dear, and how often the gate was right.
import { html } from "hono/html";
import type { RetrievalFigures } from "../domain/figures/retrieval-figures.ts";
import { counted } from "../domain/text/counted.ts";
import { type Page, repositoryChooser } from "./frame.ts";
import { windowLinks } from "./overview.ts";
import {
  badge,
  bars,
  type Content,
  chart,
  dollars,
  empty,
  facts,
  figures,
  type Html,
  num,
  percent,
  table,
  whole,
  wide,
} from "./parts.ts";
import type { RetrievalView } from "./read-views.ts";

export function retrievalPage(view: RetrievalView): Page {
  const { days, choice, figures: all, alerts, times } = view;
  const query: Readonly<Record<string, string>> = choice.chosen === null ? {} : { repo: choice.chosen };
  const { count, ms, gate, embedding } = all;
  const milliseconds = (value: number) => `${whole(value)} ms`;
  return {
    title: "Retrieval",
    section: "retrieval",
    hasCharts: true,
    body: html`<div class="head"><h1>Retrieval</h1>${windowLinks("/retrieval", days, query)}</div>
${repositoryChooser("/retrieval", choice, { days: String(days) })}
${alerts.map(({ name, text, fix }) => html`<div class="status"><p>${badge(name, "warn")} ${text}. ${fix}</p></div>`)}
${
  count === 0 && gate.decisions === 0
    ? empty(
        "Nothing was searched in this window.",
        html`Every review searches memory where the gate says so; <a href="/memories">search by hand</a>, or review a pull request.`,
      )
    : html`${inSentences(all, days)}${
        times.length === 0
          ? ""
          : chart({
              title: "How long searches took",
              kind: "line",
              unit: "ms",
              says: `Milliseconds that each of the newest ${times.length} searches took; half took ${milliseconds(ms.p50)} or less, 95 of 100 ${milliseconds(ms.p95)} or less.`,
              times: times.map(({ at }) => at),
              series: [{ name: "ms", tone: 1, values: times.map(({ ms: one }) => one) }],
              shown: (value) => value.toFixed(1),
            })
      }<details><summary>Advanced: figures of every step</summary>${figures([
        { name: "Searches", value: whole(count), note: `in ${days} days` },
        {
          name: "P50",
          value: milliseconds(ms.p50),
          note: `half took that or less; ${milliseconds(ms.average)} on average`,
        },
        { name: "P95", value: milliseconds(ms.p95), note: "95 of 100 took that or less" },
        { name: "P99", value: milliseconds(ms.p99), note: "99 of 100 took that or less" },
        {
          name: "Cache",
          value: percent(embedding.paid === 0 ? null : embedding.hitShare),
          note: embedding.paid === 0 ? "the embedder is free, nothing is cached" : `of ${whole(embedding.texts)} texts`,
        },
        {
          name: "Skipped by the gate",
          value: percent(gate.decisions === 0 ? null : gate.skipShare),
          note: `${whole(gate.skips)} of ${whole(gate.decisions)} reviews`,
        },
      ])}
<div class="grid">${gateCard(all)}${quality(all)}</div>
${byMethod(all)}${queries(all)}</details>`
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
<li class="note">Whether memory helps a repository is on its own page, by <code>kodiai replay</code>.</li></ul>`;
}

function gateCard({ gate }: RetrievalFigures): Html {
  return html`<section class="card"><h2>The gate</h2>${
    gate.byRule.length === 0
      ? empty("It skipped nothing.", "Changes of documents or of a lock file alone are skipped, and counted here.")
      : html`<p class="note">Searches that it skipped, by rule.</p>${bars(
          "Skips by rule",
          gate.byRule.map(({ rule, count }) => ({ name: rule, value: count, shown: whole(count) })),
        )}`
  }${facts({
    "decided at once": percent(gate.decisions === 0 ? null : gate.fastPathShare),
    "from its cache": percent(gate.decisions === 0 ? null : gate.cachedShare),
    "skips searched to check": `${whole(gate.shadow.searched)}, ${whole(gate.shadow.hits)} of them would have found something`,
    "of those, rightly skipped": percent(gate.accuracy),
    "prompt tokens saved": whole(gate.tokensSaved),
  })}</section>`;
}

function quality(all: RetrievalFigures): Html {
  const { averageResults, averageDistance, averageScore, languageMatch, embedding, rerank, degraded } = all;
  const { byDistance, byProbability, calibrated } = all;
  return html`<section class="card"><h2>What was found</h2>${facts({
    "memories a search": averageResults.toFixed(1),
    "admitted by distance":
      byDistance === 0 ? null : `in ${whole(byDistance)}, up to ${calibrated.toFixed(3)} in the mean`,
    "admitted by probability": byProbability === 0 ? null : `in ${whole(byProbability)}`,
    "mean distance": averageDistance.toFixed(3),
    "mean similarity": averageScore.toFixed(3),
    "in a language of the change": percent(languageMatch),
    embedding: `${whole(embedding.tokens)} tokens, ${dollars(embedding.usd)}`,
    reranking:
      rerank.count === 0
        ? "off"
        : `${whole(rerank.count)}, ${whole(rerank.failed)} failed, ${whole(rerank.averageMs)} ms, ${dollars(rerank.usd)}`,
    "a search costs": dollars(all.usdPerRetrieval),
    degraded: degraded.length === 0 ? "never" : degraded.map(({ part, count }) => `${part} ${count}`).join(", "),
  })}</section>`;
}

function byMethod({ byMethod: list }: RetrievalFigures): Content {
  if (list.length === 0) return "";
  return html`<h2>Who searched, and how</h2>${table(
    "Searches by origin and method",
    ["Who", "How", num("Searches"), num("Mean time")],
    list.map(({ origin, method, count, averageMs }): Content[] => [
      origin.replaceAll("-", " "),
      method,
      whole(count),
      `${whole(averageMs)} ms`,
    ]),
  )}`;
}

function queries({ topQueries }: RetrievalFigures): Content {
  if (topQueries.length === 0) return "";
  return html`<h2>Most frequent questions</h2>${table(
    "Most frequent questions",
    [wide("Question"), num("Times")],
    topQueries.map(({ query, count }): Content[] => [html`<span class="clip">${query}</span>`, whole(count)]),
  )}`;
}
