// Counts of what became of records to be remembered; they can be added up.
import type { Degraded } from "../omissions.ts";

/** Added + updated + unchanged + repeated + refused = all given records. */
export interface Remembered {
  readonly kind: "remembered";
  readonly added: number;
  readonly updated: number;
  /** Stored already, without changes. */
  readonly unchanged: number;
  /** Given more than once; the last one counts. */
  readonly repeated: number;
  /** Texts sent to the embedder, and how many of them its cache had. */
  readonly embedded: number;
  readonly cached: number;
  /** Rows without a vector: only keywords find them. */
  readonly wordsOnly: number;
  readonly tokens: number;
  readonly usd: number;
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  readonly degraded: readonly Degraded[];
}

/** The report of an empty list. */
export const NOTHING_REMEMBERED: Remembered = {
  kind: "remembered",
  added: 0,
  updated: 0,
  unchanged: 0,
  repeated: 0,
  embedded: 0,
  cached: 0,
  wordsOnly: 0,
  tokens: 0,
  usd: 0,
  refused: [],
  degraded: [],
};

/** Adds counts up; without any, the report of an empty list. */
export function addUp(...counts: readonly Remembered[]): Remembered {
  const sum = counts.reduce(
    (a, b) => ({
      kind: "remembered",
      added: a.added + b.added,
      updated: a.updated + b.updated,
      unchanged: a.unchanged + b.unchanged,
      repeated: a.repeated + b.repeated,
      embedded: a.embedded + b.embedded,
      cached: a.cached + b.cached,
      wordsOnly: a.wordsOnly + b.wordsOnly,
      tokens: a.tokens + b.tokens,
      usd: a.usd + b.usd,
      refused: [...a.refused, ...b.refused],
      degraded: [],
    }),
    NOTHING_REMEMBERED,
  );
  return { ...sum, degraded: degradation(sum.wordsOnly) };
}

/** Reports rows that only keywords find. */
export function degradation(wordsOnly: number): Degraded[] {
  if (wordsOnly === 0) return [];
  const rows = wordsOnly === 1 ? "1 memory has" : `${wordsOnly} memories have`;
  return [{ part: "embedding", reason: `${rows} no vector and can be found by words only: the embedder gave none` }];
}
