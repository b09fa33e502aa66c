// Queries, fusion, boosts, thresholds, duplicates, isolation and suppressions, held against the
// cases of an earlier system.

import { isDeepStrictEqual } from "node:util";
import { titlePattern } from "../../src/config/patterns.ts";
import { Suppression } from "../../src/config/repo-config.ts";
import { canonicalLanguage } from "../../src/domain/language.ts";
import type { PullRequestContext } from "../../src/domain/pull-request.ts";
import type { QueryVariant } from "../../src/domain/retrieval.ts";
import type { LanguageShare, Risk } from "../../src/domain/signals.ts";
import { jaccard } from "../../src/domain/text/jaccard.ts";
import { buildRetrievalQuery, queryVariants } from "../../src/retrieve/query/build-query.ts";
import { scopeOf } from "../../src/retrieve/query/scope.ts";
import { comparedWords, dedupe } from "../../src/retrieve/rank/dedupe.ts";
import { recencyDistanceFactor } from "../../src/retrieve/rank/factors.ts";
import { fuseByRank, pool } from "../../src/retrieve/rank/fusion.ts";
import {
  chunkLanguage,
  languageFactor,
  type RerankConfig,
  rerankByLanguage,
} from "../../src/retrieve/rank/language.ts";
import { adaptiveThreshold, type ThresholdSettings } from "../../src/retrieve/rank/threshold.ts";
import { TUNING } from "../../src/retrieve/tuning.ts";
import { type Suppressible, suppressor } from "../../src/review/filter-findings.ts";
import type { AreaCheck, Deliberate } from "./area-check.ts";

const rounded = (score: number, digits = 8): number => Number(score.toFixed(digits));

interface QueryInput {
  readonly prTitle: string;
  readonly prBody?: string;
  readonly conventionalType?: string | null;
  readonly detectedLanguages: readonly string[];
  readonly riskSignals: readonly string[];
  readonly topFilePaths: readonly string[];
}

function share(name: string): LanguageShare {
  return { language: name, name, share: 0, files: 1, changedLines: 0 };
}

function risk(text: string): Risk {
  return { id: "truncated", text, evidence: [] };
}

function query(input: unknown): { query: string; maxLength: number; actualLength: number; startsWith: string } {
  const { prTitle, prBody, conventionalType, detectedLanguages, riskSignals, topFilePaths } = input as QueryInput;
  const { text } = buildRetrievalQuery(
    { pull: { title: prTitle, body: prBody ?? null }, files: topFilePaths.map((path) => ({ path })), issues: [] },
    {
      intent: { type: (conventionalType ?? null) as "feat" | null, focusAreas: [] },
      languages: detectedLanguages.map(share),
      risks: riskSignals.map(risk),
      author: null,
    },
  );
  return { query: text, maxLength: 800, actualLength: text.length, startsWith: text.slice(0, prTitle.length) };
}

const RISK_SEPARATOR: Deliberate = {
  name: "risks are parted by semicolons",
  reason: "a risk's text may hold a comma",
  applies: (_, expected, actual) => {
    const told = (expected as { query?: string }).query;
    return told !== undefined && told.replaceAll(", ", "; ") === (actual as { query: string }).query;
  },
};

const CUT_AT_A_LINE: Deliberate = {
  name: "a query is cut at a line, at 600 characters",
  reason: "filling up to a limit cuts a path in two; the last resort of 800 is a ceiling, not a target",
  applies: (_, expected, actual) => {
    const { actualLength, startsWith } = actual as { actualLength: number; startsWith: string };
    const told = expected as { maxLength?: number; startsWith?: string };
    return told.maxLength !== undefined && actualLength <= 600 && told.startsWith === startsWith;
  },
};

interface VariantInput {
  readonly title: string;
  readonly body: string;
  readonly conventionalType: string;
  readonly prLanguages: readonly string[];
  readonly riskSignals: readonly string[];
  readonly filePaths: readonly string[];
}

