// Reads from a refusal how long a reply may be.

import { estimatedTokens } from "../../domain/model.ts";
import type { ServerWords } from "../server-words.ts";
import type { RequestBody } from "./protocol.ts";

/** In tokens. */
export interface Size {
  /** The longest reply that the server takes; null when the prompt alone is too long. */
  readonly replyTokens: number | null;
  /** The window for prompt and reply together; null when it was not named. */
  readonly contextTokens: number | null;
}

/** Names that the limit of a reply has on various servers. */
const LIMIT = /max(?:imum)?[_ ]?(?:completion|output|new)?[_ ]?tokens|(?:completion|output) tokens/i;
/** Whole numbers, with commas or without; those in names, such as `gpt-4-0613`, are none. */
const NUMBER = /(?<![\w.-])\d{1,3}(?:,\d{3})+(?![\w-])|(?<![\w.-])\d+(?![\w-]|\.\d)/g;
const N = "(\\d[\\d,]*)";
const WINDOW = [
  `context (?:length|window|size|limit)[^\\d]{0,40}${N}`,
  `${N} maximum context`,
  `${N}[- ]tokens?\\s+context`,
  `context[^\\d]{0,60}${N}`,
  `maximum (?:prompt|model|input|sequence) length[^\\d]{0,20}${N}`,
  `max_(?:num_tokens|seq_len|model_len)[^\\d]{0,20}${N}`,
  `(?:model|input) token limit[^\\d]{0,20}${N}`,
  `input length should be \\[\\d{1,9}, ?${N}`,
  `must have less than ${N} tokens`,
].map((text) => new RegExp(text, "i"));
const PROMPT = [
  `${N} (?:input|prompt) tokens`,
  `${N}(?: tokens)? (?:in|from|of) (?:the |your )?(?:input |text )?(?:messages?|prompt|input)`,
  `messages resulted in[^\\d]{0,20}${N}`,
  `(?:prompt|input)[^\\d]{0,30}${N}`,
].map((text) => new RegExp(text, "i"));
/** Shorter replies hold no review. */
const LEAST_REPLY = 256;
/** No window, and no prompt of ours, is smaller. */
const LEAST_SIZE = 64;
/** Tokens between the server's count and its limit. */
const SPARE = 32;

/**
 * The size that a refusal names.
 *
 * @param asked the refused request
 * @returns null when the refusal is not about size, or names none
 */
export function fittingSize(
  { sentence, params }: Pick<ServerWords, "sentence" | "params">,
  asked: RequestBody,
): Size | null {
  const numbers = [...sentence.matchAll(NUMBER)].map(([text]) => numberIn(text)).filter((one) => one >= LEAST_SIZE);
  const repeatsOurs = numbers.includes(asked.maxTokens);
  const isAboutReply = repeatsOurs || LIMIT.test(sentence) || params.some((param) => LIMIT.test(param));
  const others = [...new Set(numbers)].filter(
    (one) => one !== asked.maxTokens && !numbers.includes(one - asked.maxTokens),
  );
  const [largest, second] = others.toSorted((a, b) => b - a);
  if (repeatsOurs && largest !== undefined && second !== undefined && second + asked.maxTokens > largest)
    return within(largest, second);
  const window = firstOf(WINDOW, sentence);
  if (window !== null) {
    // A server that does not count the prompt leaves it to us.
    const ours = estimatedTokens(JSON.stringify(asked.prompt).length);
    const prompt = firstOf(PROMPT, sentence) ?? (isAboutReply ? ours : window);
    return within(window, prompt);
  }
  if (!isAboutReply) return null;
  const most = Math.max(0, ...numbers.filter((number) => number < asked.maxTokens));
  return most >= LEAST_REPLY ? { replyTokens: most, contextTokens: null } : null;
}

function within(contextTokens: number, prompt: number): Size {
  const room = contextTokens - prompt - SPARE;
  return { replyTokens: room < LEAST_REPLY ? null : room, contextTokens };
}

function firstOf(patterns: readonly RegExp[], text: string): number | null {
  for (const pattern of patterns) {
    const [, found] = pattern.exec(text) ?? [];
    if (found !== undefined && numberIn(found) >= LEAST_SIZE) return numberIn(found);
  }
  return null;
}

function numberIn(text: string): number {
  return Number(text.replaceAll(",", ""));
}
