// The search by words in a thread of its own, with connections of its own, so that ranking keeps no webhook and no review waiting.
import type { KeywordHit } from "../../domain/retrieval.ts";
import { PATIENCE, type SearchPatience, searchThread } from "../memory/search-thread.ts";
import { KEYWORD_LIMITS, type KeywordLimits, type KeywordSearch, type KeywordWarmth } from "./keyword-search.ts";

/** What the thread is started with. */
export interface KeywordSettings {
  /** `postgres://…` of a database whose schema is up to date. */
  readonly url: string;
  readonly limits: KeywordLimits;
}

/**
 * As keywordSearch answers, but for what the thread costs: a question fails with Error when the thread ended under it or time was up.
 * The thread starts with the first question and does not keep the process alive.
 */
export function keywordThread(
  url: string,
  limits: Partial<KeywordLimits> = {},
  patience: Partial<SearchPatience> = {},
): KeywordSearch {
  const settings: KeywordSettings = { url, limits: { ...KEYWORD_LIMITS, ...limits } };
  const program = new URL("./keyword-worker.ts", import.meta.url);
  const thread = searchThread<KeywordWarmth>(program, settings, { ...PATIENCE, ...patience });
  const none = { waiting: 0, repositories: 0, rows: 0, bytes: 0, limitBytes: settings.limits.memoryBytes };
  return {
    matchingAll: (scope, texts, k, filter, tell) =>
      thread.ask({ ask: "matchingAll", with: [scope, texts, k, filter] }, tell) as Promise<
        readonly (readonly KeywordHit[])[]
      >,
    warm: async () => void (await thread.ask({ ask: "warm", with: [] })),
    warmth: () => thread.warmth() ?? none,
    close: () => thread.close(),
  };
}
