// The language of a memory as a canonical id: the stored one, else from its tags or its path.
import { classifyLanguage } from "../../domain/code/languages.ts";
import { canonicalLanguage, relatedLanguages, UNKNOWN_LANGUAGE } from "../../domain/language.ts";
import type { MemoryRecord } from "../../domain/memory.ts";
import { fnv1a } from "../../domain/text/hash.ts";

/** `language` as stored: any spelling; empty in old rows. */
type ChunkOrigin = Pick<MemoryRecord, "corpus" | "language" | "path" | "tags">;

/** Tags and languages of prose, which do not identify the language of the code. */
const GENERAL = new Set(["general", "markdown", "text", "plaintext", "restructuredtext", "asciidoc", UNKNOWN_LANGUAGE]);

/**
 * The canonical id, or `unknown`. The stored language comes first; for a document or wiki page the
 * first specific tag counts; rows without a stored one use their path.
 */
export function chunkLanguage({ corpus, language, path, tags }: ChunkOrigin): string {
  if (corpus === "doc" || corpus === "wiki") {
    const named = [language, ...tags].map(canonicalLanguage).find((id) => !GENERAL.has(id));
    return named ?? UNKNOWN_LANGUAGE;
  }
  const stored = language.trim();
  return stored === "" ? classifyLanguage(path ?? "").language : canonicalLanguage(stored);
}

// Memories in the languages of the change rise, by each language's share of it. A boost only: no
// memory is ever penalised for its language.

/** The boost of a language that makes up the whole change, and a related language's share of it. */
const LANGUAGE_BOOST = { boost: 0.25, relatedRatio: 0.5 };

/** Shares of the change by language: any spelling, each 0–1. */
type LanguageShares = readonly { readonly language: string; readonly share: number }[];

/**
 * The factor for a memory's language: 1 + share × .25 for a language of the change, 1 + the largest
 * related share × .25 × .5 for a related one, whichever is larger; 1 for `unknown`, for other
 * languages, and when the change has no language.
 *
 * @param language of the memory, a canonical id
 */
export function languageFactor(
  language: string,
  shares: LanguageShares,
  { boost, relatedRatio } = LANGUAGE_BOOST,
): number {
  if (language === UNKNOWN_LANGUAGE) return 1;
  let exact = 0;
  let related = 0;
  for (const { language: name, share } of shares) {
    const part = Math.min(1, Math.max(0, share));
    const id = canonicalLanguage(name);
    if (id === language) exact += part;
    else if (relatedLanguages(id).includes(language)) related = Math.max(related, part);
  }
  return 1 + boost * Math.max(Math.min(1, exact), related * relatedRatio);
}

/** Whether it is one of the languages of the change. */
export function isLanguageOf(language: string, shares: LanguageShares): boolean {
  return language !== UNKNOWN_LANGUAGE && shares.some((share) => canonicalLanguage(share.language) === language);
}

// For the method that orders by distance: the same language counts as nearer. Raw distances are
// kept beside the adjusted ones.

export interface RerankConfig {
  /** The multiplier for the distance of a memory in a language of the change. */
  readonly sameLanguageBoost: number;
  /** A related language's share of that boost: 0 nothing, 1 all. */
  readonly relatedLanguageRatio: number;
}

/** Mild: a match more than 1 / .85 − 1 = 17.6 % farther never overtakes. */
export const RERANK: RerankConfig = { sameLanguageBoost: 0.85, relatedLanguageRatio: 0.5 };

interface Rerankable {
  readonly id: string;
  readonly distance: number;
  /** A canonical id. */
  readonly language: string;
}

type Adjusted = Rerankable & { readonly adjustedDistance: number };

/**
 * Orders by distance × multiplier, ascending: .85 for a language of the change, .925 for a related
 * one, 1 for all others and for unknown languages. Removes nothing, changes no raw distance, never
 * throws; ties by hash of the id.
 *
 * @param languages of the change, in any spelling: `C++`, `cpp`
 */
export function rerankByLanguage<T extends Rerankable>(
  results: readonly T[],
  languages: readonly string[],
  config: Partial<RerankConfig> = {},
): readonly (T & Adjusted & { readonly languageMatch: boolean })[] {
  const { sameLanguageBoost: same, relatedLanguageRatio } = { ...RERANK, ...config };
  const own = new Set(languages.map(canonicalLanguage));
  own.delete(UNKNOWN_LANGUAGE);
  const related = new Set([...own].flatMap(relatedLanguages));
  const adjusted = results.map((result) => {
    const { language } = result;
    const languageMatch = own.has(language);
    const other = related.has(language) ? 1 - (1 - same) * relatedLanguageRatio : 1;
    return { ...result, adjustedDistance: result.distance * (languageMatch ? same : other), languageMatch };
  });
  return inAdjustedOrder(adjusted);
}

/** Ascending by adjusted distance, ties by hash of the id. */
export function inAdjustedOrder<T extends Adjusted>(results: readonly T[]): readonly T[] {
  return results.toSorted((a, b) => a.adjustedDistance - b.adjustedDistance || fnv1a(a.id) - fnv1a(b.id));
}
