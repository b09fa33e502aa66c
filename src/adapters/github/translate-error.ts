// GitHub's failures in our words: try later, or never.
import { RequestError } from "@octokit/request-error";
import { Transient } from "../../domain/transient.ts";
import { refusalIn } from "./guarded-fetch.ts";

/** GitHub's documents: without retry-after, wait at least a minute after a secondary rate limit. */
const SECONDARY_LIMIT_WAIT_MS = 60_000;
/** Nobody makes us wait longer than this; the job is looked at again. */
const MAX_WAIT_MS = 60 * 60_000;

/**
 * Runs `work`; what may succeed later (5xx, 429, rate limits, timeouts, broken connections) is thrown as `Transient`
 * with the time that GitHub named, anything else as it came.
 */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error, Date.now());
  }
}

/** The error as our code knows it. `now` is epoch milliseconds. */
export function translate(error: unknown, now: number): unknown {
  if (error instanceof Transient) return error;
  // Octokit takes it for a request that got no answer; another try would get none either.
  const refusal = refusalIn(error);
  if (refusal !== null) return refusal;
  if (error instanceof RequestError) return translateStatus(error, now);
  if (isBrokenConnection(error)) return new Transient(`GitHub did not answer: ${message(error)}`, null, error);
  return error;
}

function translateStatus(error: RequestError, now: number): unknown {
  const limited = isRateLimit(error);
  // Octokit reports a request that got no answer as status 500 without a response.
  if (error.status < 500 && !limited) return error;
  const wait = limited ? limitEnd(error, now) : null;
  return new Transient(`GitHub answered ${error.status} to ${route(error)}`, wait, error);
}

function isRateLimit(error: RequestError): boolean {
  if (error.status === 429) return true;
  const headers = error.response?.headers;
  return (
    error.status === 403 &&
    (headers?.["x-ratelimit-remaining"] === "0" ||
      headers?.["retry-after"] !== undefined ||
      /rate limit/i.test(error.message))
  );
}

function limitEnd(error: RequestError, now: number): number {
  const headers = error.response?.headers;
  const seconds = Number(headers?.["retry-after"]);
  if (Number.isFinite(seconds) && seconds >= 0) return now + Math.min(seconds * 1000, MAX_WAIT_MS);
  const reset = Number(headers?.["x-ratelimit-reset"]) * 1000;
  if (headers?.["x-ratelimit-remaining"] === "0" && Number.isFinite(reset)) {
    return Math.min(Math.max(reset, now), now + MAX_WAIT_MS);
  }
  return now + SECONDARY_LIMIT_WAIT_MS;
}

function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && ["AbortError", "TimeoutError"].includes(error.name));
}

/** Method and path, without query or body: what an operator needs, and nothing that could be secret. */
function route(error: RequestError): string {
  return `${error.request.method} ${new URL(error.request.url).pathname}`;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
