// The retrieve room of one review: why memory was searched, with what, and what was chosen.
import { html } from "hono/html";
import type { LoggedRetrieval } from "../domain/figures/logged-retrieval.ts";
import type { RepoKey } from "../domain/memory.ts";
import type { Review } from "../domain/review.ts";
import { memoryPath } from "./addresses.ts";
import { badge, type Content, dollars, facts, type Html, listOf, outLink, quoted, table, whole } from "./parts.ts";

export interface Retrieved {
  readonly review: Review;
  /** What was written down of its retrieval; null where nothing was, or it is older than 30 days. */
  readonly retrieval: LoggedRetrieval | null;
}

export function retrieveRoom({ review, retrieval }: Retrieved, key: RepoKey): Html {
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
