// Ranks candidates into one list of memories, each with everything that determined its rank.

import type { Knowledge } from "../../config/knowledge.ts";
import type { Corpus, MemoryRecord } from "../../domain/memory.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { Admission, Precedents, RankedMemory, ScoreTerm, Strategy } from "../../domain/retrieval.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import type { Tuning } from "../tuning.ts";
import { fixedInChange, NEARER_TO_FIX } from "./already-fixed.ts";
import { dedupe } from "./dedupe.ts";
import { changedPlaces, factorTerms, pathsOf, recencyDistanceFactor } from "./factors.ts";
import { BEHIND, byScore, type FusedHit, type QueryCandidates, type RetrieverWeights } from "./fusion.ts";
import { chunkLanguage, inAdjustedOrder, isLanguageOf, rerankByLanguage } from "./language.ts";
import { type AskedChange, askedChange, type Learned, learnedEvidence } from "./learned-fusion.ts";
import { adaptiveThreshold, type Threshold } from "./threshold.ts";

export interface Evidence {
  readonly queries: readonly QueryCandidates[];
  /** The results of all queries together, with fused scores. */
  readonly hits: readonly FusedHit[];
  /** The records of all candidates that the scope admits, by id. */
  readonly records: ReadonlyMap<string, MemoryRecord>;
  readonly context: PullRequestContext;
  readonly signals: ReviewSignals;
  readonly weights: RetrieverWeights;
  /** The cosine distance of similar texts; null when vectors add nothing to keywords. */
  readonly embedderThreshold: number | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface RankSettings extends Pick<Tuning, "floors" | "adaptive" | "fold" | "factors"> {
  readonly method: "semantic" | "keyword" | "hybrid";
  readonly fusion: Knowledge["retrieval"]["fusion"];
  readonly strategy: Strategy | null;
  /** Cosine distance, from the configuration or the embedder. */
  readonly configuredThreshold: number;
  readonly admits: Admission;
  /** Smallest BM25 of a memory that its probability admits. */
  readonly keywordFloor: number;
  readonly sourceWeights: Readonly<Partial<Record<Corpus, number>>>;
}

export interface RankedList extends Pick<Precedents, "ranked" | "cut"> {
  readonly threshold: Threshold;
  readonly candidates: number;
}

/** A candidate with its evidence. `probability`: null with `semantic`, which compares vectors. */
type Candidate = FusedHit & {
  readonly record: MemoryRecord;
  readonly terms: readonly ScoreTerm[];
  readonly probability: number | null;
};

/**
 * Ranks: evidence of each candidate; threshold on raw distance where the embedder is calibrated,
 * else on the probability of being to the point; already fixed ones left out; factors added;
 * sorted; duplicates folded into the highest one.
 *
 * No threshold depends on a factor, such as language or recency. `semantic` orders by adjusted
 * distance.
 *
 * @param behind candidates without a chance, whose records were not read: the threshold counts them
 * @param asked the change in words, if that was computed while memory answered
 */
export function rankMemories(
  evidence: Evidence,
  settings: RankSettings,
  behind: ReadonlySet<string>,
  asked: AskedChange | null = null,
): RankedList {
  const hits = evidence.hits.filter(({ id }) => evidence.records.has(id) || behind.has(id));
  const candidates = candidatesOf(hits, evidence, settings, asked);
  const distances = hits.flatMap(({ distance }) => distance ?? []);
  const { configuredThreshold } = settings;
  const fixed = settings.adaptive ? {} : { floor: configuredThreshold };
  const threshold = adaptiveThreshold(distances, configuredThreshold, fixed);
  const cut: { id: string; reason: string }[] = [...behind].map((id) => ({ id, reason: BEHIND }));
  const isFixed = fixedInChange(evidence.context.files);
  const relevant = candidates.filter((candidate) => {
    const far = settings.floors ? reasonAgainst(candidate, threshold.threshold, settings) : null;
    const reason = far ?? (isFixed(candidate.record) ? NEARER_TO_FIX : null);
    if (reason !== null) cut.push({ id: candidate.id, reason });
    return reason === null;
  });
  const order = settings.method === "semantic" ? byDistance : bySum;
  // Its label when another memory represents it: `[finding: mem_0123456789ab]`.
  const foldables = order(relevant, evidence, settings).map((memory) => {
    const { id, text, corpus } = memory.record;
    return { id, text, label: `[${corpus}: ${id}]`, memory };
  });
  const { kept, folded } = settings.fold
    ? dedupe(foldables)
    : { kept: foldables.map((item) => ({ item, alternateSources: [] })), folded: [] };
  cut.push(...folded.map(({ id, into }) => ({ id, reason: `duplicate of ${into}` })));
  const nearest = nearestHunks(evidence);
  const ranked = kept.map(({ item: { memory }, alternateSources }) => ({
    ...memory,
    nearestHunk: nearest.get(memory.record.id) ?? null,
    alternateSources,
  }));
  return { ranked, cut, threshold, candidates: hits.length };
}

/** A fused score of 0, from a weight of 0, has no logarithm: it ranks below all others. */
const LEAST_SCORE = 1e-9;

function candidatesOf(
  hits: readonly FusedHit[],
  { records, context, weights, embedderThreshold }: Evidence,
  { fusion, method }: RankSettings,
  asked: AskedChange | null,
): readonly Candidate[] {
  const found = hits.flatMap((hit) => {
    const record = records.get(hit.id);
    return record === undefined ? [] : { ...hit, record };
  });
  const learned: readonly Learned[] =
    method === "semantic" ? [] : learnedEvidence(found, asked ?? askedChange(context), { weights, embedderThreshold });
  const name = fusion === "weighted" ? "weighted score" : "ranks";
  return found.map((hit, at) => {
    const { probability = null, terms = [] } = learned[at] ?? {};
    const fused = [{ name, value: Math.log(Math.max(LEAST_SCORE, hit.score)) }];
    return { ...hit, probability, terms: fusion === "learned" && probability !== null ? terms : fused };
  });
}

function reasonAgainst(
  { distance, probability, keywordScore }: Candidate,
  threshold: number,
  { admits, keywordFloor }: RankSettings,
): string | null {
  if (admits.distance && distance !== null && distance <= threshold) return null;
  const hasWords = keywordScore !== null && keywordScore >= keywordFloor;
  const least = admits.probability ?? Number.POSITIVE_INFINITY;
  if (hasWords && probability !== null && probability >= least) return null;
  if (admits.distance && distance !== null)
    return `distance ${distance.toFixed(3)} is over the threshold ${threshold.toFixed(3)}`;
  if (!hasWords) return "shares too few rare words";
  return `probability ${probability?.toFixed(3)} of being to the point is under ${least}`;
}

function bySum(
  candidates: readonly Candidate[],
  { context, signals: { languages }, now }: Evidence,
  { strategy, sourceWeights, factors }: RankSettings,
): readonly RankedMemory[] {
  const places = changedPlaces(pathsOf(context.files));
  const at = { languages, strategy, places, sourceWeights, now };
  return candidates
    .map((candidate) => {
      const terms = [...candidate.terms, ...factorTerms(candidate.record, at, factors)];
      const languageMatch = isLanguageOf(chunkLanguage(candidate.record), languages);
      return { ...rankedMemory(candidate, terms), languageMatch };
    })
    .sort((a, b) => byScore({ id: a.record.id, score: a.score }, { id: b.record.id, score: b.score }));
}

/** By distance × language × recency, ascending: each as its change of the similarity. */
function byDistance(
  candidates: readonly Candidate[],
  { signals, now }: Evidence,
  { factors }: RankSettings,
): readonly RankedMemory[] {
  const near = candidates.flatMap((candidate) => {
    const { id, distance, record } = candidate;
    return distance === null ? [] : { id, distance, language: chunkLanguage(record), candidate };
  });
  const languages = factors.includes("language") ? signals.languages.map(({ language }) => language) : [];
  const aged = rerankByLanguage(near, languages).map((memory) => {
    const { provenance, severity } = memory.candidate.record;
    const recency = factors.includes("recency") ? recencyDistanceFactor({ at: provenance.at, severity }, now) : 1;
    const ofLanguage = memory.adjustedDistance;
    return { ...memory, ofLanguage, adjustedDistance: ofLanguage * recency };
  });
  return inAdjustedOrder(aged).map(({ candidate, distance, ofLanguage, adjustedDistance, languageMatch }) => {
    const terms = [
      { name: "likeness", value: 1 - distance },
      { name: "language", value: distance - ofLanguage },
      { name: "recency", value: ofLanguage - adjustedDistance },
    ].filter(({ name, value }) => name === "likeness" || value !== 0);
    return { ...rankedMemory(candidate, terms), adjustedDistance, languageMatch };
  });
}

function rankedMemory(candidate: Candidate, terms: readonly ScoreTerm[]): RankedMemory {
  const { record, distance, probability, vectorRank, keywordRank, keywordScore } = candidate;
  const score = terms.reduce((sum, { value }) => sum + value, 0);
  return {
    record,
    distance,
    adjustedDistance: null,
    probability,
    vectorRank,
    keywordRank,
    keywordScore,
    score,
    terms,
    languageMatch: false,
    nearestHunk: null,
    alternateSources: [],
    confidence: null,
    rejections: null,
    rerankScore: null,
  };
}

function nearestHunks({ queries }: Evidence): ReadonlyMap<string, NonNullable<RankedMemory["nearestHunk"]>> {
  const nearest = new Map<string, { path: string; distance: number }>();
  for (const { variant, nearest: hits } of queries) {
    if (variant.kind !== "hunk" || variant.path === null) continue;
    for (const { id, distance } of hits)
      if (distance < (nearest.get(id)?.distance ?? Number.POSITIVE_INFINITY))
        nearest.set(id, { path: variant.path, distance });
  }
  return nearest;
}
