// The memory of a repository: as a list, or searched as a review does, with the reasons of ranks.
import { html } from "hono/html";
import { outcomeText } from "../domain/memory/evidence.ts";
import { CORPORA, type MemoryRecord, OUTCOMES } from "../domain/memory.ts";
import {
  admissionText,
  candidatesText,
  type Precedents,
  type RankedMemory,
  scoreNote,
  scoreText,
  termsText,
} from "../domain/retrieval.ts";
import { counted } from "../domain/text/counted.ts";
import { memoriesPath, memoryPath } from "./addresses.ts";
import { decisionForm, destruction, type Page, pager, select } from "./frame.ts";
import { badge, type Content, type Html, moment, outLink, shortSha } from "./inline.ts";
import { empty, facts, listOf, quoted, table } from "./parts.ts";
import type { FoundMemories, ListedMemories, MemoriesView, MemoryQuestion, MemoryView } from "./read-views.ts";
import { outcomeWord, titleOf, whole } from "./values.ts";

export const METHODS = ["hybrid", "semantic", "keyword"] as const;

export function memoriesPage(view: MemoriesView): Page {
  const { question, shown, problem } = view;
  return {
    title: "Memory",
    section: "memories",
    body: html`<h1>Memory</h1>${problem === null ? "" : html`<p class="status">${badge("memory is off", "bad")} ${problem}</p>`}
${view.repositories.length === 0 && problem === null ? empty("Nothing is remembered yet.", html`Review a pull request, or bring the past in: <code>kodiai import OWNER/NAME</code>.`) : questionForm(view)}
${shown === null ? "" : shown.kind === "list" ? list(question, shown) : found(shown)}`,
  };
}

