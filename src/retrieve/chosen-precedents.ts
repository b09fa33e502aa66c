// The end of a search: what of the ranked list is handed on, what was left out and why, and where it all came from.
import type { Knowledge } from "../config/knowledge.ts";
import { type ConfidenceEdges, confidenceOf } from "../domain/confidence.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { precedentEntry, sectionFrame } from "../domain/precedent-section.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { MemoryCounts, Precedents, RankedMemory, Scope } from "../domain/retrieval.ts";
import { choose } from "./choose.ts";
import type { RankedList } from "./rank-memories.ts";
import { SEEN_BEFORE_PART, seenBefore } from "./seen-before.ts";
import type { Tuning } from "./tuning.ts";

/** What a search found. */
export interface FoundList extends Pick<Precedents, "gate" | "query" | "usage" | "rerank"> {
  readonly list: RankedList;
  readonly method: Precedents["provenance"]["method"];
  /** Every record in scope that any query found. */
  readonly records: ReadonlyMap<string, MemoryRecord>;
}

export interface ChoosingLimits {
  readonly context: PullRequestContext;
  readonly retrieval: Knowledge["retrieval"];
  readonly tuning: Tuning;
  readonly scope: Scope;
  readonly counts: MemoryCounts | null;
  /** Raw cosine distance. */
  readonly configuredThreshold: number;
  /** Of the embedder; null or absent where nobody measured them. */
  readonly edges?: ConfidenceEdges | null | undefined;
}

/** Characters of the delimiter for which the character budget leaves room. */
const DELIMITER_CHARS = 48;

/** At most topK memories within maxContextChars, best first. */
export function chosenPrecedents(found: FoundList, at: ChoosingLimits): Precedents {
  const { gate, query, list, method, records, usage, rerank } = found;
  const { context, tuning, scope, counts } = at;
  const { topK, maxContextChars } = at.retrieval;
  const repoName = `${context.repo.owner}/${context.repo.name}`;
  const characters = tuning.budget ? Math.max(0, maxContextChars - sectionFrame(DELIMITER_CHARS)) : null;
  const limits = { topK, perFile: tuning.perFile, characters };
  const picked = choose(list.ranked, limits, (memory) => precedentEntry(memory, repoName).length + 1);
  return {
    kind: "precedents",
    gate,
    query,
    ranked: picked.chosen.map((memory) => withConfidence(memory, at.edges ?? null)),
    seenBefore: seenBefore(list.ranked, at.configuredThreshold * SEEN_BEFORE_PART),
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
    usage,
    rerank,
    degraded: [],
  };
}

function withConfidence(memory: RankedMemory, edges: ConfidenceEdges | null): RankedMemory {
  if (edges === null || memory.distance === null) return memory;
  return { ...memory, confidence: confidenceOf(memory.distance, edges) };
}
