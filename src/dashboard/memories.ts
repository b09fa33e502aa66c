// The memory of a repository: a list by what it is, or a search as a review searches, with what gave each memory its rank.

import { html } from "hono/html";
import { CORPORA, type MemoryRecord, OUTCOMES } from "../domain/memory.ts";
import { candidatesText, type Precedents, type RankedMemory, scoreText, termsText } from "../domain/retrieval.ts";
import { counted } from "../domain/text/counted.ts";
import { memoryPath } from "./addresses.ts";
import { type Page, pager, select } from "./frame.ts";
import {
  badge,
  type Content,
  empty,
  facts,
  type Html,
  moment,
  outcomeWord,
  outLink,
  shortSha,
  titleOf,
  whole,
} from "./parts.ts";
import type { FoundMemories, ListedMemories, MemoriesView, MemoryQuestion } from "./read-repository.ts";

export const METHODS = ["hybrid", "semantic", "keyword"] as const;

export function memoriesPage(view: MemoriesView): Page {
  const { asked, shown, problem } = view;
  return {
    title: "Memory",
    section: "memories",
    body: html`<h1>Memory</h1>${problem === null ? "" : html`<p class="status">${badge("memory is off", "bad")} ${problem}</p>`}
${view.repositories.length === 0 && problem === null ? empty("Nothing is remembered yet.", html`Review a pull request, or bring the past in: <code>kodiai import OWNER/NAME</code>.`) : questionForm(view)}
${shown === null ? "" : shown.kind === "list" ? list(asked, shown) : found(shown)}`,
  };
}

function questionForm({ repositories, asked }: MemoriesView): Html {
  return html`<form class="search" data-filters method="get" action="/memories" role="search">
<label class="wide">Search, as a review would<input type="search" name="q" value="${asked.q}" maxlength="2000" placeholder="retry a charge without an idempotency key"></label>
${select(
  "repo",
  "Repository",
  asked.repo,
  repositories.map(({ key, name }) => [key, name]),
)}
${select("corpus", "Kind", asked.corpus, [["", "all"], ...CORPORA.map((one) => [one, one.replaceAll("_", " ")] as const)])}
${select("outcome", "Outcome", asked.outcome, [["", "all"], ...OUTCOMES.map((one) => [one, outcomeWord(one)] as const)])}
<label>Language<input name="language" value="${asked.language}" maxlength="40" placeholder="python"></label>
${select("method", "Search by", asked.method, [
  ["hybrid", "both"],
  ["semantic", "meaning"],
  ["keyword", "words"],
])}
<button>Search</button></form>`;
}

function outcomeBadge(outcome: string | null): Content {
  if (outcome === null) return "";
  const tone = outcome === "declined" ? "bad" : outcome === "accepted" || outcome === "fixed" ? "good" : "plain";
  return badge(outcomeWord(outcome), tone);
}

/** A title, two lines, badges, and where it comes from. */
function item(record: MemoryRecord, more: Content = ""): Html {
  const { provenance, path, language, corpus, outcome } = record;
  const { title, rest } = titleOf(record);
  const { author, sha, url } = provenance;
  return html`<li class="card"><h2><a href="${memoryPath(record.repo, record.id)}">${title}</a></h2>${rest === "" ? "" : html`<p class="two">${rest}</p>`}
<p class="note row">${badge(corpus.replaceAll("_", " "))} ${outcomeBadge(outcome)} ${language === "unknown" ? "" : badge(language)} <span class="path">${path ?? ""}</span> <span>${author ?? ""}</span> ${sha === null ? "" : shortSha(sha)} ${moment(provenance.at)} ${url === null ? "" : outLink(url, "on GitHub")}</p>${more}</li>`;
}

function list(asked: MemoryQuestion, { records, total, page, pages }: ListedMemories): Html {
  if (total === 0) return empty("No memory is like that.", "Ask for less: take a filter away.");
  const { q: _, method: __, ...query } = asked;
  return html`<p class="note">${counted(total, "memory", "memories")}, what was said last first</p>
<ul class="found">${records.map((record) => item(record))}</ul>${pager("/memories", query, page, pages)}`;
}

function found({ memories, precedents, ms }: FoundMemories): Html {
  const { provenance, cut, degraded, usage } = precedents;
  return html`<section aria-label="What was found"><p class="note">${whole(memories.length)} of ${candidatesText(provenance)}, ${provenance.method}${
    provenance.method === "keyword"
      ? ""
      : `, distance at most ${provenance.threshold.toFixed(3)} (${provenance.thresholdMethod})`
  }, ${whole(ms)} ms${usage.tokens === 0 ? "" : `, ${whole(usage.tokens)} tokens`}</p>
${degraded.map(({ part, reason }) => html`<p class="status">${badge(part, "warn")} ${reason}</p>`)}
${memories.length === 0 ? empty("Nothing is near enough.", "Say it in other words, or search by words alone: they find names of functions and files.") : html`<ol class="found">${memories.map(({ memory }) => item(memory.record, ranks(memory)))}</ol>`}
${cutList(cut)}</section>`;
}

/** Both ranks with what they rest on, and the terms of the score. */
function ranks({ distance, adjustedDistance, terms, nearestHunk, confidence, score, ...memory }: RankedMemory): Html {
  const { vectorRank, keywordRank, keywordScore, alternateSources } = memory;
  const number = (value: number | null, digits: number) => (value === null ? "–" : value.toFixed(digits));
  return html`<details><summary>Score ${scoreText(score)}</summary>${facts([
    [
      "by meaning",
      vectorRank === null
        ? "not found"
        : `rank ${vectorRank}, distance ${number(distance, 3)}${adjustedDistance === null ? "" : `, adjusted ${number(adjustedDistance, 3)}`}${confidence === undefined ? "" : `, ${confidence.replaceAll("_", " ")} confidence`}`,
    ],
    ["by words", keywordRank === null ? "not found" : `rank ${keywordRank}, BM25 ${number(keywordScore, 1)}`],
    ["nearest to", nearestHunk === null ? null : `${nearestHunk.path} (${nearestHunk.distance.toFixed(3)})`],
    ["score", `${scoreText(score)} = ${termsText(terms)}`],
    ["also said by", alternateSources.join(" ")],
  ])}</details>`;
}

/** What was found and left out, by the reason; figures in a reason are of the first. */
function cutList(cut: Precedents["cut"]): Content {
  if (cut.length === 0) return "";
  const groups = [...Map.groupBy(cut, ({ reason }) => reason.replace(/\d+(?:\.\d+)?|mem_[0-9a-f]{12}/g, "…"))];
  const rows = groups
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([, all]) => html`<li>${whole(all.length)} × ${all[0]?.reason ?? ""}</li>`);
  return html`<details><summary>${whole(cut.length)} were found and left out</summary><ul>${rows}</ul></details>`;
}
