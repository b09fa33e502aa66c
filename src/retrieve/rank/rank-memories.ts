// Candidates with their records become one ordered list of memories, each with everything that put it where it stands.
import type { Corpus, MemoryRecord } from "../../domain/memory.ts";
import type { Boost, RankedMemory, Strategy } from "../../domain/retrieval.ts";
import { fixedInChange, NEARER_TO_FIX } from "./already-fixed.ts";
import { atOnce, type Steps } from "./cooperative-steps.ts";
import { type Deduped, dedupeSteps, SAME_TEXT } from "./dedupe.ts";
import { outcomeWeight, recencyDistanceFactor, recencyScoreFactor } from "./factors.ts";
import { BEHIND, changedPlaces, type Evidence, type FusedHit, type Fusion, relatedFilesFactor } from "./fusion.ts";
import { chunkLanguage, inAdjustedOrder, languageBoost, type RerankConfig, rerankByLanguage } from "./language.ts";
import { adaptiveThreshold, type Threshold } from "./threshold.ts";
import { byScore } from "./tie-breaking.ts";

/** Which steps are on: all, except in measurements of what each is worth. */
interface RankSettings {
  readonly method: "semantic" | "keyword" | "hybrid";
  readonly fusion: Fusion;
  readonly strategy: Strategy | null;
  /** Cosine distance, from the configuration or the embedder. */
  readonly configuredThreshold: number;
  /** Smallest BM25 that lets a memory in without a near vector. */
  readonly keywordFloor: number;
  /** False admits every candidate, however far. */
  readonly floors: boolean;
  /** False takes the configured threshold as it is, whatever the candidates' distances. */
  readonly adaptive: boolean;
  /** False keeps near-identical texts apart. */
  readonly fold: boolean;
  readonly language: boolean;
  /** For the method that orders by distance. */
  readonly byLanguage: RerankConfig;
  readonly recency: boolean;
  readonly outcome: boolean;
  readonly sourceWeights: ReadonlyMap<Corpus, number>;
}

export interface RankedList {
  readonly ranked: readonly RankedMemory[];
  readonly cut: readonly { readonly id: string; readonly reason: string }[];
  readonly threshold: Threshold;
  readonly candidates: number;
}

type Candidate = FusedHit & { readonly record: MemoryRecord };

/**
 * Ranks, in this order: fusion and pooling; threshold on raw distance, or the floor for words; what is fixed left out; duplicates folded; source
 * weights; language; related files, recency and outcome.
 *
 * Thresholds see raw distances only, and a fused score is never held against one. Under `semantic` the order is that of the
 * adjusted distance and there is no other language step.
 *
 * @param behind candidates whose records were not read, since they stand no chance: they count for the threshold
 */
export function rankMemories(
  evidence: Evidence,
  settings: RankSettings,
  behind: ReadonlySet<string> = new Set(),
): RankedList {
  return atOnce(rankSteps(evidence, settings, behind));
}

/** The same in steps. */
export function* rankSteps(evidence: Evidence, settings: RankSettings, behind: ReadonlySet<string>): Steps<RankedList> {
  const { fusion } = settings;
  const order = fusion.steps === undefined ? fusion.fuse(evidence) : yield* fusion.steps(evidence);
  yield;
  const hits = order.filter(({ id }) => evidence.records.has(id) || behind.has(id));
  const fused = hits.flatMap((hit): readonly Candidate[] => {
    const record = evidence.records.get(hit.id);
    return record === undefined ? [] : [{ ...hit, record }];
  });
  const distances = hits.flatMap(({ distance }) => (distance === null ? [] : [distance]));
  const { configuredThreshold } = settings;
  const threshold = adaptiveThreshold(
    distances,
    configuredThreshold,
    settings.adaptive ? {} : { floor: configuredThreshold },
  );
  const cut: { id: string; reason: string }[] = [...behind].map((id) => ({ id, reason: BEHIND }));
  const isFixed = fixedInChange(evidence.context.files);
  const relevant = fused.filter((candidate) => {
    const far = settings.floors ? reasonAgainst(candidate, threshold.threshold, settings) : null;
    const reason = far ?? (isFixed(candidate.record) ? NEARER_TO_FIX : null);
    if (reason !== null) cut.push({ id: candidate.id, reason });
    return reason === null;
  });
  yield;
  // Of two that say the same, the one that will stand higher is kept.
  if (settings.method === "semantic") relevant.sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0));
  const foldables = relevant.map((candidate) => foldable(candidate));
  const { kept, folded } = settings.fold ? yield* dedupeSteps(foldables, { threshold: SAME_TEXT }) : apart(foldables);
  yield;
  cut.push(...folded.map(({ id, into }) => ({ id, reason: `says the same as ${into}` })));
  const unique = kept.map(({ item, alternateSources }) => ({ candidate: item.candidate, alternateSources }));
  const nearest = nearestHunks(evidence);
  const ranked =
    settings.method === "semantic" ? byDistance(unique, evidence, settings) : byFused(unique, evidence, settings);
  const placed = ranked.map((memory) => ({ ...memory, nearestHunk: nearest.get(memory.record.id) ?? null }));
  return { ranked: placed, cut, threshold, candidates: hits.length };
}

