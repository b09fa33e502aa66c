// The end of a search: which of the ranked memories are used, what was left out and why, and where
// it all came from.
import type { Knowledge } from "../config/knowledge.ts";
import { decidedText } from "../domain/memory/evidence.ts";
import { DELIMITER_CHARS, leastEntryLength, quoteOf, sectionFrame } from "../domain/memory/precedent-section.ts";
import { isOfReview, type MemoryRecord } from "../domain/memory.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import {
  type Admission,
  type ConfidenceEdges,
  confidenceIn,
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
import { configuredThreshold, type Threshold } from "./rank/threshold.ts";
import type { Tuning } from "./tuning.ts";

interface FoundList extends Pick<Precedents, "gate" | "query" | "usage" | "rerank"> {
  readonly list: RankedList;
  readonly method: Precedents["provenance"]["method"];
  readonly records: ReadonlyMap<string, MemoryRecord>;
}

interface ChoosingLimits {
  readonly context: PullRequestContext;
  readonly retrieval: Knowledge["retrieval"];
  readonly tuning: Tuning;
  readonly scope: Scope;
  readonly counts: MemoryCounts | null;
  readonly admits: Admission;
  /** Raw cosine distance. */
  readonly configuredThreshold: number;
  /** Of the embedder; null when it was not measured. */
  readonly edges: ConfidenceEdges | null;
}

/** At most topK memories within maxContextChars, best first. */
export function chosenPrecedents(found: FoundList, at: ChoosingLimits): Precedents {
  const { gate, query, list, method, records, usage, rerank } = found;
  const { context, tuning, scope, counts } = at;
  const { topK, maxContextChars } = at.retrieval;
  const repoName = `${context.repo.owner}/${context.repo.name}`;
  const room = Math.max(0, maxContextChars - sectionFrame(DELIMITER_CHARS));
  const limits = { topK, characters: tuning.budget ? room : Number.POSITIVE_INFINITY };
  const ranked = list.ranked.map((found) => {
    const score = method === "semantic" ? boundLikeness(found.score) : found.score;
    const bound = score === found.score ? [] : [{ name: "bound", value: score - found.score }];
    const memory = { ...found, score, terms: [...found.terms, ...bound] };
    const { distance, probability } = memory;
    if (probability !== null) return { ...memory, confidence: confidenceIn(probability) };
    return at.edges && distance !== null ? { ...memory, confidence: confidenceOf(distance, at.edges) } : memory;
  });
  const { chosen, cut } = choose(ranked, limits, (memory) => leastEntryLength(memory, repoName));
  return {
    kind: "precedents",
    gate,
    gateMs: null,
    query,
    ranked: chosen,
    seenBefore: seenBefore(ranked, at.configuredThreshold, at.admits),
    cut: [...list.cut, ...cut],
    provenance: {
      repoSources: [...new Set(chosen.map(({ record }) => record.repoName))],
      sharedPoolUsed: [...records.values()].some(({ repo }) => repo !== scope.repo),
      totalCandidates: list.candidates,
      scanned: counts?.total ?? null,
      threshold: list.threshold.threshold,
      thresholdMethod: thresholdMethod(list.threshold.method, at.retrieval),
      admits: at.admits,
      method,
    },
    usage,
    rerank,
    modelCosts: [],
    degraded: [],
  };
}

/**
 * Below this a likeness is bent, so that what is farther than 1, or older, still has a score above
 * 0 and an order.
 */
const BENT = 0.05;

/** A likeness between 0 and 1 in the same order: unchanged from .05 on. */
function boundLikeness(likeness: number): number {
  return likeness < BENT ? BENT ** 2 / (2 * BENT - likeness) : Math.min(1, likeness);
}

function thresholdMethod(
  method: Threshold["method"],
  { distanceThreshold }: Pick<Knowledge["retrieval"], "distanceThreshold">,
): Precedents["provenance"]["thresholdMethod"] {
  return method === "configured" && distanceThreshold === "auto" ? "calibrated" : method;
}

interface ChooseLimits {
  readonly topK: number;
  /** Characters for all entries together; Infinity for no limit. */
  readonly characters: number;
}

