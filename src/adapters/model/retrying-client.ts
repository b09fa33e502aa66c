// Retries until an attempt succeeds or the retries are used up: waits between attempts, a circuit breaker around them.

import { setTimeout as wait } from "node:timers/promises";
import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleWhen } from "cockatiel";
import type { ModelUsage } from "../../domain/model.ts";
import { ModelError } from "./model-error.ts";
import type { ModelFacts, PaidTokens } from "./model-facts.ts";
import type { ModelLimits } from "./model-limits.ts";

/** Runs attempts. Rejects only with `ModelError`, like the attempts themselves. */
type RetryingClient = <T>(attempt: () => Promise<T>, signal: AbortSignal) => Promise<T>;

interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** 0 ≤ x < 1: spreads the waits of many processes. */
  readonly random: () => number;
}

/**
 * One for each server and process, because the circuit breaker has state. The breaker is cockatiel's; its retry is not used,
 * because a signal cannot end its waits and a stopped job would linger.
 */
export function retryingClient(limits: ModelLimits, clock: Clock): RetryingClient {
  let closedUntil = 0;
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof ModelError && error.turn.isOutage),
    { breaker: new ConsecutiveBreaker(limits.breakAfter), halfOpenAfter: limits.breakMs },
  );
  breaker.onBreak(() => {
    closedUntil = clock.now() + limits.breakMs;
  });

  async function once<T>(attempt: () => Promise<T>, before: ModelError | null, signal: AbortSignal): Promise<T> {
    if (signal.aborted) throw stop();
    const queue = stoppable(signal);
    try {
      // While one attempt probes a server that failed, the others wait for its outcome inside the breaker.
      const tried = breaker.execute(() => {
        queue.leave();
        return attempt();
      });
      return await Promise.race([tried, queue.stopped]);
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      // After an attempt, its own failure is reported rather than the open circuit.
      if (before !== null) throw new ModelError(before.failure, before.message, { waitMs: before.turn.waitMs });
      const words = "the model's server failed repeatedly and is left alone for a while";
      throw new ModelError("circuit-open", words, { waitMs: Math.max(closedUntil - clock.now(), 0) });
    } finally {
      queue.leave();
    }
  }

  return async (attempt, signal) => {
    let failed: ModelError | null = null;
    for (let turn = 0; ; turn++) {
      try {
        return await once(attempt, failed, signal);
      } catch (error) {
        failed = onlyIfAgain(error, limits.retries - turn);
      }
      const pause = failed.turn.waitMs ?? backoff(turn, limits, clock.random());
      if (pause > limits.maxWaitMs) throw failed;
      await pauseFor(pause, signal);
    }
  };
}

/** The failure, if a retry may help; all others are rethrown. */
function onlyIfAgain(error: unknown, attemptsLeft: number): ModelError {
  if (error instanceof ModelError && error.turn.again && attemptsLeft > 0) return error;
  throw error;
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal });
  } catch {
    throw stop();
  }
}

/** Exponential, with the upper half random. */
function backoff(turn: number, limits: ModelLimits, random: number): number {
  return Math.min(limits.firstWaitMs * 2 ** turn * (0.5 + random / 2), limits.maxWaitMs);
}

/** Rejects when the signal fires before `leave` was called. */
export function stoppable(signal: AbortSignal): { readonly stopped: Promise<never>; leave(): void } {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  stopped.catch(() => {});
  const giveUp = () => reject(stop());
  signal.addEventListener("abort", giveUp, { once: true });
  return { stopped, leave: () => signal.removeEventListener("abort", giveUp) };
}

function stop(): ModelError {
  return new ModelError("stopped", "the question was stopped");
}

// The cost of one question, all of its requests together.

export interface Bill {
  /** A request is sent. */
  request(): void;
  paid(tokens: PaidTokens): void;
  usage(): ModelUsage;
}

/** @param now epoch milliseconds; the bill's wall time begins here */
export function newBill(facts: ModelFacts, now: () => number): Bill {
  const start = now();
  let requests = 0;
  let usd = facts.price({ fresh: 0, cacheWrite: 0, cacheRead: 0, output: 0 });
  const sum = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  return {
    request() {
      requests++;
    },
    paid(tokens) {
      sum.inputTokens += tokens.fresh + tokens.cacheWrite + tokens.cacheRead;
      sum.cachedTokens += tokens.cacheRead;
      sum.outputTokens += tokens.output;
      const more = facts.price(tokens);
      usd = usd === null || more === null ? null : usd + more;
    },
    usage: () => ({ ...sum, usd, ms: now() - start, requests }),
  };
}
