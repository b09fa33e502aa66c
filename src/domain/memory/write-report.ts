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
  /** Rows that got a vector, and texts that the embedder's cache had. */
  readonly embedded: number;
  readonly cached: number;
  /** Rows without a vector: only keywords find them. */
  readonly wordsOnly: number;
  /** Why the first of them has none; null without one. */
  readonly wordsReason: string | null;
  readonly tokens: number;
  readonly usd: number;
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  readonly degraded: readonly Degraded[];
}

const ZERO = {
  added: 0,
  updated: 0,
  unchanged: 0,
  repeated: 0,
  embedded: 0,
  cached: 0,
  wordsOnly: 0,
  tokens: 0,
  usd: 0,
};
const COUNTS = Object.keys(ZERO) as (keyof typeof ZERO)[];

/** The report of an empty list. */
export const NOTHING_REMEMBERED: Remembered = {
  kind: "remembered",
  ...ZERO,
  wordsReason: null,
  refused: [],
  degraded: [],
};

/** Adds counts up; without any, the report of an empty list. */
export function addUp(...counts: readonly Remembered[]): Remembered {
  const sums = Object.fromEntries(COUNTS.map((name) => [name, counts.reduce((sum, one) => sum + one[name], 0)]));
  const wordsReason = counts.find((count) => count.wordsReason !== null)?.wordsReason ?? null;
  const sum = { ...NOTHING_REMEMBERED, ...sums, wordsReason, refused: counts.flatMap(({ refused }) => refused) };
  return { ...sum, degraded: degradation(sum) };
}

/** `29 embedded, 1 by words only: REASON` */
export function embeddedText({ embedded, wordsOnly, wordsReason }: Remembered): string {
  const without = wordsOnly === 0 ? "" : `, ${wordsOnly} by words only: ${wordsReason ?? NO_REASON}`;
  return `${embedded} embedded${without}`;
}

const NO_REASON = "the embedder gave none";

/** Reports rows that only keywords find. */
function degradation({ wordsOnly, wordsReason }: Pick<Remembered, "wordsOnly" | "wordsReason">): Degraded[] {
  if (wordsOnly === 0) return [];
  const rows = wordsOnly === 1 ? "1 memory has" : `${wordsOnly} memories have`;
  return [
    { part: "embedding", reason: `${rows} no vector and can be found by words only: ${wordsReason ?? NO_REASON}` },
  ];
}
