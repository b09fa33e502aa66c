// A manual search of memory: each text on its own, logged like a review's, merged into one list.

import type { Knowledge } from "../../config/knowledge.ts";
import { loggedRetrieval, type RetrievalOrigin } from "../../domain/figures/logged-retrieval.ts";
import type { Repo } from "../../domain/job.ts";
import { type HandSearch, mergeFound } from "../../domain/memory/search-result.ts";
import type { Precedents } from "../../domain/retrieval.ts";
import type { RetrievalLog } from "../../ports/memory.ts";
import { type RetrievePorts, searchMemory } from "../../retrieve/retrieve.ts";
import type { WritingPorts } from "../review/review-ports.ts";

/** `allowance` is for a better order, where the search wants one. */
export interface SearchPorts extends RetrievePorts {
  /** Never rejects. */
  readonly retrievals: RetrievalLog;
}

export type HandSearched = Awaited<ReturnType<typeof searchByHand>>;

/**
 * @param texts at least one; each is a search of its own
 * @returns each memory once, best first, at most topK per text; and each text's retrieval and wall
 *   time
 */
export async function searchByHand(texts: readonly string[], search: Omit<HandSearch, "now">, ports: SearchPorts) {
  const { repo, topK, threshold } = search;
  const distanceThreshold = threshold === null ? "auto" : 1 - threshold;
  const done = [];
  for (const text of new Set(texts)) {
    const at = ports.now();
    const precedents = await searchMemory(text, { ...search, now: at }, ports);
    const request = { repo, number: null, origin: "search", retrieval: { topK, distanceThreshold }, at } as const;
    done.push({ text, ms: await logRetrieval(precedents, request, ports), precedents });
  }
  const lists = done.map(({ text, precedents }) => precedents.ranked.map((memory) => ({ memory, text })));
  return { memories: mergeFound(lists), searches: done };
}

interface AskedRetrieval {
  readonly repo: Repo;
  readonly number: number | null;
  readonly origin: RetrievalOrigin;
  readonly retrieval: Pick<Knowledge["retrieval"], "topK" | "distanceThreshold">;
  /** When it began, epoch milliseconds. */
  readonly at: number;
}

/** Logs the result of a search. Returns its wall time. */
export async function logRetrieval(
  precedents: Precedents,
  { repo, number: pull, origin, retrieval: { topK, distanceThreshold }, at: begun }: AskedRetrieval,
  { retrievals, embedder, now }: Pick<WritingPorts, "retrievals" | "embedder" | "now">,
): Promise<number> {
  const calibrated =
    distanceThreshold === "auto" ? (embedder?.threshold ?? precedents.provenance.threshold) : distanceThreshold;
  const at = now();
  const ms = at - begun;
  await retrievals?.write(loggedRetrieval(precedents, { repo, pull, origin, ms, at, topK, calibrated }));
  return ms;
}
