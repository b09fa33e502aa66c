// One review: its findings, what it held back, what was said before, how it searched memory.
import { html } from "hono/html";
import type { LoggedRetrieval } from "../domain/figures/logged-retrieval.ts";
import { type Finding, type Precedent, SEVERITIES } from "../domain/finding.ts";
import { outcomeText } from "../domain/memory/evidence.ts";
import { findingMemoryId, type MemoryRecord, type RepoKey, repoKey } from "../domain/memory.ts";
import { admissionText, type SeenBefore } from "../domain/retrieval.ts";
import { isSilent, type Review } from "../domain/review.ts";
import { counted } from "../domain/text/counted.ts";
import { memoryPath, repositoryPath, reviewPath } from "./addresses.ts";
import { decisionForm, type Page, pager, repositoryChooser } from "./frame.ts";
import {
  badge,
  type Content,
  type Html,
  moment,
  outLink,
  ruleName,
  severityBadge,
  shortSha,
  withCode,
} from "./inline.ts";
import { diff, empty, facts, listOf, num, quoted, table, wide } from "./parts.ts";
import type { ReviewsView, ReviewView } from "./read-views.ts";
import { dollars, duration, outcomeWord, whole } from "./values.ts";

export function reviewsPage({ choice, total, reviews, page, pages }: ReviewsView): Page {
  const { repositories, chosen } = choice;
  const name = repositories.find(({ key }) => key === chosen)?.name ?? null;
  return {
    title: name === null ? "Reviews" : `Reviews of ${name}`,
    section: "reviews",
    body: html`<h1>Reviews${name === null ? "" : ` of ${name}`}</h1>${repositoryChooser("/reviews", choice)}${
      total === 0
        ? empty(
            "No review was written yet.",
            "Open a pull request in a repository with the App, or ask for a review there: /kodiai review.",
          )
        : html`<p class="note">${counted(total, "review")}, newest first</p>${table(
            "Reviews",
            ["Pull request", wide("What it does"), "Said", num("Held back"), "Outcome", "Written"],
            reviews.map(line),
          )}${pager("/reviews", chosen === null ? {} : { repo: chosen }, page, pages)}`
    }<p class="note">Why a pull request was not reviewed is under <a href="/jobs?state=done">finished jobs</a>, and said on it to who asks: /kodiai why.</p>`,
  };
}

function line({ key, review, writtenAt, outcome }: ReviewsView["reviews"][number]): readonly Content[] {
  return [
    html`<a href="${reviewPath(key, review.headSha)}">${pullName(review)}</a> <span class="note">${review.author ?? ""} ${shortSha(review.headSha)}</span>`,
    review.signals.intent.subject,
    said(review),
    whole(review.heldBack.length),
    outcomeBadge(outcome),
    html`${moment(writtenAt)} <span class="note">took ${duration(review.cost.ms)}${review.cost.usd === 0 ? "" : `, ${dollars(review.cost.usd)}`}</span>`,
  ];
}

export function pullName({ repo, number }: Review): string {
  return `${repo.owner}/${repo.name}#${number}`;
}

/** `1 critical, 3 major`; "nothing" without findings. */
function said({ findings }: Review): Content {
  if (findings.length === 0) return "nothing";
  const bySeverity = Map.groupBy(findings, ({ finding }) => finding.severity);
  return SEVERITIES.map((severity) => {
    const count = bySeverity.get(severity)?.length ?? 0;
    return count === 0 ? "" : html`${severityBadge(severity, `${count} ${severity}`)} `;
  });
}

function outcomeBadge(outcome: string | null): Html {
  if (outcome === null) return badge("not settled", "warn");
  return badge(outcome, outcome === "posted" ? "good" : "plain");
}