interface ReportedVariant {
  readonly type: string;
  readonly query: string;
}

function variants(input: unknown): { variants: readonly ReportedVariant[] } {
  const { title, body, conventionalType, prLanguages, riskSignals, filePaths } = input as VariantInput;
  const files = filePaths.map((path) => ({ path, hunks: [] })) as unknown as PullRequestContext["files"];
  const signals = {
    intent: { type: conventionalType.toLowerCase(), focusAreas: [] } as never,
    languages: prLanguages.map(share),
    risks: riskSignals.map(risk),
    files: [],
    author: { tier: "first-time" as const },
  };
  const pull = { title, body };
  const { text } = buildRetrievalQuery({ pull, files, issues: [] }, signals);
  const names: Partial<Record<QueryVariant["kind"], string>> = {
    intent: "intent",
    paths: "file-path",
    code: "code-shape",
  };
  return {
    variants: queryVariants(text, { pull, files }, signals).map(({ kind, text: asked }) => ({
      type: names[kind] ?? kind,
      query: asked,
    })),
  };
}

const CASE_AND_ENRICHED: Deliberate = {
  name: "queries keep their case, and the intent is the enriched query",
  reason:
    "lower case takes away the humps at which identifiers are split (9–11 points of recall on code); the enriched query also carries languages, risks and paths",
  applies: (_, expected, actual) => {
    const told = (expected as { variants: readonly ReportedVariant[] }).variants;
    const ours = (actual as { variants: readonly ReportedVariant[] }).variants;
    return told.every(({ type, query: wanted }, index) => {
      const mine = ours[index];
      if (mine === undefined || mine.type !== type) return false;
      const words = mine.query.toLowerCase();
      const lines = wanted.split("\n").filter((line) => !line.startsWith("author: "));
      return type === "intent"
        ? lines.every((line) => words.replace(/\s+/g, " ").includes(line.replace(/\s+/g, " ")))
        : words === wanted;
    });
  },
};

interface MergeInput {
  readonly topK: number;
  readonly variantResults: readonly {
    readonly variant: string;
    readonly hits?: readonly { readonly id: number; readonly distance: number }[];
  }[];
}

function merged(input: unknown): unknown {
  const { topK, variantResults } = input as MergeInput;
  const variant: QueryVariant = { kind: "intent", text: "", path: null };
  const lists = variantResults.map(({ hits = [] }) =>
    fuseByRank(
      { variant, nearest: hits.map(({ id, distance }) => ({ id: String(id), distance })), matching: [] },
      { vector: 1, keyword: 1 },
    ),
  );
  const pooled = pool(lists).slice(0, topK);
  const matched = pooled.map(({ id }) =>
    variantResults.filter(({ hits = [] }) => hits.some((hit) => String(hit.id) === id)).map((one) => one.variant),
  );
  return {
    order: pooled.map(({ id }) => Number(id)),
    scores: pooled.map(({ score }) => rounded(score)),
    matchedVariants: matched,
  };
}

const BEST_RANK: Deliberate = {
  name: "queries are pooled by the best, not by the sum",
  reason:
    "a memory that many queries find a little is not better than one that a single query finds exactly; ties go by a hash",
  applies: (input, expected, actual) => {
    const { topK, variantResults } = input as MergeInput;
    const first = new Set(variantResults.flatMap(({ hits = [] }) => hits.slice(0, 1).map(({ id }) => id)));
    const { order } = actual as { order: readonly number[] };
    const told = (expected as { scores?: readonly number[] }).scores ?? [];
    return told.length > 0 && order.length <= topK && order.every((id) => first.has(id));
  },
};

interface RerankInput {
  readonly results: readonly {
    readonly id: number;
    readonly distance: number;
    readonly filePath: string;
    readonly language: string;
  }[];
  readonly prLanguages: readonly string[];
  readonly config?: Partial<RerankConfig>;
}

