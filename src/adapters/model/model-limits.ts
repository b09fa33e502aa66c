// Timeouts and retries for a model's server.
import type { RetryLimits } from "../retrying-calls.ts";

/** Milliseconds, and counts. A server that asks for a longer wait is a failure with `notBefore`. */
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

/** Anthropic's own servers: at least 40 tokens a second, and 30 s of silence mean a dead connection. */
export const ANTHROPIC_LIMITS: ModelLimits = {
  firstByteMs: 60_000,
  idleMs: 30_000,
  attemptMs: 60_000,
  msPerToken: 25,
  overallMs: 600_000,
  ...RETRIES,
};

/** A local machine: it may read a long prompt for minutes in silence, and writes 10 tokens a second. */
export const OTHER_LIMITS: ModelLimits = {
  firstByteMs: 300_000,
  idleMs: 120_000,
  attemptMs: 300_000,
  msPerToken: 100,
  overallMs: 1_800_000,
  ...RETRIES,
};
