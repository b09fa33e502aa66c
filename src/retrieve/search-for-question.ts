// What memory knows about one question: one query, both lists, fused by rank; what is too far and too weak is left out.
import { cutText } from "../domain/cut-text.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import type { KeywordHit, RankedMemory, VectorHit } from "../domain/retrieval.ts";
import { fuseByRank } from "./fuse.ts";
import { strategyWeights } from "./strategy-weights.ts";

/** What the search takes of the world, each null or empty where it failed. */
export interface QuestionSearch {
  readonly nearest: readonly VectorHit[];
  readonly matching: readonly KeywordHit[];
  /** Admitted records of all hits. */
  readonly records: ReadonlyMap<string, MemoryRecord>;
}

/** What counts as relevant, and how many are kept. */
export interface QuestionLimits {
  /** Raw cosine distance. */
  readonly threshold: number;
  /** BM25. */
  readonly keywordFloor: number;
  readonly topK: number;
  readonly strategy: Parameters<typeof strategyWeights>[0];
  readonly vectorWeight: number;
}

/** Characters of a question and its hunk that are searched for. */
const QUERY_CHARS = 800;

/** The text that is searched with: the question, and the place it is about. */
export function questionQuery(text: string, path: string | null): string {
  return cutText([text.trim(), path ?? ""].filter((part) => part !== "").join("\n"), QUERY_CHARS);
}

/** Best first, at most topK. */
export function rankForQuestion(found: QuestionSearch, limits: QuestionLimits): readonly RankedMemory[] {
  const weights = strategyWeights(limits.strategy, { vector: limits.vectorWeight, keyword: 1 });
  const variant = { kind: "intent", text: "", path: null } as const;
  const fused = fuseByRank({ variant, nearest: found.nearest, matching: found.matching }, weights);
  return fused
    .flatMap((hit): readonly RankedMemory[] => {
      const record = found.records.get(hit.id);
      const isNear = hit.distance !== null && hit.distance <= limits.threshold;
      const isMeant = hit.keywordScore !== null && hit.keywordScore >= limits.keywordFloor;
      if (record === undefined || (!isNear && !isMeant)) return [];
      const plain = {
        adjustedDistance: null,
        boosts: [],
        languageMatch: false,
        nearestHunk: null,
        alternateSources: [],
      };
      return [{ ...hit, ...plain, record }];
    })
    .slice(0, limits.topK);
}