function rerank(input: unknown): unknown {
  const { results, prLanguages, config } = input as RerankInput;
  const list = results.map(({ id, distance, filePath, language }) => ({
    id: String(id),
    distance,
    language: chunkLanguage({ corpus: "review_comment", language, path: filePath, tags: [] }),
  }));
  const ranked = rerankByLanguage(list, prLanguages, config);
  return {
    ranked: ranked.map(({ id, adjustedDistance, languageMatch }) => ({
      id: Number(id),
      adjustedDistance: rounded(adjustedDistance),
      languageMatch,
    })),
  };
}

function rerankOne(input: unknown): unknown {
  const { storedLanguage, prLanguages, distance } = input as {
    storedLanguage: string;
    prLanguages: readonly string[];
    distance: number;
  };
  const [first] = rerankByLanguage([{ id: "m", distance, language: canonicalLanguage(storedLanguage) }], prLanguages);
  return { adjustedDistance: rounded(first?.adjustedDistance ?? Number.NaN) };
}

interface RecencyInput {
  readonly now: string;
  readonly halfLifeDays: number;
  readonly results: readonly {
    readonly id: number;
    readonly adjustedDistance: number;
    readonly severity: "critical" | "major" | "medium" | "minor";
    readonly ageDays: number | null;
  }[];
}

function recency(input: unknown): unknown {
  const { now, halfLifeDays, results } = input as RecencyInput;
  const at = Date.parse(now);
  return {
    ranked: results.map(({ id, adjustedDistance, severity, ageDays }) => {
      const said = { at: ageDays === null ? null : at - ageDays * 86_400_000, severity };
      return { id, adjustedDistance: rounded(adjustedDistance * recencyDistanceFactor(said, at, halfLifeDays)) };
    }),
  };
}

interface ThresholdInput {
  readonly distances: readonly number[];
  readonly configuredThreshold: number;
  readonly config?: {
    minCandidatesForGap: number;
    fallbackPercentile: number;
    minGapSize: number;
    floor: number;
    ceiling: number;
  };
}

function threshold(input: unknown): unknown {
  const { distances, configuredThreshold, config } = input as ThresholdInput;
  const settings: Partial<ThresholdSettings> =
    config === undefined
      ? {}
      : {
          minCandidates: config.minCandidatesForGap,
          percentile: config.fallbackPercentile,
          minGap: config.minGapSize,
          floor: config.floor,
          ceiling: config.ceiling,
        };
  const told = adaptiveThreshold(distances, configuredThreshold, settings);
  return { ...told, threshold: rounded(told.threshold), gapSize: told.gapSize === null ? null : rounded(told.gapSize) };
}

const NEVER_ABOVE: Deliberate = {
  name: "a threshold is never above the configured one",
  reason: "whoever configures .05 wants nothing farther; a floor of .15 would admit it",
  applies: (input, expected, actual) => {
    const { configuredThreshold } = input as ThresholdInput;
    const told = (expected as { threshold: number }).threshold;
    return told > configuredThreshold && (actual as { threshold: number }).threshold === configuredThreshold;
  },
};

interface CorpusInput {
  readonly k: number;
  readonly topK?: number;
  readonly lists: readonly { readonly items: readonly { readonly id: string }[] }[];
}

/**
 * The cases count ranks from 0, ours from 1 as in the published formula: k − 1 asks ours for the
 * very same scores.
 */
function inOurCount(k: number): number {
  return k - 1;
}

function hitsOf(ids: readonly string[]) {
  const nothing = { score: 0, distance: null, vectorRank: null, keywordRank: null, keywordScore: null };
  return [...new Set(ids)].map((id) => ({ id, ...nothing }));
}

function crossCorpus(input: unknown): { ranked: readonly { id: string; score: number }[] } {
  const { k, topK, lists } = input as CorpusInput;
  const hits = lists.map(({ items }) => hitsOf(items.map(({ id }) => id)));
  const ranked = pool(hits, "rrf", inOurCount(k));
  return { ranked: ranked.slice(0, topK).map(({ id, score }) => ({ id, score: rounded(score) })) };
}

