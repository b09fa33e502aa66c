// From a ranked list to what the room hands on: the best few that fit, what memory says without a model, and where it comes from.
import type { Knowledge } from "../config/knowledge.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { precedentEntry, sectionFrame } from "../domain/precedent-section.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { GateDecision, MemoryCounts, Precedents, RetrievalQuery, Scope } from "../domain/retrieval.ts";
import { choose } from "./choose.ts";
import type { RankedList } from "./rank-memories.ts";
import { SEEN_BEFORE_PART, seenBefore } from "./seen-before.ts";
import { configuredThreshold } from "./threshold.ts";
import type { Tuning } from "./tuning.ts";

/** Characters of the delimiter for which the character budget leaves room. */
const DELIMITER_CHARS = 48;

/** One search, as far as its result tells of it. */
export interface Searched {
  readonly context: Pick<PullRequestContext, "repo">;
  readonly retrieval: Knowledge["retrieval"];
  /** Of the embedder, calibrated; null without one. */
  readonly embedder: { readonly threshold: number } | null;
  readonly tuning: Pick<Tuning, "budget" | "perFile">;
  readonly scope: Scope;
  readonly counts: MemoryCounts | null;
  readonly method: Precedents["provenance"]["method"];
}

/** Everything but what was spent, and what went wrong. */
export function precedentsOf(
  { context, retrieval, embedder, tuning, scope, counts, method }: Searched,
  gate: GateDecision,
  query: RetrievalQuery,
  list: RankedList,
  records: ReadonlyMap<string, MemoryRecord>,
): Omit<Precedents, "usage" | "rerank" | "modelCosts" | "degraded"> {
  const { topK, maxContextChars } = retrieval;
  const repoName = `${context.repo.owner}/${context.repo.name}`;
  const characters = tuning.budget ? Math.max(0, maxContextChars - sectionFrame(DELIMITER_CHARS)) : null;
  const limits = { topK, perFile: tuning.perFile, characters };
  const picked = choose(list.ranked, limits, (memory) => precedentEntry(memory, repoName).length + 1);
  return {
    kind: "precedents",
    gate,
    query,
    ranked: picked.chosen,
    seenBefore: seenBefore(list.ranked, configuredThreshold(retrieval, embedder) * SEEN_BEFORE_PART),
    cut: [...list.cut, ...picked.cut],
    provenance: {
      repoSources: [...new Set(picked.chosen.map(({ record }) => record.repoName))],
      sharedPoolUsed: [...records.values()].some(({ repo }) => repo !== scope.repo),
      totalCandidates: list.candidates,
      ...(counts === null ? {} : { scanned: counts.total }),
      threshold: list.threshold.threshold,
      thresholdMethod: list.threshold.method,
      method,
    },
  };
}
