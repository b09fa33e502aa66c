// How much of a change a model may read within the budget.
import { CHARS_PER_TOKEN } from "../../domain/model.ts";
import type { ReadingBudget } from "./plan-reading.ts";

/**
 * Diff in one question: above about 30,000 tokens a reviewer model overlooks more than it gains by seeing everything at
 * once.
 */
const CHARS_PER_CALL = 80_000;
/** The sections about the pull request: about 13,000 tokens, and less in a small context. */
const CONTEXT_CHARS = 36_000;
const CONTEXT_PART = 0.3;
/** Share of a small context for the code around the change. */
const AROUND_PART = 0.25;
/** The instructions and the frame around everything. */
const FRAME_CHARS = 9_000;
/** Tokens of a reply, thinking included; at most a quarter of a small context. */
const REPLY_TOKENS = 16_000;
/** Mean tokens of a reply: for the estimate only. */
const USUAL_REPLY_TOKENS = 6_000;
/** Questions in one review at any price: a person waits for it. */
const MOST_QUESTIONS = 24;
/** Less diff than this is not worth a question. */
const LEAST_CHARS = 3_000;
/** The rest is for verification. */
export const PART_FOR_READING = 0.85;

/** The model's size and price. */
export interface ModelMeasure {
  readonly contextTokens: number;
  /** US$ for these tokens in and out; null when the model has no price. */
  readonly price: (inputTokens: number, outputTokens: number) => number | null;
}

/** The space of one review's questions. */
export interface QuestionBudget extends ReadingBudget {
  /** UTF-16 units for the sections about the pull request. */
  readonly contextChars: number;
  /** UTF-16 units for the code around the change. */
  readonly aroundChars: number;
  readonly replyTokens: number;
}

/**
 * Computes the space of the questions.
 *
 * @param usd US$ for this review, or Infinity; without a price it does not limit
 * @param around UTF-16 units of the code around the change, which is dropped first when the budget is short
 * @returns `charsPerCall` and `charsInAll` are 0 when the budget, or the context, is too small for a single question
 */
export function readingBudget(model: ModelMeasure, usd: number, around = 0): QuestionBudget {
  const replyTokens = Math.min(REPLY_TOKENS, Math.floor(model.contextTokens / 4));
  const usable = (model.contextTokens - replyTokens) * CHARS_PER_TOKEN * 0.9 - FRAME_CHARS;
  const contextChars = Math.floor(Math.min(CONTEXT_CHARS, Math.max(0, usable) * CONTEXT_PART));
  const aroundChars = Math.floor(Math.min(around, Math.max(0, usable) * AROUND_PART));
  const charsPerCall = Math.floor(Math.max(0, Math.min(CHARS_PER_CALL, usable - contextChars - aroundChars)));
  const budget = { contextChars, aroundChars, replyTokens };
  const cost = (chars: number) =>
    model.price(
      (FRAME_CHARS + contextChars + aroundChars + chars) / CHARS_PER_TOKEN,
      Math.min(USUAL_REPLY_TOKENS, replyTokens),
    );
  if (charsPerCall < LEAST_CHARS && around > 0) return readingBudget(model, usd);
  if (charsPerCall < LEAST_CHARS) return { ...budget, charsInAll: 0, charsPerCall: 0, mostCalls: 0 };
  const reading = affordable(charsPerCall, cost, usd * PART_FOR_READING);
  return reading.charsInAll === 0 && around > 0 ? readingBudget(model, usd) : { ...budget, ...reading };
}

/** Instructions and frame of the verification. */
const LOOK_FRAME_CHARS = 4_000;
const LOOK_CHARS = 100_000;
const LOOK_REPLY_TOKENS = 8_000;

/**
 * The space of a question that verifies findings.
 *
 * @returns UTF-16 units of findings and code, and tokens of the reply, thinking included; null when the context is too
 * small
 */
export function verifyBudget(contextTokens: number): { readonly chars: number; readonly replyTokens: number } | null {
  const replyTokens = Math.min(LOOK_REPLY_TOKENS, Math.floor(contextTokens / 4));
  const usable = (contextTokens - replyTokens) * CHARS_PER_TOKEN * 0.9 - LOOK_FRAME_CHARS;
  const chars = Math.floor(Math.min(LOOK_CHARS, usable));
  return chars < LEAST_LOOK_CHARS ? null : { chars, replyTokens };
}

/** Less does not fit a finding with its code. */
const LEAST_LOOK_CHARS = 4_000;

function affordable(charsPerCall: number, cost: (chars: number) => number | null, money: number): ReadingBudget {
  const full = cost(charsPerCall);
  const isFree = full === null || full === 0;
  const mostCalls = isFree ? MOST_QUESTIONS : Math.min(MOST_QUESTIONS, Math.floor(money / full));
  if (mostCalls >= 1) return { charsPerCall, charsInAll: mostCalls * charsPerCall, mostCalls };
  const empty = cost(0) ?? 0;
  const chars = Math.floor(((money - empty) / ((full ?? 0) - empty)) * charsPerCall);
  const least = chars < LEAST_CHARS ? 0 : chars;
  return { charsPerCall: least, charsInAll: least, mostCalls: 1 };
}