interface HybridInput {
  readonly vector: readonly string[];
  readonly fullText: readonly string[];
  readonly k?: number;
}

function hybrid(input: unknown): { ranked: readonly { id: string; score: number }[] } {
  const { vector, fullText, k = 60 } = input as HybridInput;
  const fromZero = (rank: number | null) => (rank === null ? null : rank - 1);
  const found = {
    variant: { kind: "intent" as const, text: "", path: null },
    nearest: vector.map((id, index) => ({ id, distance: index / 10 })),
    matching: fullText.map((id, index) => ({ id, score: 10 - index })),
  };
  return {
    ranked: fuseByRank(found, { vector: 1, keyword: 1 }, inOurCount(k)).map(
      ({ id, score, vectorRank, keywordRank }) => ({
        id,
        score: rounded(score),
        vectorRank: fromZero(vectorRank),
        fullTextRank: fromZero(keywordRank),
      }),
    ),
  };
}

const TIES: Deliberate = {
  name: "ties go by a hash",
  reason:
    "whoever comes first in a list of corpora is not better for that; a hash favours nobody and is the same every time",
  applies: (_, expected, actual) => {
    const scores = (told: unknown) => new Map((told as Ranked).ranked.map(({ id, score }) => [id, score]));
    const [theirs, ours] = [scores(expected), scores(actual)];
    return theirs.size === ours.size && [...theirs].every(([id, score]) => ours.get(id) === score);
  },
};

interface Ranked {
  readonly ranked: readonly { readonly id: string; readonly score: number }[];
}

interface Chunk {
  readonly id: string;
  readonly source: string;
  readonly text: string;
  readonly score: number;
  readonly label: string;
}

function deduped(input: unknown): unknown {
  const { mode, threshold: alike, chunks } = input as { mode: string; threshold: number; chunks: readonly Chunk[] };
  const apart = Map.groupBy(chunks, ({ source }) => (mode === "within-corpus" ? source : ""));
  const kept = [...apart.values()]
    .flatMap(
      (some) =>
        dedupe(
          some.toSorted((a, b) => b.score - a.score),
          alike,
        ).kept,
    )
    .sort((a, b) => b.item.score - a.item.score);
  return { kept: kept.map(({ item, alternateSources }) => ({ id: item.id, alternateSources })) };
}

/** The earlier system gave code 1.2 in reviews and 1 elsewhere; ours is handed its weights. */
function unified(input: unknown): unknown {
  const { k, boostFactor, affinityRatio, triggerType, prLanguages, codeMemoriesBestFirst } = input as {
    k: number;
    boostFactor: number;
    affinityRatio: number;
    triggerType: string;
    prLanguages: readonly string[];
    codeMemoriesBestFirst: readonly { id: number; language: string }[];
  };
  const weight = triggerType === "pr_review" ? 1.2 : 1;
  const ids = codeMemoriesBestFirst.map(({ id }) => String(id));
  const languages = new Map(codeMemoriesBestFirst.map(({ id, language }) => [String(id), language]));
  const shares = prLanguages.map((language) => ({ language, share: 1 / prLanguages.length }));
  const chunks = pool([hitsOf(ids)], "rrf", inOurCount(k)).map(({ id, score }) => {
    const factor = languageFactor(canonicalLanguage(languages.get(id) ?? ""), shares, {
      boost: boostFactor,
      relatedRatio: affinityRatio,
    });
    return { id: Number(id), score: rounded(weight * score * factor) };
  });
  return { chunks: chunks.toSorted((a, b) => b.score - a.score) };
}

interface IsolationInput {
  readonly ownRepoHits: readonly { readonly id: number; readonly distance: number }[];
  readonly ownerPoolHits: readonly { readonly id: number; readonly distance: number }[];
  readonly sharingEnabled: boolean;
  readonly topK: number;
  readonly distanceThreshold: number;
}

