// Calls a server that may be slow, busy or down: with retries, waits and a circuit breaker.

import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleWhen } from "cockatiel";
import { ServiceFailed } from "./service-failed.ts";

/** Milliseconds, and counts. */
export interface RetryLimits {
  /** Attempts after the first. */
  readonly retries: number;
  /** The longest first wait; each later one may be twice as long. */
  readonly firstWaitMs: number;
  /** The longest wait: a job must not sleep for a day. */
  readonly maxWaitMs: number;
  /** When a server asks for a longer wait: fail at once, or wait no longer than `maxWaitMs`. */
  readonly longerWait: "fail" | "cut";
  /** After this many consecutive outages the circuit breaker opens. */
  readonly breakAfter: number;
  readonly breakMs: number;
}

interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** 0 ≤ x < 1: spreads the waits of many processes. */
  readonly random: () => number;
}

interface Errors {
  /** The circuit breaker let no attempt through, and will not for so many milliseconds. */
  open(waitMs: number): ServiceFailed;
  /** The signal ended a wait. */
  stopped(): ServiceFailed;
}

/**
 * Runs attempts until one succeeds or the retries (those of the limits, if not given) are used up.
 * Rejects like the attempts, or with one of `Errors`.
 *
 * One for each server and process: the circuit breaker has state. It is cockatiel's; its retry is
 * not used, because a signal cannot end its waits and a stopped job would linger.
 */
export function retryingCalls(limits: RetryLimits, clock: Clock, errors: Errors) {
  let closedUntil = 0;
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof ServiceFailed && error.turn.isOutage),
    { breaker: new ConsecutiveBreaker(limits.breakAfter), halfOpenAfter: limits.breakMs },
  );
  breaker.onBreak(() => {
    closedUntil = clock.now() + limits.breakMs;
  });

  /** While one attempt probes a failed server, the others wait for its outcome in the breaker. */
  async function once<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (signal.aborted) throw errors.stopped();
    const queue = untilStopped(signal, errors.stopped);
    try {
      const tried = breaker.execute(() => {
        queue.leave();
        return attempt();
      });
      return await Promise.race([tried, queue.stopped]);
    } finally {
      queue.leave();
    }
  }

  return async <T>(attempt: () => Promise<T>, signal: AbortSignal, retries = limits.retries): Promise<T> => {
    let failed: ServiceFailed | null = null;
    for (let turn = 0; ; turn++) {
      try {
        return await once(attempt, signal);
      } catch (error) {
        // After an attempt, its own failure is reported rather than the open circuit.
        if (error instanceof BrokenCircuitError) throw failed ?? errors.open(Math.max(closedUntil - clock.now(), 0));
        if (!(error instanceof ServiceFailed && error.turn.again) || turn >= retries) throw error;
        failed = error;
      }
      const waitMs = failed.turn.waitMs ?? backoff(turn, limits, clock.random());
      if (waitMs > limits.maxWaitMs && limits.longerWait === "fail") throw failed;
      await pause(Math.min(waitMs, limits.maxWaitMs), untilStopped(signal, errors.stopped));
    }
  };
}

/** Exponential, with the upper half random. */
function backoff(turn: number, { firstWaitMs, maxWaitMs }: RetryLimits, random: number): number {
  return Math.min(firstWaitMs * 2 ** turn * (0.5 + random / 2), maxWaitMs);
}

async function pause(ms: number, { stopped, leave }: ReturnType<typeof untilStopped>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([promise, stopped]);
  } finally {
    clearTimeout(timer);
    leave();
  }
}

/** `stopped` rejects when the signal has fired, or fires before `leave` was called. */
export function untilStopped(signal: AbortSignal, error: () => Error) {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  stopped.catch(() => {});
  const giveUp = () => reject(error());
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  return { stopped, leave: () => signal.removeEventListener("abort", giveUp) };
}

/** A wait of more than a week is cut to it. */
const MAX_ASKED_MS = 7 * 24 * 60 * 60_000;

/**
 * The wait that a server asks for in `retry-after`: seconds, or a date (RFC 9110, 10.2.3).
 *
 * @param now epoch milliseconds
 * @returns milliseconds, at most a week; null for other values and past dates
 */
export function retryAfterMs(text: string | null, now: number): number | null {
  const seconds = numberOf(text);
  const wait = seconds === null ? Date.parse(text ?? "") - now : seconds * 1000;
  return wait >= 0 ? Math.min(wait, MAX_ASKED_MS) : null;
}

/** A number of a header, at most the milliseconds of a week; null for anything else. */
export function numberOf(text: string | null): number | null {
  const isNumber = /^\s{0,9}\d{1,15}(?:\.\d{1,9})?\s{0,9}$/.test(text ?? "");
  return isNumber ? Math.min(Number(text), MAX_ASKED_MS) : null;
}
