// One review as it walked through the rooms: what each handed on, what was left out, what it cost.
import { html } from "hono/html";
import type { LoggedRetrieval } from "../domain/figures/logged-retrieval.ts";
import { type RepoKey, repoKey } from "../domain/memory.ts";
import type { Review } from "../domain/review.ts";
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
  figures,
  type Html,
  listOf,
  moment,
  outLink,
  percent,
  quoted,
  table,
  whole,
} from "./parts.ts";
import { outcomeBadge, pullName, severityBadge, type WrittenReview } from "./reviews.ts";

export type ReviewView = WrittenReview & Retrieved;

export function reviewPage(view: ReviewView): Page {
  const { review, outcome, writtenAt, settledAt } = view;
  const key = repoKey(review.repo);
  return {
    title: pullName(review),
    section: "reviews",
    body: html`<p class="crumb"><a href="/reviews">Reviews</a> / <a href="${repositoryPath(key)}">${review.repo.owner}/${review.repo.name}</a></p>
<div class="head"><h1>${pullName(review)}: ${review.signals.intent.subject}</h1>${outcomeBadge(outcome)}</div>
<p class="note">${pullLink(review)}, head <code>${review.headSha.slice(0, 12)}</code>, written ${moment(writtenAt)}${settledAt === null ? "" : html`, settled ${moment(settledAt)}`}</p>
${figures([
  {
    name: "Findings",
    value: whole(review.findings.length),
    note: `${whole(review.findings.filter(({ place }) => place === "inline").length)} on their lines`,
  },
  { name: "Held back", value: whole(review.heldBack.length) },
  { name: "Precedents", value: whole(review.memory.precedents.length) },
  { name: "Tokens", value: whole(review.cost.inputTokens + review.cost.outputTokens), note: dollars(review.cost.usd) },
  { name: "Took", value: duration(review.cost.ms) },
])}
<ol class="walk">
${room("gather", "what the pull request is", gather(review))}
${room("analyze", "what kind of change it is", analyze(review))}
${room("retrieve", "what memory says about code like it", retrieveRoom(view, key))}
${room("review", "what a model was asked, and what rules and model found", reviewRoom(review, key))}
${room("publish", "where it was said", publish(view))}
</ol>`,
  };
}

function pullLink({ repo, number }: Review): Content {
  return repo.host === "local" || repo.host === "eval"
    ? `#${number}`
    : outLink(`https://${repo.host}/${repo.owner}/${repo.name}/pull/${number}`, `pull request #${number}`);
}

function room(name: string, does: string, content: Content): Html {
  return html`<li><section class="card"><h2>${name} <span class="note">${does}</span></h2>${content}</section></li>`;
}

function gather({ reviewed, leftOut, degraded, scope, configProblems, baseSha }: Review): Html {
  return html`${facts([
    [
      "read",
      scope.kind === "full"
        ? `all of it${scope.reason === null ? "" : `: ${scope.reason}`}`
        : `what changed since ${scope.since.slice(0, 12)}`,
    ],
    ["base", html`<code>${baseSha.slice(0, 12)}</code>`],
    ["files", `${whole(reviewed.length)} reviewed, ${whole(leftOut.length)} left out`],
    [
      "configuration",
      configProblems.length === 0
        ? "no problems"
        : `${whole(configProblems.length)} problems: ${configProblems.map(({ key, message }) => `${key} ${message}`).join("; ")}`,
    ],
  ])}${listOf(
    "Left out",
    leftOut.map(({ path, reason }) => html`<span class="path">${path}</span>: ${reason}`),
  )}${listOf(
    "Less than it should be",
    degraded.map(({ part, reason }) => `${part}: ${reason}`),
    true,
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
      `${whole(metrics.files)} files, +${whole(metrics.added)} −${whole(metrics.removed)}, ${whole(metrics.hunks)} hunks`,
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

function reviewRoom(review: Review, key: RepoKey): Html {
  return html`${model(review)}${findings(review)}${heldBack(review, key)}`;
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

function findings({ findings: list }: Review): Html {
  if (list.length === 0) return html`<p>Nothing was found that is worth saying.</p>`;
  return table(
    "Findings",
    [
      { name: "Severity" },
      { name: "What", isWide: true },
      { name: "Where" },
      { name: "By" },
      { name: "Confidence", isNumber: true },
      { name: "Said" },
    ],
    list.map(({ finding, place, reason }): Content[] => [
      severityBadge(finding.severity),
      html`<details><summary>${finding.title}</summary>${quoted(finding.body)}</details>`,
      html`<span class="path">${finding.path}:${finding.line}</span>`,
      finding.rule ?? finding.source,
      finding.confidence.toFixed(2),
      `${place.replaceAll("-", " ")}${reason === null ? "" : `: ${reason}`}`,
    ]),
  );
}

function heldBack({ heldBack: list }: Review, key: RepoKey): Content {
  if (list.length === 0) return "";
  return html`<h3>Held back</h3>${table(
    "Findings that were held back",
    [{ name: "Severity" }, { name: "What", isWide: true }, { name: "Where" }, { name: "Why it was not said" }],
    list.map(({ finding, reason, precedent }): Content[] => [
      severityBadge(finding.severity),
      finding.title,
      html`<span class="path">${finding.path}:${finding.line}</span>`,
      html`${reason} ${precedent === undefined ? "" : html`<a href="${memoryPath(key, precedent.id)}">${precedent.id}</a>`}`,
    ]),
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

// The retrieve room of one review: why memory was searched, with what, and what was chosen.

interface Retrieved {
  readonly review: Review;
  /** What was written down of its retrieval; null where nothing was, or it is older than 30 days. */
  readonly retrieval: LoggedRetrieval | null;
}

function retrieveRoom({ review, retrieval }: Retrieved, key: RepoKey): Html {
  const { gate, precedents, seenBefore } = review.memory;
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
        "Precedents, best first",
        [
          { name: "Memory" },
          { name: "Outcome" },
          { name: "Similarity", isNumber: true },
          { name: "Score", isNumber: true },
          { name: "Distance", isNumber: true },
          { name: "Said" },
        ],
        precedents.map(({ id, outcome, similarity, date, url, decided }): Content[] => {
          return [
            html`<a href="${memoryPath(key, id)}">${id}</a>`,
            html`${outcome}${decided === undefined ? "" : html` <span class="note">${decided}</span>`}`,
            similarity.toFixed(3),
            loggedFigure(retrieval, "scores", id),
            loggedFigure(retrieval, "distances", id),
            html`${date} ${url === null ? "" : outLink(url, "where")}`,
          ];
        }),
      )
}${listOf(
  "Code like it was spoken about before",
  seenBefore.map(
    ({ path, memoryId, similarity, outcome, date }) =>
      html`<span class="path">${path}</span>: <a href="${memoryPath(key, memoryId)}">${memoryId}</a>, similarity ${similarity.toFixed(2)}, ${outcome}, ${date}`,
  ),
)}`;
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
      `${whole(candidates)} candidates among ${whole(totalScanned)} memories by ${method}, distance at most ${threshold.toFixed(3)}`,
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