export function reviewPage(view: ReviewView): Page {
  const { review, outcome, writtenAt } = view;
  const key = repoKey(review.repo);
  const { cost, degraded, author, headSha } = review;
  return {
    title: pullName(review),
    section: "reviews",
    body: html`<p class="crumb"><a href="/reviews">Reviews</a> / <a href="${repositoryPath(key)}">${review.repo.owner}/${review.repo.name}</a></p>
<div class="head"><h1>${pullName(review)}: ${review.signals.intent.subject}</h1>${outcomeBadge(outcome)}</div>
<p class="note">${outLink(pageOf(review, `/pull/${review.number}`), `Pull request #${review.number}`)}${author === null ? "" : ` by ${author}`} at ${shortSha(headSha)}, ${moment(writtenAt)}; it took ${duration(cost.ms)}${cost.usd === 0 ? "" : ` and cost ${dollars(cost.usd)}`}</p>
${findings(view, key)}${heldBack(review, key)}${saidBefore(review, key)}
${listOf(
  "Less than it should be",
  degraded.map(({ part, reason }) => `${part}: ${reason}`),
  true,
)}
<details><summary>How it searched memory</summary><section class="card">${retrieve(view, key)}</section></details>`,
  };
}

/** The address of a page of its repository on GitHub; null for a local repository. */
function pageOf({ repo }: Review, path: string): string | null {
  if (repo.host === "local" || repo.host === "eval") return null;
  return `https://${repo.host}/${repo.owner}/${repo.name}${path}`;
}

function findings({ review, remembered, formToken }: ReviewView, key: RepoKey): Html {
  const { findings: list, number } = review;
  if (list.length === 0)
    return html`<p>Nothing was found that is worth saying.${isSilent(review) ? " The pull request got a 👍 and no summary, unless it had one." : ""}</p>`;
  return html`<section><h2>${counted(list.length, "finding")}</h2><ol class="found">${list.map(
    ({ finding, place, reason }) => {
      const record = remembered.get(findingMemoryId(key, number, finding.id)) ?? null;
      const hunk = record?.hunk ?? null;
      return html`<li class="card"><h3>${severityBadge(finding.severity)} ${finding.title}</h3>
<p class="note">${placeOf(review, finding)}, by ${finding.rule === null ? finding.source : ruleName(finding.rule)}, confidence ${finding.confidence.toFixed(2)}; ${place.replaceAll("-", " ")}${reason === null ? "" : `: ${reason}`}</p>
${hunk === null ? "" : diff(hunk)}${finding.body === "" ? "" : html`<p class="body">${withCode(finding.body.replace(/\n{2,}/g, "\n"))}</p>`}${suggested(finding)}${quotes(key, finding.precedents)}${became(record, formToken)}</li>`;
    },
  )}</ol></section>`;
}

function suggested({ suggestion }: Finding): Content {
  if (suggestion === null) return "";
  return html`<h4>Suggested instead</h4>${quoted(suggestion.text === "" ? "(delete the lines)" : suggestion.text)}`;
}

/** What became of a finding since, as far as memory knows it, and what a person may decide. */
function became(record: MemoryRecord | null, formToken: string): Content {
  if (record === null) return html`<p class="note">Memory does not have it, nor the code around it.</p>`;
  const { repo, id, flaggedCode, fixedCode, decided, outcome } = record;
  const code =
    fixedCode === null ? "" : html`<h4>What it became</h4>${quoted(`${flaggedCode ?? ""}\n→\n${fixedCode}`)}`;
  return html`${code}<p class="note row">${decided === null ? outcomeWord(outcome ?? "none") : outcomeText(record)} <a href="${memoryPath(repo, id)}">its memory</a></p>${decisionForm(formToken, record, outcome === "declined")}`;
}

function placeOf(review: Review, { path, line, side }: Finding): Content {
  const place = html`<span class="path">${path}:${line}</span>`;
  const address = path.split("/").map(encodeURIComponent).join("/");
  return side === "LEFT" ? place : outLink(pageOf(review, `/blob/${review.headSha}/${address}#L${line}`), place);
}

function heldBack(review: Review, key: RepoKey): Content {
  const { heldBack: list } = review;
  if (list.length === 0) return "";
  return html`<section><h2>${whole(list.length)} held back</h2><ul class="lines card">${list.map(
    ({ finding, reason, precedent }) =>
      html`<li>${severityBadge(finding.severity)} ${finding.title} <span class="note">${placeOf(review, finding)}: ${reason}</span>${quotes(key, precedent === undefined ? [] : [precedent])}</li>`,
  )}</ul></section>`;
}

function saidBefore({ memory: { precedents, seenBefore } }: Review, key: RepoKey): Content {
  if (precedents.length + seenBefore.length === 0) return "";
  return html`<section><h2>What was said before</h2><ul class="lines card">${precedents.map((precedent) => html`<li>${quote(key, precedent.id, precedent)}</li>`)}${seenBefore.map(
    (seen) =>
      html`<li>${quote(key, seen.memoryId, seen)} <span class="note">about code like that of <span class="path">${seen.path}</span></span></li>`,
  )}</ul></section>`;
}

function quotes(key: RepoKey, precedents: readonly Precedent[]): Content {
  if (precedents.length === 0) return "";
  return html`<ul class="lines">${precedents.map((precedent) => html`<li>${quote(key, precedent.id, precedent)}</li>`)}</ul>`;
}

/**
 * `ines on #1 (2026-03-02, fixed): Give subprocess.run a list…`, with links to the comment and
 * to the memory. Kodiai said what has no author; what belongs to no pull request is a document.
 */
function quote(key: RepoKey, id: string, comment: Precedent | Omit<SeenBefore, "path">): Html {
  const { pull, author = pull === undefined ? "A document" : "Kodiai", url, date, outcome, decided } = comment;
  const reason = "reason" in comment ? comment.reason : undefined;
  const known = outcome === "unknown" || outcome === "posted" ? "" : outcome;
  const when = [date, `${known} ${decided ?? ""}`.trim()];
  return html`${author} on ${outLink(url, pull === undefined ? "GitHub" : `#${pull}`)} (${when.filter((part) => part !== "").join(", ")}): <a href="${memoryPath(key, id)}">${comment.quote ?? reason ?? id}</a>`;
}

function retrieve({ review, retrieval }: ReviewView, key: RepoKey): Html {
  const { gate, precedents } = review.memory;
  return html`${facts({
    gate: html`${badge(gate.retrieve ? "search" : "skip", gate.retrieve ? "good" : "plain")} by ${gate.decidedBy}, confidence ${gate.confidence.toFixed(2)}${gate.strategy === null ? "" : `, ${gate.strategy}`}: ${gate.reason}`,
    ...retrievalFacts(retrieval),
  })}${retrieval === null || retrieval.query === "" ? "" : html`<details><summary>Query</summary>${quoted(retrieval.query)}</details>`}
${
  precedents.length === 0
    ? html`<p class="note">No memory was chosen.</p>`
    : table(
        "Chosen memories, best first",
        ["Memory", num("Similarity"), num("Score"), num("Distance")],
        precedents.map(({ id, similarity }): Content[] => [
          html`<a href="${memoryPath(key, id)}">${id}</a>`,
          similarity.toFixed(3),
          loggedFigure(retrieval, "scores", id),
          loggedFigure(retrieval, "distances", id),
        ]),
      )
}`;
}

/** What was written down of one memory: the list only orders, so its digits are few. */
function loggedFigure(retrieval: LoggedRetrieval | null, of: "scores" | "distances", id: string): string {
  const value = retrieval?.[of][retrieval.ids.indexOf(id)];
  return value === undefined || value === null ? "–" : value.toFixed(of === "scores" ? 4 : 3);
}

function retrievalFacts(retrieval: LoggedRetrieval | null): Readonly<Record<string, Content>> {
  if (retrieval === null) return { "written down": "nothing: figures of retrievals are kept for 30 days" };
  const { method, totalScanned, candidates, admits, threshold, retrievalMs, embedding, rerank, degraded } = retrieval;
  const { texts, cached, tokens, usd } = embedding;
  return {
    searched: `${counted(candidates, "candidate")} among ${counted(totalScanned, "memory", "memories")} by ${method}, ${admissionText(admits, threshold, "")}`,
    time: `${whole(retrievalMs)} ms`,
    embedding: `${counted(texts, "text")}, ${whole(cached)} cached, ${whole(tokens)} tokens, ${dollars(usd)}`,
    reranking:
      rerank === null
        ? "none"
        : `by ${rerank.by}, ${whole(rerank.ms)} ms, ${dollars(rerank.usd)}${rerank.failed === null ? "" : `, failed: ${rerank.failed}`}`,
    degraded: degraded.join(", "),
  };
}
