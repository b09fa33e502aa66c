// How much of a change a model may read for the money that there is.
import type { ReadingBudget } from "./plan-reading.ts";

/** UTF-16 units a token, cautiously: English is about 4, dense code with anchors about 2.7. */
export const CHARS_PER_TOKEN = 2.7;

/** Diff in one question: above about 30,000 tokens a reviewer model overlooks more than it gains by seeing all at once. */
const CHARS_PER_CALL = 80_000;
/** What a question holds beside the diff: instructions and the sections about the pull request. */
const FIXED_CHARS = 46_000;
/** Tokens of a reply, thinking included, as budgeted; a reply may be shorter. */
export const REPLY_TOKENS = 16_000;
/** What a reply takes in the mean: for the estimate only. */
const USUAL_REPLY_TOKENS = 6_000;
/** Questions in one review, whatever they cost: a person waits for it. */
const MOST_QUESTIONS = 24;
/** Less diff than this is not worth a question. */
const LEAST_CHARS = 3_000;
/** The rest is for the second look. */
const PART_FOR_READING = 0.85;

/** What is known of the model's size and price. */
export interface ModelMeasure {
  readonly contextTokens: number;
  /** US$ for so many tokens in and out; null where the model has no price. */
  readonly price: (inputTokens: number, outputTokens: number) => number | null;
}

/**
 * The diff that may be read.
 *
 * @param usd US$ for this review, or Infinity; without a price it does not bound
 * @returns budgets in UTF-16 units; both 0 when the money does not pay for a single small question
 */
export function readingBudget(model: ModelMeasure, usd: number): ReadingBudget {
  const fits = Math.floor((model.contextTokens - REPLY_TOKENS) * CHARS_PER_TOKEN * 0.9) - FIXED_CHARS;
  const charsPerCall = Math.max(0, Math.min(CHARS_PER_CALL, fits));
  if (charsPerCall < LEAST_CHARS) return { charsPerCall: 0, charsInAll: 0 };
  const cost = (chars: number) => model.price((FIXED_CHARS + chars) / CHARS_PER_TOKEN, USUAL_REPLY_TOKENS);
  const full = cost(charsPerCall);
  if (full === null) return { charsPerCall, charsInAll: MOST_QUESTIONS * charsPerCall };
  const money = usd * PART_FOR_READING;
  const questions = Math.min(MOST_QUESTIONS, full === 0 ? MOST_QUESTIONS : Math.floor(money / full));
  if (questions >= 1) return { charsPerCall, charsInAll: questions * charsPerCall };
  const empty = cost(0) ?? 0;
  const chars = Math.floor(((money - empty) / (full - empty)) * charsPerCall);
  return chars < LEAST_CHARS ? { charsPerCall: 0, charsInAll: 0 } : { charsPerCall: chars, charsInAll: chars };
}
