// What the last replay of a repository came to, as it is kept: figures and a day, no texts. It holds for a while, and then only
// another replay says anything.

import { isoDate } from "../text/iso-date.ts";
import type { Interval } from "./bootstrap-interval.ts";

export interface ReplayResult {
  /** Epoch milliseconds of the replay. */
  readonly at: number;
  /** Pull requests and comments of people that were replayed. */
  readonly pulls: number;
  readonly comments: number;
  /** Share of pull requests of which a later comment was met, 0–1. */
  readonly on: number;
  /** The same with another repository's memory; null where there was none, and then `gain` is null too. */
  readonly placebo: number | null;
  /** `on` minus `placebo`, with its 95 % interval. */
  readonly gain: Interval | null;
  /** The embedder that memory was searched with: another one finds other things. */
  readonly model: string;
}

/**
 * Pull requests that it takes before "not shown" may keep memory out. At the hit rates of `npm run eval -- replay` (.24 on, .02
 * placebo) the interval's lower bound over 50 is about .09; over 20 it is near zero also where memory helps.
 */
export const ENOUGH_PULLS = 50;
const DAY_MS = 86_400_000;
/** A result older than this says nothing: memory has grown since, and people have come and gone. */
export const GOOD_FOR_DAYS = 30;

/** Until when a result holds, in epoch milliseconds. */
function goodUntil({ at }: Pick<ReplayResult, "at">): number {
  return at + GOOD_FOR_DAYS * DAY_MS;
}

/** One line: what was measured, when, on how much, and until when it counts. */
export function replayWords({ at, pulls, gain, on, placebo, ...rest }: ReplayResult): string {
  const measured =
    gain === null || placebo === null
      ? `on ${share(on)}, without a placebo`
      : `on ${share(on)}, placebo ${share(placebo)}, gain ${share(gain.mean)} [${share(gain.low)}, ${share(gain.high)}]`;
  const until = isoDate(goodUntil({ at }));
  return `${isoDate(at)}: ${measured} over ${pulls} pull requests with ${rest.model}; counts until ${until}`;
}

/**
 * Why memory should stay out, by a result that still counts: enough pull requests, and a gain over the placebo that may be
 * none. Null in all other cases, of which "not enough is known" is the most frequent.
 *
 * @param now epoch milliseconds
 * @param model the embedder of now; null where words are searched only
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