function questionForm({ repositories, question }: MemoriesView): Html {
  const known = repositories.map(({ key, name }) => [key, name] as const);
  return html`<form class="search" data-filters method="get" action="/memories" role="search">
<label class="wide">Search, as a review would<input type="search" name="q" value="${question.q}" maxlength="2000" placeholder="retry a charge without an idempotency key"></label>
${select("repo", "Repository", question.repo, question.repo === "" ? [["", "all"], ...known] : known)}
${select("corpus", "Kind", question.corpus, [["", "all"], ...CORPORA.map((name) => [name, name.replaceAll("_", " ")] as const)])}
${select("outcome", "Outcome", question.outcome, [["", "all"], ...OUTCOMES.map((name) => [name, outcomeWord(name)] as const)])}
<label>Language<input name="language" value="${question.language}" maxlength="40" placeholder="python"></label>
${select("method", "Search by", question.method, [
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

function item(record: MemoryRecord, more: Content = ""): Html {
  const { provenance, path, language, corpus, outcome } = record;
  const { title, rest } = titleOf(record);
  const { author, sha, url } = provenance;
  return html`<li class="card"><h2><a href="${memoryPath(record.repo, record.id)}">${title}</a></h2>${rest === "" ? "" : html`<p class="two">${rest}</p>`}
<p class="note row">${badge(corpus.replaceAll("_", " "))} ${outcomeBadge(outcome)} ${language === "unknown" ? "" : badge(language)} <span class="path">${path ?? ""}</span> <span>${author ?? ""}</span> ${sha === null ? "" : shortSha(sha)} ${moment(provenance.at)} ${url === null ? "" : outLink(url, "on GitHub")}</p>${more}</li>`;
}

function list(question: MemoryQuestion, { records, total, page, pages }: ListedMemories): Html {
  if (total === 0) return empty("No memory is like that.", "Ask for less: take a filter away.");
  const { q: _, method: __, ...query } = question;
  return html`<p class="note">${counted(total, "memory", "memories")}, what was said last first</p>
<ul class="found">${alike(records).map(([record, ...others]) => item(record, saidAgain(others)))}</ul>${pager("/memories", query, page, pages)}`;
}

/** Memories of one kind with one title together, where the first of them is. */
function alike(records: readonly MemoryRecord[]) {
  const groups = Map.groupBy(records, (record) => JSON.stringify([record.repo, record.corpus, titleOf(record).title]));
  return [...groups.values()] as unknown as readonly (readonly [MemoryRecord, ...MemoryRecord[]])[];
}

function saidAgain(others: readonly MemoryRecord[]): Content {
  return listOf(
    "The same elsewhere",
    others.map(
      (record) =>
        html`<a href="${memoryPath(record.repo, record.id)}"><span class="path">${record.path ?? record.id}</span></a> ${outcomeBadge(record.outcome)} ${moment(record.provenance.at)}`,
    ),
  );
}

function found({ memories, precedents, ms }: FoundMemories): Html {
  const { provenance, cut, degraded, usage } = precedents;
  const { method, admits, threshold, thresholdMethod } = provenance;
  return html`<section aria-label="What was found"><p class="note">${whole(memories.length)} of ${candidatesText(provenance)}, ${method}, ${admissionText(admits, threshold, thresholdMethod)}, ${whole(ms)} ms${usage.tokens === 0 ? "" : `, ${whole(usage.tokens)} tokens`}${scoreNote(precedents.ranked)}</p>
${degraded.map(({ part, reason }) => html`<p class="status">${badge(part, "warn")} ${reason}</p>`)}
${memories.length === 0 ? empty("Nothing is near enough.", "Say it in other words, or search by words alone: they find names of functions and files.") : html`<ol class="found">${memories.map(({ memory }) => item(memory.record, ranks(memory)))}</ol>`}
${cutList(cut)}</section>`;
}

/** Both ranks with what they rest on, and the terms of the score. */
function ranks({ distance, adjustedDistance, terms, nearestHunk, confidence, score, ...memory }: RankedMemory): Html {
  const { vectorRank, keywordRank, keywordScore, alternateSources } = memory;
  const number = (value: number | null, digits: number) => (value === null ? "–" : value.toFixed(digits));
  const adjusted = adjustedDistance === null ? "" : `, adjusted ${number(adjustedDistance, 3)}`;
  const sure = confidence === null ? "" : `, ${confidence.replaceAll("_", " ")} confidence`;
  const byMeaning =
    vectorRank === null ? "not found" : `rank ${vectorRank}, distance ${number(distance, 3)}${adjusted}${sure}`;
  return html`<details><summary>Score ${scoreText(score)}</summary>${facts({
    "by meaning": byMeaning,
    "by words": keywordRank === null ? "not found" : `rank ${keywordRank}, BM25 ${number(keywordScore, 1)}`,
    "nearest to": nearestHunk === null ? null : `${nearestHunk.path} (${nearestHunk.distance.toFixed(3)})`,
    score: `${scoreText(score)} = ${termsText(terms)}`,
    "also said by": alternateSources.join(" "),
  })}</details>`;
}

/** What was found and left out, by the reason; figures in a reason are of the first. */
function cutList(cut: Precedents["cut"]): Content {
  if (cut.length === 0) return "";
  const groups = Map.groupBy(cut, ({ reason }) => reason.replace(/\d+(?:\.\d+)?|mem_[0-9a-f]{12}/g, "…"));
  const rows = [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .map((all) => html`<li>${whole(all.length)} × ${all[0]?.reason ?? ""}</li>`);
  return html`<details><summary>${whole(cut.length)} were found and left out</summary><ul>${rows}</ul></details>`;
}

export function memoryPage(view: MemoryView): Page {
  const { record } = view;
  return {
    title: record.id,
    section: "memories",
    body: html`<p class="crumb"><a href="/memories">Memory</a> / <a href="${memoriesPath(record.repo)}">${record.repoName}</a></p>
<h1>${titleOf(record).title}</h1>
<section><h2>What was said</h2>${quoted(record.text)}${record.replies.map((reply) => html`<h3>Answer</h3>${quoted(reply)}`)}</section>
<div class="columns">${source(record)}${corrections(view)}</div>
${written(record)}${code(record)}${why(view)}`,
  };
}

function source(record: MemoryRecord): Html {
  const { provenance } = record;
  return html`<section class="card"><h2>Where it comes from</h2>${facts({
    id: html`<code>${record.id}</code>`,
    kind: record.corpus.replaceAll("_", " "),
    outcome: record.outcome === null ? null : outcomeText(record),
    severity: record.severity,
    category: record.category,
    language: record.language,
    path: record.path === null ? null : html`<span class="path">${record.path}</span>`,
    symbol: record.symbol,
    "pull request": provenance.pull === null ? null : `#${provenance.pull}`,
    "said by": provenance.author === null ? null : `${provenance.author}${provenance.authorIsBot ? " (bot)" : ""}`,
    at: moment(provenance.at),
    commit: provenance.sha === null ? null : shortSha(provenance.sha),
    address: provenance.url === null ? null : outLink(provenance.url, "where it was said"),
    searched: record.stale ? "no: its source was removed, or its vector is another embedder's" : "yes",
  })}</section>`;
}

function corrections({ record, formToken, declines }: MemoryView): Html {
  const path = memoryPath(record.repo, record.id);
  const list = declines.map(
    ({ by, reason, at, url }) =>
      html`<li>declined by ${by}, ${moment(at)}${reason === null ? "" : html`: ${reason}`} ${url === null ? "" : outLink(url, "on GitHub")}</li>`,
  );
  return html`<section class="card"><h2>Correct it</h2>${list.length === 0 ? "" : html`<ul>${list}</ul>`}${decisionForm(formToken, record, list.length > 0 || record.outcome === "declined")}
${destruction(formToken, "Forget…", { path: `${path}/forget`, says: "The memory goes with its words, vector and evidence, and cannot be brought back from here.", button: "Forget it" })}</section>`;
}

function written({ situation, lesson, tags, described }: MemoryRecord): Content {
  if (situation === null && lesson === null)
    return described === null
      ? ""
      : html`<section><h2>What a model made of it</h2><p>No lesson: ${described.problems.join(", ")}</p></section>`;
  return html`<section><h2>What a model made of it</h2>${facts({
    situation,
    lesson,
    tags: tags.join(", "),
    "written by": described?.by ?? "a model that is not named",
    confidence: described === null ? null : described.confidence.toFixed(1),
  })}</section>`;
}

function code({ hunk, flaggedCode, fixedCode }: MemoryRecord): Content {
  const parts = {
    "Its diff": hunk,
    "Code that was flagged": flaggedCode,
    "What it became": fixedCode,
  };
  const shown = Object.entries(parts).flatMap(([name, text]) =>
    text === null ? [] : [html`<h3>${name}</h3>${quoted(text)}`],
  );
  return shown.length === 0 ? "" : html`<section><h2>Code</h2>${shown}</section>`;
}

function why({ because, evidence }: MemoryView): Html {
  const rows = evidence.map(({ evidence: act, effect }): Content[] => [
    moment(act.at),
    act.by === null ? "unknown" : `${act.by.login} (${act.by.isBot ? "bot" : act.by.access})`,
    html`${act.stance === null ? act.kind : `${act.kind}, ${act.stance}`} ${act.withdrawnAt === null ? "" : badge("taken back")}`,
    effect,
    html`${act.text ?? ""} ${act.url === null ? "" : outLink(act.url, "on GitHub")}`,
  ]);
  return html`<section><h2>What people did about it</h2>${because.map((reason) => html`<p>${reason}</p>`)}${
    rows.length === 0
      ? empty(
          "No acts of people are known.",
          "Reactions, replies and commits on its pull request are looked at every hour.",
        )
      : table("Evidence", ["When", "Who", "What", "Effect", "Words"], rows)
  }</section>`;
}
