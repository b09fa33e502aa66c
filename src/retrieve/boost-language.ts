// Memories in the languages of the change rise, by each language's part of it. The one place that weighs language in a
// fused score; a boost only: no memory is ever marked down for its language.
import { canonicalLanguage, relatedLanguages, UNKNOWN_LANGUAGE } from "../domain/language.ts";

export interface LanguageBoostSettings {
  /** What a language that makes up the whole change adds. */
  readonly boost: number;
  /** A related language's part of that. */
  readonly relatedRatio: number;
}

export const LANGUAGE_BOOST: LanguageBoostSettings = { boost: 0.25, relatedRatio: 0.5 };

/**
 * The factor for a memory's language: 1 + share × .25 for a language of the change, 1 + the largest related share × .25 ×
 * .5 for a related one, whichever is more; 1 for `unknown`, for other languages, and when the change has no language.
 *
 * @param language of the memory, any spelling
 * @param shares of the change, any spelling; each 0–1
 * @returns factor ≥ 1; `match` when the memory's language is one of the change's
 */
export function languageBoost(
  language: string,
  shares: readonly { readonly language: string; readonly share: number }[],
  { boost, relatedRatio }: LanguageBoostSettings = LANGUAGE_BOOST,
): { readonly factor: number; readonly match: boolean } {
  const own = canonicalLanguage(language);
  if (own === UNKNOWN_LANGUAGE) return { factor: 1, match: false };
  let exact = 0;
  let related = 0;
  let match = false;
  for (const { language: name, share } of shares) {
    const part = Math.min(1, Math.max(0, share));
    const id = canonicalLanguage(name);
    if (id === own) {
      match = true;
      exact += part;
    } else if (relatedLanguages(id).includes(own)) {
      related = Math.max(related, part);
    }
  }
  return { factor: 1 + Math.max(Math.min(1, exact) * boost, related * boost * relatedRatio), match };
}
