// The stored result of the last replay of a repository: figures and a date, no texts. It is valid for a while; after
// that, only another replay counts.

import { isoDate } from "../text/iso-date.ts";
import type { Interval } from "./bootstrap-interval.ts";

export interface ReplayResult {
  /** Epoch milliseconds of the replay. */
  readonly at: number;
  /** Replayed pull requests and comments by people. */
  readonly pulls: number;
  readonly comments: number;
  /** Share of pull requests with at least one later comment met, 0–1. */
  readonly on: number;
  /** The same with another repository's memory; null without a placebo, and then `gain` is null too. */
  readonly placebo: number | null;
  /** `on` minus `placebo`, with its 95 % interval. */
  readonly gain: Interval | null;
  /** The embedder of the searches: another one finds other memories. */
  readonly model: string;
}

/**
 * Pull requests needed before "not shown" may keep memory out. At the hit rates of `npm run eval -- replay` (.24 on,
 * .02 placebo) the interval's lower bound over 50 is about .09; over 20 it is near zero even where memory helps.
 */
export const ENOUGH_PULLS = 50;
const DAY_MS = 86_400_000;
/** An older result is void: memory has grown since, and the team has changed. */
export const GOOD_FOR_DAYS = 30;

/** Epoch milliseconds until which a result is valid. */
function goodUntil({ at }: Pick<ReplayResult, "at">): number {
  return at + GOOD_FOR_DAYS * DAY_MS;
}

/** One line: result, date, sample size and validity. */
export function replaySummary({ at, pulls, gain, on, placebo, ...rest }: ReplayResult): string {
  const measured =
    gain === null || placebo === null
      ? `on ${share(on)}, without a placebo`
      : `on ${share(on)}, placebo ${share(placebo)}, gain ${share(gain.mean)} [${share(gain.low)}, ${share(gain.high)}]`;
  const until = isoDate(goodUntil({ at }));
  return `${isoDate(at)}: ${measured} over ${pulls} pull requests with ${rest.model}; counts until ${until}`;
}

/**
 * Why memory should stay out, by a valid result: enough pull requests, and a gain over the placebo that may be zero.
 * Null in all other cases, mostly because not enough is known.
 *
 * @param now epoch milliseconds
 * @param model the current embedder; null when only keywords are searched
 */
export function noGain(result: ReplayResult | null, now: number, model: string | null): string | null {
  if (result === null || result.gain === null || result.model !== model) return null;
  if (result.pulls < ENOUGH_PULLS || now >= goodUntil(result) || result.gain.low > 0) return null;
  const { low, high } = result.gain;
  return `a replay on ${isoDate(result.at)} over ${result.pulls} pull requests did not show that memory helps here (gain over the placebo [${share(low)}, ${share(high)}])`;
}

function share(value: number): string {
  return value.toFixed(3);
}
