// A manual search of memory: each text on its own, logged like a review's retrieval, merged into one list.

import type { Knowledge } from "../../config/knowledge.ts";
import { loggedRetrieval, type RetrievalOrigin } from "../../domain/figures/logged-retrieval.ts";
import type { Repo } from "../../domain/job.ts";
import { type FoundMemory, type HandSearch, mergeFound } from "../../domain/memory/search-result.ts";
import type { Precedents } from "../../domain/retrieval.ts";
import type { Embedder, Recall, Reranker, RetrievalLog } from "../../ports/memory.ts";
import type { ModelAllowance } from "../../ports/model.ts";
import { searchMemory } from "../../retrieve/retrieve.ts";
import type { WritingPorts } from "../review/review-ports.ts";

export interface SearchPorts {
  readonly embedder: Embedder | null;
  readonly recall: Recall;
  /** Null leaves the order to the search. */
  readonly reranker: Reranker | null;
  /** With which a model may be asked for a better order, where the search wants that. */
  readonly leave?: ModelAllowance;
  /** Never rejects. */
  readonly retrievals: RetrievalLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The result of a manual search. */
export interface HandSearched {
  /** Each memory once, best first; at most topK per text. */
  readonly memories: readonly FoundMemory[];
  /** The retrieval of each text, with its wall time. */
  readonly searches: readonly { readonly text: string; readonly ms: number; readonly precedents: Precedents }[];
}

/** @param texts at least one; each is a search of its own */
export async function searchByHand(
  texts: readonly string[],
  search: Omit<HandSearch, "now">,
  ports: SearchPorts,
): Promise<HandSearched> {
  const { repo, topK, threshold } = search;
  const done = [];
  for (const text of new Set(texts)) {
    const asked = ports.now();
    const precedents = await searchMemory(text, { ...search, now: asked }, ports);
    const at = ports.now();
    const calibrated =
      threshold === null ? (ports.embedder?.threshold ?? precedents.provenance.threshold) : 1 - threshold;
    const facts = { repo, pull: null, origin: "search", ms: at - asked, at, topK, calibrated } as const;
    await ports.retrievals.write(loggedRetrieval(precedents, facts));
    done.push({ text, ms: at - asked, precedents });
  }
  return {
    memories: mergeFound(done.map(({ text, precedents }) => precedents.ranked.map((memory) => ({ memory, text })))),
    searches: done,
  };
}

interface AskedRetrieval {
  readonly repo: Repo;
  readonly number: number;
  readonly origin: RetrievalOrigin;
  readonly knowledge: Knowledge;
  /** Epoch milliseconds. */
  readonly at: number;
}

type LogPorts = Pick<WritingPorts, "retrievals" | "embedder" | "now">;

/** Logs the result of a search that began at `asked.at`. */
export async function logRetrieval(precedents: Precedents, asked: AskedRetrieval, ports: LogPorts): Promise<void> {
  const { repo, number: pull, origin, knowledge } = asked;
  const { topK, distanceThreshold } = knowledge.retrieval;
  const calibrated =
    distanceThreshold === "auto" ? (ports.embedder?.threshold ?? precedents.provenance.threshold) : distanceThreshold;
  const at = ports.now();
  const facts = { repo, pull, origin, ms: at - asked.at, at, topK, calibrated };
  await ports.retrievals?.write(loggedRetrieval(precedents, facts));
}
