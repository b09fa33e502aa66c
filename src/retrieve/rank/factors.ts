// A memory's weights besides relevance: each factor is a function of memory and change.

import { folderOf, withoutExtension } from "../../domain/code/paths.ts";
import type { Severity } from "../../domain/finding.ts";
import type { Corpus, MemoryRecord, Outcome } from "../../domain/memory.ts";
import type { FileDiff } from "../../domain/pull-request.ts";
import type { ScoreTerm, Strategy } from "../../domain/retrieval.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import { chunkLanguage, languageFactor } from "./language.ts";

interface Weighing extends Pick<ReviewSignals, "languages"> {
  readonly strategy: Strategy | null;
  readonly places: ReturnType<typeof changedPlaces>;
  readonly sourceWeights: Readonly<Partial<Record<Corpus, number>>>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** In the order of listing; each is > 0, and 1 when nothing is known. */
const FACTORS = {
  source: ({ corpus }, { sourceWeights }) => sourceWeights[corpus] ?? 1,
  language: (record, { languages }) => languageFactor(chunkLanguage(record), languages),
  "related files": ({ path }, { strategy, places }) => relatedFilesFactor(strategy, path, places),
  recency: ({ provenance: { at }, severity }, { now }) => 1 / recencyDistanceFactor({ at, severity }, now),
  outcome: ({ outcome }) => (outcome === null ? 1 : OUTCOMES[outcome]),
} as const satisfies Readonly<Record<string, (memory: MemoryRecord, at: Weighing) => number>>;

export type FactorName = keyof typeof FACTORS;
export const FACTOR_NAMES = Object.keys(FACTORS) as readonly FactorName[];

/**
 * What each factor adds to a score: its logarithm.
 *
 * @param names of the enabled factors
 * @returns those that are not 1, in the order of FACTOR_NAMES
 */
export function factorTerms(
  memory: MemoryRecord,
  at: Weighing,
  names: readonly FactorName[] = FACTOR_NAMES,
): readonly ScoreTerm[] {
  return names.map((name) => ({ name, value: Math.log(FACTORS[name](memory, at)) })).filter(({ value }) => value !== 0);
}

// Older memories count less: half as much every 90 days, but never zero; severe ones fade less.

const DAY_MS = 86_400_000;

/** Days after which a memory's freshness has halved. */
const HALF_LIFE_DAYS = 90;
const FLOOR = 0.15;
const SEVERE_FLOOR = 0.3;

/**
 * The multiplier of a distance after the language step, by which a score is divided: 2 − freshness,
 * so 1–1.85. Freshness is .5^(age / half-life), at least .3 for critical and major memories and .15
 * for others; 1 without a date. A future date counts as today. Times are epoch milliseconds.
 */
export function recencyDistanceFactor(
  { at, severity }: { readonly at: number | null; readonly severity: Severity | null },
  now: number,
  halfLifeDays = HALF_LIFE_DAYS,
): number {
  if (at === null || !Number.isFinite(at)) return 1;
  const age = Math.max(0, now - at) / DAY_MS;
  const floor = severity === "critical" || severity === "major" ? SEVERE_FLOOR : FLOOR;
  return 2 - Math.max(0.5 ** (age / halfLifeDays), floor);
}

// The outcome of a memory weighs a little: people's consent is a hint of value, not of relevance.

/**
 * Our own judgement, limited to a few ranks. A declined finding does not sink: it must be seen, so
 * that it is not reported again. `posted` has no verdict yet and counts as none.
 */
const OUTCOMES: Readonly<Record<Outcome, number>> = {
  reintroduced: 1.1,
  fixed: 1.05,
  accepted: 1.05,
  posted: 1,
  declined: 1,
  outdated: 0.95,
};

const RELATED_FILES_FACTOR = 1.2;

/**
 * 1.2 when the memory is about a changed file, whatever its extension, or one in the same folder,
 * and the strategy is `related-files`; else 1. Files at the top of the repository share no folder.
 */
function relatedFilesFactor(strategy: Strategy | null, path: string | null, changed: Weighing["places"]): number {
  if (strategy !== "related-files" || path === null) return 1;
  return changed.paths.has(withoutExtension(path)) || changed.folders.has(folderOf(path)) ? RELATED_FILES_FACTOR : 1;
}

/** The paths of the changed files, and earlier ones: comments on a file move with it. */
export function pathsOf(files: readonly Pick<FileDiff, "path" | "previousPath">[]): readonly string[] {
  return files.flatMap(({ path, previousPath }) => (previousPath === null ? path : [path, previousPath]));
}

/** The changed paths without their extensions, and their folders. */
export function changedPlaces(paths: readonly string[]) {
  const folders = new Set(paths.map(folderOf));
  folders.delete("");
  return { paths: new Set(paths.map(withoutExtension)), folders };
}
