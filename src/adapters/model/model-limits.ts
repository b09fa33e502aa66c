// How patient we are with a model's server.

/** Milliseconds, and counts. */
export interface ModelLimits {
  /** From the request to the first byte: the server reads the prompt. */
  readonly firstByteMs: number;
  /** The longest silence afterwards; Anthropic sends a ping every few seconds. */
  readonly idleMs: number;
  /** A whole attempt may take so long, and `msPerToken` more for each token asked for. */
  readonly attemptMs: number;
  readonly msPerToken: number;
  /** A question may take so long: all attempts, all waits and the repair together. */
  readonly overallMs: number;
  /** Attempts after the first. */
  readonly retries: number;
  /** The longest first wait; each later one may be twice as long. */
  readonly firstWaitMs: number;
  /** No wait is longer. A server that asks for more is a failure with `notBefore`: a job must not sleep for a day. */
  readonly maxWaitMs: number;
  /** So many failed attempts in a row, and the server is not asked for a while. */
  readonly breakAfter: number;
  readonly breakMs: number;
}

const RETRIES = { retries: 3, firstWaitMs: 1_000, maxWaitMs: 20_000, breakAfter: 5, breakMs: 30_000 };

/** Anthropic's own servers: at least 40 tokens a second, 30 s of silence mean a dead connection. */
export const ANTHROPIC_LIMITS: ModelLimits = {
  firstByteMs: 60_000,
  idleMs: 30_000,
  attemptMs: 60_000,
  msPerToken: 25,
  overallMs: 600_000,
  ...RETRIES,
};

/** Somebody's own machine: it reads a long prompt for minutes without a word, and writes 10 tokens a second. */
export const OTHER_LIMITS: ModelLimits = {
  firstByteMs: 300_000,
  idleMs: 120_000,
  attemptMs: 300_000,
  msPerToken: 100,
  overallMs: 1_800_000,
  ...RETRIES,
};