/**
 * Takes from the top. An entry that does not fit is left out whole, and a smaller one may take its
 * place.
 *
 * @param ordered best first
 * @param lengthOf characters of the formatted entry
 * @returns what is used, in order, and what is not, each with its reason
 */
export function choose<T extends { readonly record: Pick<MemoryRecord, "id"> }>(
  ordered: readonly T[],
  { topK, characters }: ChooseLimits,
  lengthOf: (entry: T) => number,
): { readonly chosen: readonly T[]; readonly cut: Precedents["cut"] } {
  const chosen: T[] = [];
  const cut: { id: string; reason: string }[] = [];
  let left = characters;
  for (const entry of ordered) {
    const { id } = entry.record;
    if (chosen.length >= topK) {
      cut.push({ id, reason: `over the ${topK} that are used` });
      continue;
    }
    // Formatting an entry is expensive: only for entries with a free place.
    const length = lengthOf(entry);
    if (length > left) cut.push({ id, reason: "over the characters that are left" });
    else {
      chosen.push(entry);
      left -= length;
    }
  }
  return { chosen, cut };
}

// Memory's contribution without a model: the summary reports changed code that resembles code with
// earlier comments.

const MOST = 5;

/**
 * How near a memory must be to the changed code itself, as a share of the embedder's threshold,
 * where distances decide.
 */
export const SEEN_BEFORE_PART = 2 / 3;

/**
 * Precedents for the changed code itself, most similar first, at most 5: comments and findings near
 * a changed hunk by raw distance. Where distances say little, those of high confidence within the
 * threshold: on task G .34 a change, of which .43 are labelled; two thirds of the threshold alone
 * gave .29 a change, of which .08 were.
 */
export function seenBefore(
  ranked: readonly RankedMemory[],
  threshold: number,
  { distance: isDecisive }: Pick<Admission, "distance">,
): readonly SeenBefore[] {
  const maxDistance = isDecisive ? threshold * SEEN_BEFORE_PART : threshold;
  const seen = ranked.flatMap(({ record, nearestHunk, confidence }): SeenBefore | readonly [] => {
    if (nearestHunk === null || nearestHunk.distance > maxDistance) return [];
    if (!isDecisive && confidence !== "high") return [];
    // The source of another repository's pattern is secret, and without it there is nothing to
    // show.
    if (!isOfReview(record) || record.sharing === "pattern") return [];
    return {
      memoryId: record.id,
      path: nearestHunk.path,
      url: record.provenance.url,
      outcome: record.outcome ?? "unknown",
      ...(record.decided ? { decided: decidedText(record.decided) } : {}),
      date: isoDate(record.provenance.at),
      ...quoteOf(record),
      similarity: Math.min(1, Math.max(0, 1 - nearestHunk.distance)),
    };
  });
  return seen.sort((a, b) => b.similarity - a.similarity || (a.memoryId < b.memoryId ? -1 : 1)).slice(0, MOST);
}

/** An empty list with the gate's decision. */
export function noPrecedents(gate: GateDecision, retrieval: Knowledge["retrieval"]): Precedents {
  return {
    kind: "precedents",
    gate,
    gateMs: null,
    query: null,
    ranked: [],
    seenBefore: [],
    cut: [],
    provenance: {
      repoSources: [],
      sharedPoolUsed: false,
      totalCandidates: 0,
      scanned: null,
      threshold: configuredThreshold(retrieval, null),
      thresholdMethod: thresholdMethod("configured", retrieval),
      admits: { distance: false, probability: null },
      method: retrieval.method,
    },
    usage: NO_USAGE,
    rerank: null,
    modelCosts: [],
    degraded: [],
  };
}

/** The decision without a search: by `configuration`, or without a `memory`. */
export function notSearched(decidedBy: "configuration" | "memory", reason: string): GateDecision {
  return { retrieve: false, confidence: 1, reason, strategy: null, estimatedRelevance: null, decidedBy };
}

/**
 * The result of a shadow search: nothing for the prompt; memories that would have been used are
 * among the cut ones.
 */
export function shadowed(found: Precedents): Precedents {
  const reason = `${SHADOW_SAMPLE}: would have been used, had the gate (${found.gate.decidedBy}) not skipped`;
  const unused = found.ranked.map(({ record }) => ({ id: record.id, reason }));
  return { ...found, ranked: [], cut: [...unused, ...found.cut] };
}
