// Calls a service that may be slow, busy or down: a deadline for each attempt, retries with backoff, a circuit breaker.
import {
  BrokenCircuitError,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleWhen,
  type IRetryBackoffContext,
  retry,
  TaskCancelledError,
  TimeoutStrategy,
  timeout,
} from "cockatiel";
import { retryAfterMs } from "./retry-after.ts";
import { connectionFailure, ServiceFailed } from "./service-failed.ts";

/** Milliseconds, and counts. */
export interface ServiceLimits {
  /** The limit of one attempt, to the last byte. */
  readonly attemptMs: number;
  /** Attempts after the first. */
  readonly retries: number;
  /** The longest first wait; each later one may be twice as long. */
  readonly firstWaitMs: number;
  /** The longest wait, even if the service asks for more: a job must not sleep for a day. */
  readonly maxWaitMs: number;
  /** After this many consecutive failures the circuit breaker opens. */
  readonly breakAfter: number;
  readonly breakMs: number;
}

/**
 * 10 s and 3 retries are what Kodiai promises for embeddings. At worst a call takes 4 × 10 s and 3 × 8 s; its four failures open the
 * circuit, and for half a minute every further call fails at once.
 */
const SERVICE_LIMITS: ServiceLimits = {
  attemptMs: 10_000,
  retries: 3,
  firstWaitMs: 500,
  maxWaitMs: 8_000,
  breakAfter: 4,
  breakMs: 30_000,
};

/** Runs attempts until one succeeds or the retries are used up. Throws only `ServiceFailed`. */
export type ServiceCall = <T>(attempt: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * One for each service and process, because the circuit breaker has state.
 *
 * @param now epoch milliseconds, to read a `retry-after` that is a date
 */
export function serviceCall(limits: Partial<ServiceLimits>, now: () => number): ServiceCall {
  const all = { ...SERVICE_LIMITS, ...limits };
  const deadline = timeout(all.attemptMs, TimeoutStrategy.Aggressive);
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof ServiceFailed && !error.refused),
    { breaker: new ConsecutiveBreaker(all.breakAfter), halfOpenAfter: all.breakMs },
  );
  const retries = retry(
    handleWhen((error) => error instanceof ServiceFailed && error.again),
    { maxAttempts: all.retries, backoff: new DelegateBackoff((context) => waitMs(context, all, now())) },
  );

  async function once<T>(attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await deadline.execute(({ signal }) => attempt(signal));
    } catch (error) {
      throw error instanceof TaskCancelledError
        ? new ServiceFailed(`the service did not answer within ${all.attemptMs} ms`, { again: true })
        : connectionFailure(error);
    }
  }

  return async (attempt) => {
    try {
      return await retries.execute(() => breaker.execute(() => once(attempt)));
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      throw new ServiceFailed("the service failed repeatedly and is left alone for a while", { again: false });
    }
  };
}

/** The wait that the service asks for, else exponential with the upper half random; never longer than the cap. */
function waitMs(context: IRetryBackoffContext<unknown>, limits: ServiceLimits, now: number): number {
  const error = "error" in context.result ? context.result.error : null;
  const asked = error instanceof ServiceFailed ? retryAfterMs(error.retryAfter, now) : null;
  const longest = limits.firstWaitMs * 2 ** (context.attempt - 1);
  return Math.min(asked ?? longest * (0.5 + Math.random() / 2), limits.maxWaitMs);
}
