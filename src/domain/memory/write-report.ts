// What became of records that were to be remembered, as counts that can be added up.
import type { Degraded } from "../omissions.ts";

/** What became of records. Added + updated + unchanged + repeated + refused = all that were given. */
export interface Remembered {
  readonly kind: "remembered";
  readonly added: number;
  readonly updated: number;
  /** Known, and right as they stand. */
  readonly unchanged: number;
  /** Given more than once; the last one counts. */
  readonly repeated: number;
  /** How many texts the embedder was asked for, and how many of them it had in its cache. */
  readonly embedded: number;
  readonly cached: number;
  /** Rows without a vector: words find them. */
  readonly wordsOnly: number;
  readonly tokens: number;
  readonly usd: number;
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  readonly degraded: readonly Degraded[];
}

/** Of no records at all. */
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

/** Two counts as one; with none, the count of nothing. */
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

/** Rows that words alone find are said. */
export function degradation(wordsOnly: number): Degraded[] {
  if (wordsOnly === 0) return [];
  const rows = wordsOnly === 1 ? "1 memory has" : `${wordsOnly} memories have`;
  return [{ part: "embedding", reason: `${rows} no vector and can be found by words only: the embedder gave none` }];
}