function isolation(input: unknown): unknown {
  const { ownRepoHits, ownerPoolHits, sharingEnabled, topK, distanceThreshold } = input as IsolationInput;
  const repo = { host: "github.com", id: 1, ownerId: 7, owner: "acme", name: "shop", visibility: "private" } as const;
  const scope = scopeOf({ repo, pull: { number: 1 } }, sharingEnabled);
  const hits = scope.ownerPool === null ? ownRepoHits : [...ownRepoHits, ...ownerPoolHits];
  const near = hits.filter(({ distance }) => distance <= distanceThreshold).sort((a, b) => a.distance - b.distance);
  return {
    ids: near.slice(0, topK).map(({ id }) => id),
    internalTopK: Math.max(TUNING.overFetch, topK * 5),
    sharedPoolUsed: scope.ownerPool !== null,
  };
}

const OVER_FETCH: Deliberate = {
  name: "each list is fetched at least 50 deep",
  reason: "what a later step reorders must have been found; a list of topK leaves nothing to reorder",
  applies: (_, expected, actual) => {
    const { internalTopK, ...told } = expected as { internalTopK: number };
    const { internalTopK: ours, ...rest } = actual as { internalTopK: number };
    return ours > internalTopK && isDeepStrictEqual(rest, told);
  },
};

interface SuppressionInput {
  readonly finding: Omit<Suppressible, "path"> & { readonly filePath: string };
  readonly suppression: string | Pick<Suppression, "pattern" | "paths">;
}

function suppressed(input: unknown): unknown {
  const { finding, suppression } = input as SuppressionInput;
  const wish = Suppression.parse(typeof suppression === "string" ? { pattern: suppression } : suppression);
  return { suppressed: suppressor([wish])({ ...finding, path: finding.filePath }) !== null };
}

const containsAnswer = (actual: unknown, expected: unknown): boolean => {
  const { note, ...told } = expected as { note?: string; [key: string]: unknown };
  return Object.entries(told).every(([key, value]) =>
    isDeepStrictEqual((actual as Record<string, unknown>)[key], value),
  );
};

const none: readonly Deliberate[] = [];

export const areas: readonly AreaCheck[] = [
  { area: "retrieval.query", answer: query, deliberate: [RISK_SEPARATOR, CUT_AT_A_LINE] },
  { area: "retrieval.variants", answer: variants, deliberate: [CASE_AND_ENRICHED] },
  { area: "retrieval.mergeVariants", answer: merged, deliberate: [BEST_RANK] },
  { area: "retrieval.unifiedLanguageBoost", answer: unified, deliberate: none },
  { area: "retrieval.isolation", answer: isolation, deliberate: [OVER_FETCH] },
  { area: "rerank.language", answer: rerank, deliberate: none },
  { area: "rerank.recency", answer: recency, deliberate: none },
  { area: "rerank", answer: rerankOne, deliberate: none },
  { area: "threshold.adaptive", answer: threshold, deliberate: [NEVER_ABOVE] },
  { area: "threshold", answer: threshold, same: containsAnswer, deliberate: none },
  { area: "rrf.crossCorpus", answer: crossCorpus, deliberate: [TIES] },
  { area: "rrf.hybrid", answer: hybrid, deliberate: [TIES] },
  {
    area: "dedup.jaccard",
    answer: (input) => {
      const { a, b } = input as { a: string; b: string };
      return { similarity: rounded(jaccard(comparedWords(a), comparedWords(b))) };
    },
    deliberate: none,
  },
  { area: "dedup.chunks", answer: deduped, deliberate: none },
  {
    area: "suppression.pattern",
    answer: (input) => {
      const { pattern, title } = input as { pattern: string; title: string };
      const read = titlePattern(pattern);
      return { matches: "matches" in read && read.matches(title) };
    },
    deliberate: none,
  },
  { area: "suppression.match", answer: suppressed, deliberate: none },
  { area: "suppression", answer: suppressed, deliberate: none },
];
