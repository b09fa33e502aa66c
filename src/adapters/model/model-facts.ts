// Known facts about a model by its name: context, price, features.
import { knownModel, type ModelPrice } from "../../config/environment/known-models.ts";
import type { RetryLimits } from "../retrying-calls.ts";

/** Tokens of one HTTP request, as billed. */
export interface PaidTokens {
  /** Uncached input, without tokens written to the cache. */
  readonly fresh: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
  readonly output: number;
}

export interface ModelFacts {
  /** null: unknown. */
  readonly contextTokens: number | null;
  /** The maximum tokens of one reply; null: unknown. */
  readonly outputTokens: number | null;
  readonly effort: boolean;
  /** Turns thinking off as far as this model allows; null: it always thinks, or only on request. */
  readonly thinkingOff: "disabled" | "between_tools" | null;
  /** US$, or null without a known price. */
  price(tokens: PaidTokens): number | null;
}

interface Row extends Omit<ModelFacts, "price"> {
  readonly usd: readonly (Omit<PaidTokens, "fresh"> & { readonly input: number; readonly upToTokens: number | null })[];
}

const UNKNOWN: Row = { contextTokens: null, outputTokens: null, effort: true, thinkingOff: null, usd: [] };

/** Anthropic's price of writing to its cache, in prices of input. A read counts as input. */
const CACHE_WRITE = 1.25;

/** @param own the operator's price, which goes before that of the table */
export function modelFacts(name: string, own: ModelPrice | null = null): ModelFacts {
  const { usd: known, ...facts } = (knownModel(name) as Row | null) ?? UNKNOWN;
  const { input = 0 } = own ?? {};
  const cache = { cacheWrite: input * CACHE_WRITE, cacheRead: input };
  const usd = own === null ? known : [{ ...own, ...cache, upToTokens: null }];
  return {
    ...facts,
    price({ fresh, cacheWrite, cacheRead, output }) {
      // The size of the whole prompt decides the price of all its tokens.
      const prompt = fresh + cacheWrite + cacheRead;
      const price = usd.find(({ upToTokens }) => upToTokens === null || prompt <= upToTokens);
      if (price === undefined) return null;
      const millionths =
        fresh * price.input + cacheWrite * price.cacheWrite + cacheRead * price.cacheRead + output * price.output;
      return millionths / 1_000_000;
    },
  };
}

/** Timeouts (ms) and retries for a model's server. A longer wait fails with `notBefore`. */
export interface ModelLimits extends RetryLimits {
  /** From the request to the first byte, while the server reads the prompt. */
  readonly firstByteMs: number;
  /** The longest silence afterwards; Anthropic sends a ping every few seconds. */
  readonly idleMs: number;
  /** The limit of a whole attempt, plus `msPerToken` for each requested token. */
  readonly attemptMs: number;
  readonly msPerToken: number;
  /** The limit of a question: all attempts, all waits and the repair together. */
  readonly overallMs: number;
}

const RETRIES: RetryLimits = {
  retries: 3,
  firstWaitMs: 1_000,
  maxWaitMs: 20_000,
  longerWait: "fail",
  breakAfter: 5,
  breakMs: 30_000,
};

/** Anthropic's servers: at least 40 tokens a second; 30 s of silence are a dead connection. */
export const ANTHROPIC_LIMITS: ModelLimits = {
  firstByteMs: 60_000,
  idleMs: 30_000,
  attemptMs: 60_000,
  msPerToken: 25,
  overallMs: 600_000,
  ...RETRIES,
};

/** A local machine: minutes of silence over a long prompt, then 10 tokens a second. */
export const OTHER_LIMITS: ModelLimits = {
  firstByteMs: 300_000,
  idleMs: 120_000,
  attemptMs: 300_000,
  msPerToken: 100,
  overallMs: 1_800_000,
  ...RETRIES,
};
