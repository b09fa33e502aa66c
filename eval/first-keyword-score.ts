// The keyword score of the first system of this kind, kept as a row to measure against: .1 for each
// occurrence of a query word, .2 more if it is a whole word, at most 1 in all.
import { memoryId, repoKey } from "../src/domain/memory.ts";
import type { KeywordHit } from "../src/domain/retrieval.ts";
import { evaluationRepo } from "../src/learn/remember/parse-row.ts";
import type { Recall } from "../src/ports/memory.ts";
import { byScore } from "../src/retrieve/rank/fusion.ts";
import type { CorpusRow } from "./judged-data.ts";

const OCCURRENCE = 0.1;
const WHOLE_WORD = 0.2;
/** Shorter words occur inside anything. */
const LEAST_LETTERS = 3;

/** The store's search with that score in the place of BM25, under the same scope. */
export function withFirstKeywordScore(recall: Recall, corpus: readonly CorpusRow[]): Recall {
  const byRepo = new Map(
    [...Map.groupBy(corpus, (row) => row.repo)].map(([repo, rows]) => {
      const key = repoKey(evaluationRepo(repo));
      const texts = rows.map((row) => ({
        id: memoryId(key, "review_comment", row.id),
        pr: row.pr,
        at: Date.parse(row.createdAt),
        text: row.text.toLowerCase(),
        words: new Set(row.text.toLowerCase().match(/\w+/g) ?? []),
      }));
      return [key, texts] as const;
    }),
  );
  return {
    ...recall,
    matching: async (scope, texts, k) => {
      const rows = (byRepo.get(scope.repo) ?? []).filter(
        ({ pr, at }) => pr !== scope.excludePull && (scope.before === null || at < scope.before),
      );
      return texts.map((text) => {
        const words = new Set((text.toLowerCase().match(/\w+/g) ?? []).filter((word) => word.length >= LEAST_LETTERS));
        return rows
          .map((row): KeywordHit => ({ id: row.id, score: scoreOf(row, words) }))
          .filter(({ score }) => score > 0)
          .sort(byScore)
          .slice(0, k);
      });
    },
  };
}

function scoreOf(
  row: { readonly text: string; readonly words: ReadonlySet<string> },
  query: ReadonlySet<string>,
): number {
  let score = 0;
  for (const word of query) {
    score += OCCURRENCE * (row.text.split(word).length - 1) + (row.words.has(word) ? WHOLE_WORD : 0);
    if (score >= 1) return 1;
  }
  return score;
}
