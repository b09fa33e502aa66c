// For the method that orders by distance: the same language counts as nearer. Raw distances stay beside the adjusted ones.
import { canonicalLanguage, relatedLanguages, UNKNOWN_LANGUAGE } from "../domain/language.ts";
import { chunkLanguage } from "./chunk-language.ts";
import { tieHash } from "./tie-order.ts";

export interface RerankConfig {
  /** What the distance of a memory in a language of the change is multiplied with. */
  readonly sameLanguageBoost: number;
  /** How much of that a related language gets: 0 nothing, 1 all. */
  readonly relatedLanguageRatio: number;
  /** Only neighbours whose raw distances lie at most this far apart may change places; null for no such limit. */
  readonly band: number | null;
}

/** Mild: a match more than 1 / .85 − 1 = 17.6 % farther never overtakes. */
export const RERANK: RerankConfig = { sameLanguageBoost: 0.85, relatedLanguageRatio: 0.5, band: null };

/** What is reranked: a distance, and enough to tell the language. */
export interface Rerankable {
  readonly id: string;
  readonly distance: number;
  readonly language?: string | null;
  readonly path?: string | null;
}

export type Reranked<T> = T & { readonly adjustedDistance: number; readonly languageMatch: boolean };

/**
 * Orders by distance × multiplier, ascending: .85 for a language of the change, .925 for a related one, 1 for all others
 * and for unknown languages. Removes nothing, changes no raw distance, never throws; ties by hash of the id.
 *
 * @param languages of the change, in any spelling: `C++`, `cpp`
 */
export function rerankByLanguage<T extends Rerankable>(
  results: readonly T[],
  languages: readonly string[],
  config: Partial<RerankConfig> = {},
): readonly Reranked<T>[] {
  const settings = { ...RERANK, ...config };
  const own = new Set(languages.map(canonicalLanguage));
  own.delete(UNKNOWN_LANGUAGE);
  const related = new Set([...own].flatMap(relatedLanguages));
  const adjusted = results.map((result) => {
    const language = chunkLanguage(result);
    const languageMatch = own.has(language);
    const multiplier = multiplierOf(languageMatch, related.has(language), settings);
    return { ...result, adjustedDistance: result.distance * multiplier, languageMatch };
  });
  return inAdjustedOrder(adjusted, settings.band);
}

type Adjusted = Rerankable & { readonly adjustedDistance: number };

/** Ascending by adjusted distance, ties by hash of the id; with a band, only as far as it lets neighbours change places. */
export function inAdjustedOrder<T extends Adjusted>(results: readonly T[], band: number | null): readonly T[] {
  const byAdjusted = (a: T, b: T) => a.adjustedDistance - b.adjustedDistance || tieHash(a.id) - tieHash(b.id);
  if (band === null) return results.toSorted(byAdjusted);
  return swapWithinBand(
    results.toSorted((a, b) => a.distance - b.distance || byAdjusted(a, b)),
    band,
  );
}

function multiplierOf(match: boolean, related: boolean, config: RerankConfig): number {
  if (match) return config.sameLanguageBoost;
  return related ? 1 - (1 - config.sameLanguageBoost) * config.relatedLanguageRatio : 1;
}

/**
 * Bubbles the better adjusted distance up past neighbours within the band. As only such pairs ever change places, two
 * memories farther apart than the band keep their order whatever stands between them.
 */
function swapWithinBand<T extends Adjusted>(ordered: readonly T[], band: number): readonly T[] {
  const list = [...ordered];
  for (let moved = true; moved; ) {
    moved = false;
    for (let at = 1; at < list.length; at += 1) {
      const [before, after] = [list[at - 1], list[at]];
      if (before === undefined || after === undefined) continue;
      if (after.adjustedDistance < before.adjustedDistance && Math.abs(after.distance - before.distance) <= band) {
        list[at - 1] = after;
        list[at] = before;
        moved = true;
      }
    }
  }
  return list;
}
