// One review: what it found, what it held back and what was said before; and, folded, how it came about.

import { html } from "hono/html";
import type { LoggedRetrieval } from "../domain/figures/logged-retrieval.ts";
import type { Finding, Precedent } from "../domain/finding.ts";
import { type RepoKey, repoKey } from "../domain/memory.ts";
import type { SeenBefore } from "../domain/retrieval.ts";
import type { Review } from "../domain/review.ts";
import { counted } from "../domain/text/counted.ts";
import { memoryPath, repositoryPath } from "./addresses.ts";
import type { Page } from "./frame.ts";
import {
  badge,
  bars,
  type Content,
  dollars,
  duration,
  empty,
  facts,
  type Html,
  listOf,
  moment,
  num,
  outLink,
  percent,
  quoted,
  ruleName,
  severityBadge,
  shortSha,
  table,
  whole,
  withCode,
} from "./parts.ts";
import type { ReviewView } from "./read-repository.ts";
import { outcomeBadge, pullName } from "./reviews.ts";

export function reviewPage(view: ReviewView): Page {
  const { review, outcome, writtenAt } = view;
  const key = repoKey(review.repo);
  const { cost, degraded, author, headSha } = review;
  return {
    title: pullName(review),
    section: "reviews",
    body: html`<p class="crumb"><a href="/reviews">Reviews</a> / <a href="${repositoryPath(key)}">${review.repo.owner}/${review.repo.name}</a></p>
<div class="head"><h1>${pullName(review)}: ${review.signals.intent.subject}</h1>${outcomeBadge(outcome)}</div>
<p class="note">${outLink(pageOf(review, `/pull/${review.number}`), `Pull request #${review.number}`)}${author === undefined ? "" : ` by ${author}`} at ${shortSha(headSha)}, ${moment(writtenAt)}; it took ${duration(cost.ms)}${cost.usd === 0 ? "" : ` and cost ${dollars(cost.usd)}`}</p>
${findings(review, key)}${heldBack(review, key)}${saidBefore(review, key)}
${listOf(
  "Less than it should be",
  degraded.map(({ part, reason }) => `${part}: ${reason}`),
  true,
)}
<details class="walk"><summary>How it came about</summary><ol>
${stage("What was read", gather(review))}
${stage("The change", analyze(review))}
${stage("Memory", retrieve(view, key))}
${stage("The model", model(review))}
${stage("What was posted", publish(view))}
</ol></details>`,
  };
}

/** The address of a page of its repository on GitHub; null for a local repository. */
function pageOf({ repo }: Review, path: string): string | null {
  if (repo.host === "local" || repo.host === "eval") return null;
  return `https://${repo.host}/${repo.owner}/${repo.name}${path}`;
}

function stage(name: string, content: Content): Html {
  return html`<li><section class="card"><h2>${name}</h2>${content}</section></li>`;
}

function findings(review: Review, key: RepoKey): Html {
  const { findings: list } = review;
  if (list.length === 0) return html`<p>Nothing was found that is worth saying.</p>`;
  return html`<section><h2>${counted(list.length, "finding")}</h2><ol class="found">${list.map(
    ({ finding, place, reason }) => html`<li class="card"><h3>${severityBadge(finding.severity)} ${finding.title}</h3>
<p class="note">${placeOf(review, finding)}, by ${finding.rule === null ? finding.source : ruleName(finding.rule)}, confidence ${finding.confidence.toFixed(2)}; ${place.replaceAll("-", " ")}${reason === null ? "" : `: ${reason}`}</p>
<p class="body">${withCode(finding.body.replace(/\n{2,}/g, "\n"))}</p>${quotes(key, finding.precedents)}</li>`,
  )}</ol></section>`;
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
  return html`<section><h2>What was said before</h2><ul class="lines card">${precedents.map((one) => html`<li>${quote(key, one.id, one)}</li>`)}${seenBefore.map(
    (one) =>
      html`<li>${quote(key, one.memoryId, one)} <span class="note">about code like that of <span class="path">${one.path}</span></span></li>`,
  )}</ul></section>`;
}

function quotes(key: RepoKey, precedents: readonly Precedent[]): Content {
  if (precedents.length === 0) return "";
  return html`<ul class="lines">${precedents.map((one) => html`<li>${quote(key, one.id, one)}</li>`)}</ul>`;
}

/**
 * `ines on #1 (2026-03-02, fixed): Give subprocess.run a list…`, with a link to where it was said and one to the memory. Kodiai said
 * what has no author; what was said on no pull request is a document.
 */
function quote(key: RepoKey, id: string, said: Precedent | Omit<SeenBefore, "path">): Html {
  const { pull, author = pull === undefined ? "A document" : "Kodiai", url, date, outcome, decided } = said;
  const reason = "reason" in said ? said.reason : undefined;
  const known = outcome === "unknown" || outcome === "posted" ? "" : outcome;
  const when = [date, `${known} ${decided ?? ""}`.trim()];
  return html`${author} on ${outLink(url, pull === undefined ? "GitHub" : `#${pull}`)} (${when.filter((part) => part !== "").join(", ")}): <a href="${memoryPath(key, id)}">${said.quote ?? reason ?? id}</a>`;
}

function gather({ reviewed, leftOut, scope, configProblems, baseSha }: Review): Html {
  return html`${facts([
    [
      "read",
      scope.kind === "full"
        ? `all of it${scope.reason === null ? "" : `: ${scope.reason}`}`
        : `what changed since ${scope.since.slice(0, 7)}`,
    ],
    ["base", shortSha(baseSha)],
    ["files", `${whole(reviewed.length)} reviewed, ${whole(leftOut.length)} left out`],
    [
      "configuration",
      configProblems.length === 0
        ? "no problems"
        : `${counted(configProblems.length, "problem")}: ${configProblems.map(({ key, message }) => `${key} ${message}`).join("; ")}`,
    ],
  ])}${listOf(
    "Left out",
    leftOut.map(({ path, reason }) => html`<span class="path">${path}</span>: ${reason}`),
  )}`;
}

function analyze({ signals }: Review): Html {
  const { intent, languages, risks, author, metrics } = signals;
  return html`${facts([
    [
      "intent",
      `${intent.type ?? intent.otherType ?? "no type"}${intent.scope === null ? "" : ` (${intent.scope})`}${intent.breaking.length > 0 ? ", breaking" : ""}`,
    ],
    ["author", `${author.tier}: ${author.because}`],
    [
      "size",
      `${counted(metrics.files, "file")}, +${whole(metrics.added)} −${whole(metrics.removed)}, ${counted(metrics.hunks, "hunk")}`,
    ],
    [
      "risks",
      risks.length === 0
        ? "none"
        : html`<ul class="bare">${risks.map(({ text, evidence }) => html`<li>${text}${evidence[0] === undefined ? "" : html` <span class="path">${evidence[0].path}${evidence[0].line === null ? "" : `:${evidence[0].line}`}</span>${evidence.length > 1 ? ` and ${evidence.length - 1} more` : ""}`}</li>`)}</ul>`,
    ],
  ])}${
    languages.length === 0
      ? ""
      : bars(
          "Languages by changed lines",
          languages.map(({ name, share, changedLines }) => ({
            name,
            value: share,
            shown: `${percent(share)}, ${whole(changedLines)} lines`,
          })),
          1,
        )
  }`;
}

function model({ coverage, cost }: Review): Html {
  if (coverage === null) return html`<p class="note">No model was asked: rules and memory alone.</p>`;
  const { model: name, questions, unanswered, cut, files, hidden = [], located } = coverage;
  const states = [...Map.groupBy(files, ({ state }) => state)].map(
    ([state, list]) => `${whole(list.length)} ${state.replaceAll("-", " ")}`,
  );
  return html`${facts([
    ["model", name],
    ["questions", `${whole(questions)}, ${whole(unanswered)} without a valid answer`],
    ["tokens", `${whole(cost.inputTokens)} in, ${whole(cost.outputTokens)} out, ${dollars(cost.usd)}`],
    ["files", states.join(", ")],
    [
      "places proven",
      Object.entries(located)
        .map(([how, count]) => `${how} ${count}`)
        .join(", "),
    ],
  ])}${listOf(
    "Parts of the prompt that were shortened",
    cut.map(({ part, shown, of }) => `${part}: ${whole(shown)} of ${whole(of)} characters`),
    true,
  )}${listOf(
    "Hidden text that was not shown to it",
    hidden.map(({ part, chars }) => `${part}: ${whole(chars)} characters`),
    true,
  )}${listOf(
    "Files that it did not read wholly",
    files
      .filter(({ reason }) => reason !== null)
      .map(
        ({ path, state, reason }) =>
          html`<span class="path">${path}</span>: ${state.replaceAll("-", " ")}, ${reason ?? ""}`,
      ),
  )}`;
}

function publish({ review, outcome, settledAt }: ReviewView): Html {
  const places = [...Map.groupBy(review.findings, ({ place }) => place)].map(
    ([place, list]) => `${whole(list.length)} ${place.replaceAll("-", " ")}`,
  );
  const { addressed } = review;
  return html`${facts([
    ["outcome", outcomeBadge(outcome)],
    ["settled", settledAt === null ? "not yet" : moment(settledAt)],
    ["places", places.length === 0 ? "the summary alone" : places.join(", ")],
  ])}${
    addressed.length === 0
      ? empty(
          "No finding of an earlier push went away.",
          "A finding whose code changes is listed here with the next push.",
        )
      : listOf(
          "May be addressed since",
          addressed.map(({ finding, reason }) => `${finding.title}: ${reason}`),
          true,
        )
  }`;
}

function retrieve({ review, retrieval }: ReviewView, key: RepoKey): Html {
  const { gate, precedents } = review.memory;
  return html`${facts([
    [
      "gate",
      html`${badge(gate.retrieve ? "search" : "skip", gate.retrieve ? "good" : "plain")} by ${gate.decidedBy}, confidence ${gate.confidence.toFixed(2)}${gate.strategy === null ? "" : `, ${gate.strategy}`}: ${gate.reason}`,
    ],
    ...retrievalFacts(retrieval),
  ])}${retrieval === null || retrieval.query === "" ? "" : html`<details><summary>Query</summary>${quoted(retrieval.query)}</details>`}
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

function retrievalFacts(retrieval: LoggedRetrieval | null): readonly (readonly [string, Content])[] {
  if (retrieval === null) return [["written down", "nothing: figures of retrievals are kept for 30 days"]];
  const { method, totalScanned, candidates, threshold, retrievalMs, embedding, rerank, degraded } = retrieval;
  return [
    [
      "searched",
      `${counted(candidates, "candidate")} among ${counted(totalScanned, "memory", "memories")} by ${method}, distance at most ${threshold.toFixed(3)}`,
    ],
    ["time", `${whole(retrievalMs)} ms`],
    [
      "embedding",
      `${whole(embedding.texts)} texts, ${whole(embedding.cached)} cached, ${whole(embedding.tokens)} tokens, ${dollars(embedding.usd)}`,
    ],
    [
      "reranking",
      rerank === null
        ? "none"
        : `by ${rerank.by}, ${whole(rerank.ms)} ms, ${dollars(rerank.usd)}${rerank.failed === null ? "" : `, failed: ${rerank.failed}`}`,
    ],
    ["degraded", degraded.length === 0 ? null : degraded.join(", ")],
  ];
}
