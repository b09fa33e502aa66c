// One memory: what it says, where it comes from, what people did about it and what each act weighed, and how to correct it.
import { html } from "hono/html";
import { outcomeText } from "../domain/memory/evidence.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { memoriesPath, memoryPath } from "./addresses.ts";
import { destruction, type Page } from "./frame.ts";
import {
  badge,
  type Content,
  empty,
  facts,
  type Html,
  moment,
  outLink,
  quoted,
  shortSha,
  table,
  titleOf,
} from "./parts.ts";
import type { MemoryView } from "./read-repository.ts";

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
  return html`<section class="card"><h2>Where it comes from</h2>${facts([
    ["id", html`<code>${record.id}</code>`],
    ["kind", record.corpus.replaceAll("_", " ")],
    ["outcome", record.outcome === null ? null : outcomeText(record)],
    ["severity", record.severity],
    ["category", record.category],
    ["language", record.language],
    ["path", record.path === null ? null : html`<span class="path">${record.path}</span>`],
    ["symbol", record.symbol],
    ["pull request", provenance.pull === null ? null : `#${provenance.pull}`],
    ["said by", provenance.author === null ? null : `${provenance.author}${provenance.authorIsBot ? " (bot)" : ""}`],
    ["at", moment(provenance.at)],
    ["commit", provenance.sha === null ? null : shortSha(provenance.sha)],
    ["address", provenance.url === null ? null : outLink(provenance.url, "where it was said")],
    ["searched", record.stale ? "no: its source was removed, or its vector is another embedder's" : "yes"],
  ])}</section>`;
}

function corrections({ record, formToken, declines }: MemoryView): Html {
  const path = memoryPath(record.repo, record.id);
  const restore =
    declines.length === 0
      ? html`<p class="note">It was not declined: there is nothing to restore.</p>`
      : html`<ul>${declines.map(({ by, reason, at, url }) => html`<li>declined by ${by}, ${moment(at)}${reason === null ? "" : html`: ${reason}`} ${url === null ? "" : outLink(url, "on GitHub")}</li>`)}</ul>
${destruction(formToken, "Restore…", { path: `${path}/restore`, says: "All declines of it are taken back: findings like it are said again, from the next review of each pull request on.", button: "Restore it" })}`;
  return html`<section class="card"><h2>Correct it</h2>${restore}
${destruction(formToken, "Forget…", { path: `${path}/forget`, says: "The memory goes with its words, vector and evidence, and cannot be brought back from here.", button: "Forget it" })}</section>`;
}

function written({ situation, lesson, tags, described }: MemoryRecord): Content {
  if (situation === null && lesson === null)
    return described === undefined
      ? ""
      : html`<section><h2>What a model made of it</h2><p>No lesson: ${described.problems.join(", ")}</p></section>`;
  return html`<section><h2>What a model made of it</h2>${facts([
    ["situation", situation],
    ["lesson", lesson],
    ["tags", tags.join(", ")],
    ["written by", described?.by ?? "a model that is not named"],
    ["confidence", described === undefined ? null : described.confidence.toFixed(1)],
  ])}</section>`;
}

function code({ hunk, flaggedCode = null, fixedCode = null }: MemoryRecord): Content {
  const parts = [
    ["Diff that was spoken about", hunk],
    ["Code that was flagged", flaggedCode],
    ["What it became", fixedCode],
  ] as const;
  const shown = parts.filter(([, text]) => text !== null);
  if (shown.length === 0) return "";
  return html`<section><h2>Code</h2>${shown.map(([name, text]) => html`<h3>${name}</h3>${quoted(text ?? "")}`)}</section>`;
}

function why({ because, evidence }: MemoryView): Html {
  const rows = evidence.map(({ evidence: one, effect }): Content[] => [
    moment(one.at),
    one.by === null ? "unknown" : `${one.by.login} (${one.by.isBot ? "bot" : one.by.access})`,
    html`${one.stance === null ? one.kind : `${one.kind}, ${one.stance}`} ${one.withdrawnAt === null ? "" : badge("taken back")}`,
    effect,
    html`${one.text ?? ""} ${one.url === null ? "" : outLink(one.url, "on GitHub")}`,
  ]);
  return html`<section><h2>What people did about it</h2>${because.map((one) => html`<p>${one}</p>`)}${
    rows.length === 0
      ? empty(
          "No acts of people are known.",
          "Reactions, replies and commits on its pull request are looked at every hour.",
        )
      : table("Evidence", ["When", "Who", "What", "Effect", "Words"], rows)
  }</section>`;
}
