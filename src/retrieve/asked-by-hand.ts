// A text that somebody typed, as if a change without files asked: the same search, rank and choice as for a review.

import { defaultKnowledge, type Knowledge } from "../config/knowledge.ts";
import { emptyChange, NO_PULL } from "../domain/empty-change.ts";
import type { HandSearch } from "../domain/found.ts";
import { CORPORA } from "../domain/memory.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { GateDecision, MemoryCounts, MemoryFilter, RetrievalQuery } from "../domain/retrieval.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import type { Tuning } from "./tuning.ts";

/** What is searched for in place of the queries that a change makes. */
export interface Asked {
  readonly query: RetrievalQuery;
  readonly filter: MemoryFilter;
  /** Decides instead of the gate for changes; null counts: memory could not be counted. Absent: that gate. */
  readonly decide?: (counts: MemoryCounts | null) => GateDecision;
}

/** What retrieval takes, made of a typed text. */
export interface HandQuestion {
  readonly context: PullRequestContext;
  readonly signals: ReviewSignals;
  readonly settings: {
    readonly knowledge: Knowledge;
    readonly now: number;
    readonly tuning: Partial<Tuning>;
    readonly asked: Asked;
  };
}

/**
 * Ranks are fused, not the signals of a change: the learned order reads hunks and paths, of which there are none. What
 * words alone found needs no floor, which was measured on whole changes: three words never weigh as much.
 */
export function askedByHand(text: string, search: HandSearch): HandQuestion {
  const { threshold, filter } = search;
  const explicit = threshold !== null;
  const query: RetrievalQuery = { text, dropped: [], variants: [{ kind: "intent", text, path: null }] };
  return {
    ...emptyChange(text, search.repo, NO_PULL),
    settings: {
      knowledge: knowledgeOf(search),
      now: search.now,
      tuning: {
        floors: threshold !== 0,
        adaptive: !explicit,
        // Asked for so much likeness, words do not make up for it.
        rareWords: explicit ? Number.POSITIVE_INFINITY : 0,
        budget: false,
      },
      asked: { query, filter: { ...filter, corpora: filter.corpora ?? CORPORA } },
    },
  };
}

function knowledgeOf({ method, topK, threshold, rerank: by }: HandSearch): Knowledge {
  const rerank = by ?? ("auto" as const);
  const { retrieval, ...rest } = defaultKnowledge();
  const distanceThreshold = threshold === null ? "auto" : 1 - threshold;
  const gate = { ...retrieval.gate, enabled: false };
  return { ...rest, retrieval: { ...retrieval, method, topK, distanceThreshold, fusion: "rrf", rerank, gate } };
}
