// The same thing said twice takes one place: near-identical texts are folded into the one that stands highest.

/** Share of common words from which two texts say the same. At .9 a word more or less in a sentence still counts as the same. */
export const SAME_TEXT = 0.9;

/** Words compared of one text: quoted logs of megabytes must not make a search slow. */
const WORDS_READ = 1_000;
const CHARACTERS_READ = 10_000;

export interface Foldable {
  readonly id: string;
  readonly text: string;
  /** Where it comes from: `finding`, `doc`. */
  readonly source: string;
  /** How it is named as an alternate source: `[finding: mem_0123]`. */
  readonly label: string;
}

/**
 * Folds near-identical texts.
 *
 * @param ordered best first; the first of several alike is kept
 * @param within true to fold only texts of one source, false across sources
 * @returns what is kept, in order, each with the labels of what was folded into it; and what was folded into which
 */
export function dedupe<T extends Foldable>(
  ordered: readonly T[],
  { threshold = SAME_TEXT, within = false }: { readonly threshold?: number; readonly within?: boolean } = {},
): {
  readonly kept: readonly { readonly item: T; readonly alternateSources: readonly string[] }[];
  readonly folded: readonly { readonly id: string; readonly into: string }[];
} {
  const kept: { item: T; words: ReadonlySet<string>; alternateSources: string[] }[] = [];
  const folded: { id: string; into: string }[] = [];
  for (const item of ordered) {
    const words = wordSet(item.text);
    const same = kept.find(
      (other) =>
        other.item.id === item.id ||
        ((!within || other.item.source === item.source) && overlap(words, other.words) >= threshold),
    );
    if (same === undefined) {
      kept.push({ item, words, alternateSources: [] });
    } else if (same.item.id !== item.id) {
      same.alternateSources.push(item.label);
      folded.push({ id: item.id, into: same.item.id });
    }
  }
  return { kept: kept.map(({ item, alternateSources }) => ({ item, alternateSources })), folded };
}

/** |A ∩ B| / |A ∪ B| over the words of two texts, any case; 1 for two texts without words. */
export function jaccard(a: string, b: string): number {
  return overlap(wordSet(a), wordSet(b));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  if (large.size === 0) return 1;
  let common = 0;
  for (const word of small) if (large.has(word)) common += 1;
  return common / (a.size + b.size - common);
}

function wordSet(text: string): ReadonlySet<string> {
  const words =
    text
      .slice(0, CHARACTERS_READ)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.slice(0, WORDS_READ));
}
