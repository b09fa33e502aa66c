// In how many comments of the development data a word occurs. Only words that several repositories
// share are kept, so that the table holds language and no one's text or names.
import type { Background, BackgroundFile } from "../src/domain/text/word-rarity.ts";
import type { RetrievalRows } from "./retrieval-rows.ts";

/**
 * A word of fewer comments, or of fewer repositories, says more about a repository than about
 * language.
 */
const LEAST_TEXTS = 4;
const LEAST_REPOS = 3;

interface Counts {
  readonly texts: Map<string, number>;
  readonly repos: Map<string, number>;
  size: number;
}

/** @param without a repository that is left out: the one whose queries are being judged */
export function countWords(rows: RetrievalRows, without: string | null): Background {
  const counts: Counts = { texts: new Map(), repos: new Map(), size: 0 };
  for (const [repo, memories] of rows.memories) {
    if (repo === without) continue;
    const here = new Set<string>();
    for (const memory of memories) {
      counts.size += 1;
      for (const number of new Set(memory.words)) {
        const word = rows.lexicon.wordOf(number);
        counts.texts.set(word, (counts.texts.get(word) ?? 0) + 1);
        here.add(word);
      }
    }
    for (const word of here) counts.repos.set(word, (counts.repos.get(word) ?? 0) + 1);
  }
  const kept = [...counts.texts].filter(
    ([word, count]) => count >= LEAST_TEXTS && (counts.repos.get(word) ?? 0) >= LEAST_REPOS,
  );
  return { texts: counts.size, counts: new Map(kept) };
}

/** The shipped form of a background: words by count. */
export function backgroundFile(background: Background): BackgroundFile {
  const byCount = Map.groupBy([...background.counts.keys()].sort(), (word) => background.counts.get(word) ?? 0);
  const words = [...byCount].sort(([a], [b]) => a - b).map(([count, list]) => [String(count), list.join(" ")] as const);
  return { texts: background.texts, words: Object.fromEntries(words) };
}
