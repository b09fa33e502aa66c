// The end of a search: what of the ranked list is handed on, what was left out and why, and where it all came from.
import type { Knowledge } from "../config/knowledge.ts";
import { decidedWords } from "../domain/memory/evidence.ts";
import { precedentEntry, sectionFrame } from "../domain/memory/precedent-section.ts";
import { quoteOf } from "../domain/memory/quote.ts";
import type { Corpus, MemoryRecord } from "../domain/memory.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import {
  type ConfidenceEdges,
  confidenceOf,
  type GateDecision,
  type MemoryCounts,
  NO_USAGE,
  type Precedents,
  type RankedMemory,
  type Scope,
  type SeenBefore,
  SHADOW_SAMPLE,
} from "../domain/retrieval.ts";
import { isoDate } from "../domain/text/iso-date.ts";
import type { RankedList } from "./rank/rank-memories.ts";
import { configuredThreshold } from "./rank/threshold.ts";
import type { Tuning } from "./tuning.ts";

/** What a search found. */
interface FoundList extends Pick<Precedents, "gate" | "query" | "usage" | "rerank"> {
  readonly list: RankedList;
  readonly method: Precedents["provenance"]["method"];
  /** Every record in scope that any query found. */
  readonly records: ReadonlyMap<string, MemoryRecord>;
}

interface ChoosingLimits {
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
  const { topK, maxPerFile, maxContextChars } = at.retrieval;
  const repoName = `${context.repo.owner}/${context.repo.name}`;
  const characters = tuning.budget ? Math.max(0, maxContextChars - sectionFrame(DELIMITER_CHARS)) : null;
  const limits = { topK, maxPerFile, characters };
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

// From the ordered list to what is used: the best few, at most so many of one file, as many whole entries as there is room.

interface ChooseLimits {
  readonly topK: number;
  /** At most this many about one path, beside findings. */
  readonly maxPerFile: number;
  /** Characters for all entries together; null for no limit. */
  readonly characters: number | null;
}

interface Choosable {
  readonly record: { readonly id: string; readonly path: string | null; readonly corpus: Corpus };
}

/**
 * Takes from the top. An entry that does not fit is left out whole and the next smaller one may take its place.
 *
 * @param ordered best first
 * @param lengthOf characters that an entry takes where it is shown
 * @returns what is used, in order, and what is not, each with its reason
 */
export function choose<T extends Choosable>(
  ordered: readonly T[],
  limits: ChooseLimits,
  lengthOf: (entry: T) => number,
): { readonly chosen: readonly T[]; readonly cut: readonly { readonly id: string; readonly reason: string }[] } {
  const chosen: T[] = [];
  const cut: { id: string; reason: string }[] = [];
  const perPath = new Map<string, number>();
  let left = limits.characters ?? Number.POSITIVE_INFINITY;
  for (const entry of ordered) {
    const { id, corpus } = entry.record;
    const path = corpus === "finding" ? null : entry.record.path;
    const ofFile = path === null ? 0 : (perPath.get(path) ?? 0);
    // Asked only of what there is a place for, and once: to tell its length an entry is written out.
    let told = 0;
    const length = () => {
      told = lengthOf(entry);
      return told;
    };
    const reason = reasonAgainst({ chosen: chosen.length, ofFile, length, left }, limits);
    if (reason !== null) {
      cut.push({ id, reason });
      continue;
    }
    chosen.push(entry);
    left -= told;
    if (path !== null) perPath.set(path, ofFile + 1);
  }
  return { chosen, cut };
}

function reasonAgainst(
  at: { readonly chosen: number; readonly ofFile: number; readonly length: () => number; readonly left: number },
  limits: ChooseLimits,
): string | null {
  if (at.chosen >= limits.topK) return `over the ${limits.topK} that are used`;
  if (at.ofFile >= limits.maxPerFile) return `over the ${limits.maxPerFile} of one file`;
  if (at.length() > at.left) return "over the characters that are left";
  return null;
}

// Without a model, too, memory speaks: where changed code is much like code that was commented on before, the summary says so.

/** Lines of one summary. */
const MOST = 5;

/** Only what people or reviews said is a precedent; documents and code are not. */
const SAID: ReadonlySet<Corpus> = new Set<Corpus>(["finding", "review_comment"]);

/** How much nearer than "relevant" a memory must be to the changed code itself: this part of the embedder's threshold. */
export const SEEN_BEFORE_PART = 2 / 3;

/**
 * Precedents for the changed code itself, most similar first, at most 5: comments and findings whose raw distance to a
 * changed hunk is at most `maxDistance`.
 */
export function seenBefore(ranked: readonly RankedMemory[], maxDistance: number): readonly SeenBefore[] {
  return ranked
    .flatMap(({ record, nearestHunk }): readonly SeenBefore[] => {
      if (nearestHunk === null || nearestHunk.distance > maxDistance) return [];
      // Where a pattern of another repository comes from is not told, and without that there is nothing to show.
      if (!SAID.has(record.corpus) || record.sharing === "pattern") return [];
      return [
        {
          memoryId: record.id,
          path: nearestHunk.path,
          url: record.provenance.url,
          outcome: record.outcome ?? "unknown",
          ...(record.decided ? { decided: decidedWords(record.decided) } : {}),
          date: isoDate(record.provenance.at),
          ...quoteOf(record),
          similarity: Math.min(1, Math.max(0, 1 - nearestHunk.distance)),
        },
      ];
    })
    .toSorted((a, b) => b.similarity - a.similarity || (a.memoryId < b.memoryId ? -1 : 1))
    .slice(0, MOST);
}

// Precedents that stay away: the gate skipped, retrieval is switched off or failed, or a skip was searched only to learn.

/** An empty list with the decision that led to it. */
export function noPrecedents(gate: GateDecision, retrieval: Knowledge["retrieval"]): Precedents {
  const { method } = retrieval;
  const threshold = configuredThreshold(retrieval, null);
  const searched = { repoSources: [], sharedPoolUsed: false, totalCandidates: 0 };
  return {
    kind: "precedents",
    gate,
    query: null,
    ranked: [],
    seenBefore: [],
    cut: [],
    provenance: { ...searched, threshold, thresholdMethod: "configured", method },
    usage: NO_USAGE,
    rerank: null,
    degraded: [],
  };
}

/** The decision of a configuration that searches nothing. */
export function switchedOff(): GateDecision {
  const reason = "knowledge.retrieval.enabled is false";
  return {
    retrieve: false,
    confidence: 1,
    reason,
    strategy: null,
    estimatedRelevance: null,
    decidedBy: "configuration",
  };
}

/** The decision where there is no memory at all. */
export function withoutMemory(reason: string): GateDecision {
  return { ...switchedOff(), reason, decidedBy: "memory" };
}

/** What a searched skip hands on: nothing for the prompt, and what would have been used among what was cut. */
export function shadowed(found: Precedents): Precedents {
  const reason = `${SHADOW_SAMPLE}: would have been used, had the gate (${found.gate.decidedBy}) not skipped`;
  return {
    ...found,
    ranked: [],
    cut: [...found.ranked.map(({ record }) => ({ id: record.id, reason })), ...found.cut],
  };
}