function apart<T>(items: readonly T[]): Deduped<T> {
  return { kept: items.map((item) => ({ item, alternateSources: [] })), folded: [] };
}

interface Unique {
  readonly candidate: Candidate;
  readonly alternateSources: readonly string[];
}

function reasonAgainst(
  { distance, keywordScore }: Candidate,
  threshold: number,
  settings: RankSettings,
): string | null {
  if (distance !== null && distance <= threshold) return null;
  if (settings.method !== "semantic" && keywordScore !== null && keywordScore >= settings.keywordFloor) return null;
  if (distance === null) return "shares too few rare words";
  return `distance ${distance.toFixed(3)} is over the threshold ${threshold.toFixed(3)}`;
}

function foldable(candidate: Candidate) {
  const { record } = candidate;
  return { id: candidate.id, text: record.text, source: record.corpus, label: recordLabel(record), candidate };
}

function byFused(unique: readonly Unique[], evidence: Evidence, settings: RankSettings): readonly RankedMemory[] {
  const places = changedPlaces(evidence.context.files.map(({ path }) => path));
  return unique
    .map(({ candidate, alternateSources }) => {
      const language = languageBoost(chunkLanguage(candidate.record), evidence.signals.languages);
      const boosts = settings.fusion.complete
        ? []
        : boostsOf(candidate.record, language.factor, places, evidence, settings);
      const score = boosts.reduce((product, { factor }) => product * factor, candidate.score);
      return { ...ranked(candidate, alternateSources), score, boosts, languageMatch: language.match };
    })
    .sort((a, b) => byScore({ id: a.record.id, score: a.score }, { id: b.record.id, score: b.score }));
}

function boostsOf(
  record: MemoryRecord,
  language: number,
  places: ReturnType<typeof changedPlaces>,
  { now }: Evidence,
  settings: RankSettings,
): readonly Boost[] {
  const dated = { at: record.provenance.at, severity: record.severity };
  const all: readonly Boost[] = [
    { name: "source", factor: settings.sourceWeights.get(record.corpus) ?? 1 },
    { name: "language", factor: settings.language ? language : 1 },
    { name: "related-files", factor: relatedFilesFactor(settings.strategy, record.path, places) },
    { name: "recency", factor: settings.recency ? recencyScoreFactor(dated, now) : 1 },
    { name: "outcome", factor: settings.outcome ? outcomeWeight(record.outcome) : 1 },
  ];
  return all.filter(({ factor }) => factor !== 1);
}

/** Distance × language × recency, ascending. */
function byDistance(
  unique: readonly Unique[],
  { signals, now }: Evidence,
  settings: RankSettings,
): readonly RankedMemory[] {
  const near = unique.flatMap(({ candidate, alternateSources }) =>
    candidate.distance === null
      ? []
      : [
          {
            id: candidate.id,
            distance: candidate.distance,
            language: chunkLanguage(candidate.record),
            candidate,
            alternateSources,
          },
        ],
  );
  const languages = settings.language ? signals.languages.map(({ language }) => language) : [];
  const aged = rerankByLanguage(near, languages, settings.byLanguage).map((memory) => {
    const dated = { at: memory.candidate.record.provenance.at, severity: memory.candidate.record.severity };
    const recency = settings.recency ? recencyDistanceFactor(dated, now) : 1;
    return { ...memory, adjustedDistance: memory.adjustedDistance * recency };
  });
  return inAdjustedOrder(aged, settings.byLanguage.band).map(
    ({ candidate, alternateSources, adjustedDistance, languageMatch }) => ({
      ...ranked(candidate, alternateSources),
      adjustedDistance,
      score: Math.max(0, 1 - adjustedDistance),
      languageMatch,
    }),
  );
}

function ranked(candidate: Candidate, alternateSources: readonly string[]): RankedMemory {
  const { record, distance, vectorRank, keywordRank, keywordScore, score } = candidate;
  const found = { record, distance, vectorRank, keywordRank, keywordScore, score };
  return { ...found, adjustedDistance: null, boosts: [], languageMatch: false, nearestHunk: null, alternateSources };
}

/** For each memory the changed hunk that it is nearest to. */
function nearestHunks({
  queries,
}: Evidence): ReadonlyMap<string, { readonly path: string; readonly distance: number }> {
  const nearest = new Map<string, { path: string; distance: number }>();
  for (const { variant, nearest: hits } of queries) {
    if (variant.kind !== "hunk" || variant.path === null) continue;
    for (const { id, distance } of hits) {
      const known = nearest.get(id);
      if (known === undefined || distance < known.distance) nearest.set(id, { path: variant.path, distance });
    }
  }
  return nearest;
}

// How a memory is named where another one speaks for it.

/** `[finding: mem_0123456789ab]` */
function recordLabel({ corpus, id }: Pick<MemoryRecord, "corpus" | "id">): string {
  return `[${corpus}: ${id}]`;
}
