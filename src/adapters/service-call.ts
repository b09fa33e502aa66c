// Calls an embedding or reranking service: a deadline for each attempt, retries, a circuit breaker.
import { TaskCancelledError, TimeoutStrategy, timeout } from "cockatiel";
import { retryAfterMs } from "./retry-after.ts";
import { type RetryLimits, retryingCalls } from "./retrying-calls.ts";
import { connectionFailure, ServiceFailed, statusFailure } from "./service-failed.ts";
import { boundedFetch, type Fetch, type Question } from "./service-fetch.ts";

export interface ServiceLimits extends RetryLimits {
  /** The limit of one attempt in milliseconds, to the last byte. */
  readonly attemptMs: number;
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
  longerWait: "cut",
  breakAfter: 4,
  breakMs: 30_000,
};

/** Runs attempts until one succeeds or the retries are used up. Throws only `ServiceFailed`. */
export type ServiceCall = <T>(attempt: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** One for each service and process, because the circuit breaker has state. */
export function serviceCall(limits: Partial<ServiceLimits>, now: () => number): ServiceCall {
  const all = { ...SERVICE_LIMITS, ...limits };
  const deadline = timeout(all.attemptMs, TimeoutStrategy.Aggressive);
  const failed = () => new ServiceFailed("the service failed repeatedly and is left alone for a while");
  const calls = retryingCalls(all, { now, random: Math.random }, { open: failed, stopped: failed });
  const { signal } = new AbortController();

  async function once<T>(attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await deadline.execute(({ signal }) => attempt(signal));
    } catch (error) {
      throw error instanceof TaskCancelledError
        ? new ServiceFailed(`the service did not answer within ${all.attemptMs} ms`, { again: true })
        : connectionFailure(error);
    }
  }

  return (attempt) => calls(() => once(attempt), signal);
}

/** The text of a successful answer. Rejects with `ServiceFailed`, and with the errors of `fetch`. */
export async function postToService(
  { fetch, now }: { readonly fetch: Fetch; readonly now: () => number },
  question: Question,
): Promise<string> {
  const failed = (why: "redirect" | "too large" | "not an answer") => new ServiceFailed(NOT_TAKEN[why]);
  const response = await boundedFetch(fetch, question, { failed });
  if (!response.ok) throw statusFailure(response.status, retryAfterMs(response.headers.get("retry-after"), now()));
  return response.text();
}

const NOT_TAKEN = {
  redirect: "the service answered with a redirect, which is not followed",
  "too large": "the service's answer is too large",
  "not an answer": "the service answered with a status that HTTP does not have",
};
