// GitHub's failures as our error types: retry later, or never.

import { RequestError } from "@octokit/request-error";
import { LeaseLost, OutOfReach, type Reach, Transient } from "../../domain/errors.ts";
import { cutText, oneLine } from "../../domain/text/cut-text.ts";
import { connectionCause } from "../connection-cause.ts";
import { EgressRefused, type GuardedFetch, refusalIn } from "./guarded-fetch.ts";

/** GitHub's documents: without retry-after, wait at least a minute after a secondary rate limit. */
const SECONDARY_LIMIT_WAIT_MS = 60_000;
/** The longest wait; afterwards the job is tried again. */
const MAX_WAIT_MS = 60 * 60_000;
/** Characters of GitHub's reason. */
const SENTENCE = 200;
/** GitHub counts in whole seconds, and the named second is not over when it begins. */
const ROUNDING_MS = 1_000;

/**
 * Runs `work`. A failure that may pass (5xx, 429, rate limits, a diff that is not ready, timeouts,
 * broken connections) is thrown as `Transient` with the time that GitHub named, a permanent one
 * (401, 403, 404, 410, 451) as `OutOfReach`, anything else unchanged.
 */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error, Date.now());
  }
}

/** A port whose methods all run in `translated`. */
export function translatedMethods<Port extends object>(port: Port): Port {
  type Method = (...parameters: readonly unknown[]) => Promise<unknown>;
  const methods = Object.entries(port as Readonly<Record<string, Method>>).map(
    ([name, method]) => [name, (...given: readonly unknown[]) => translated(async () => method(...given))] as const,
  );
  return Object.fromEntries(methods) as Port;
}

/** The error as one of our types. `now` is epoch milliseconds. */
export function translate(error: unknown, now: number): unknown {
  if (isOurs(error)) return error;
  // Errors of our own fetch come back wrapped.
  if (error instanceof Error && isOurs(error.cause)) return error.cause;
  // Octokit treats it as a request without an answer; a retry would get none either.
  const refusal = refusalIn(error);
  if (refusal !== null) return refusal;
  if (error instanceof RequestError) return translateStatus(error, now);
  const [status, why] = GRAPHQL_REACH.find(([, , type]) => errorTypes(error).includes(type)) ?? [];
  if (status !== undefined && why !== undefined)
    return new OutOfReach(why, status, `GitHub answered ${status} to a GraphQL query`, error);
  return isBroken(error) ? unreached("", error) : error;
}

/** An error without an answer. The client's are TypeErrors, and so are mistakes of ours. */
function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError)
    return error.cause instanceof Error || /^(?:fetch failed|terminated)$/.test(error.message);
  return error.name === "AbortError" || error.name === "TimeoutError";
}

/** @param where ` at HOST`, or "" where it is not known */
function unreached(where: string, error: unknown): Transient {
  return new Transient(`GitHub could not be reached${where}: ${connectionCause(error)}`, null, error);
}

/** GraphQL's error types with the status of REST. */
const GRAPHQL_REACH = [
  [404, "missing", "NOT_FOUND"],
  [403, "refused", "FORBIDDEN"],
  [403, "refused", "INSUFFICIENT_SCOPES"],
] as const satisfies readonly (readonly [status: number, why: Reach, type: string])[];

/** True for errors of our own code before a request was sent. */
export function wasNeverSent(error: unknown): boolean {
  return isOurs(error) || (error instanceof Error && isOurs(error.cause));
}

function isOurs(error: unknown): boolean {
  return [Transient, OutOfReach, LeaseLost, EgressRefused].some((kind) => error instanceof kind);
}

function translateStatus(error: RequestError, now: number): unknown {
  // Octokit reports a request without an answer as status 500 without a response.
  if (error.response === undefined && error.status >= 500)
    return unreached(` at ${new URL(error.request.url).host}`, error);
  const message = `GitHub answered ${error.status} to ${route(error)}`;
  const wait = limitWait(error, now);
  if (wait !== null) return new Transient(message, now + wait.ms, error);
  if (error.status >= 500 || error.status === 408 || isNotReady(error)) return new Transient(message, null, error);
  const why = reachOf(error);
  return why === null ? error : new OutOfReach(why, error.status, `${message}${sentenceOf(error)}`, error);
}

/** GitHub's own reason ("Repository was archived so is read-only."); "" for "Not Found". */
function sentenceOf({ response }: RequestError): string {
  const { message } = (response?.data ?? {}) as Entry;
  const isReason = typeof message === "string" && /\s/.test(message.trim()) && message !== "Not Found";
  return isReason ? `: ${cutText(oneLine(message), SENTENCE)}` : "";
}

/** True while GitHub is still making a diff. */
export function isNotReady(error: unknown): boolean {
  return (
    error instanceof RequestError &&
    refusedBy(error, /diff is (?:taking too long to generate|temporarily unavailable)/i, "not_available")
  );
}

function reachOf({ status, message }: RequestError): Reach | null {
  if (status === 404 || status === 410 || status === 451) return "missing";
  if (status === 401) return "unauthorised";
  if (status !== 403) return null;
  return /suspended/i.test(message) ? "suspended" : "refused";
}

/**
 * How long GitHub asks us to wait, one second to an hour; null if this is no rate limit. `of`:
 * which of the installation's requests; `other` is one kind of REST's, as searches.
 */
export function limitWait(error: RequestError, now: number) {
  if (!isRateLimit(error)) return null;
  const headers = error.response?.headers ?? {};
  const resource = headers["x-ratelimit-resource"];
  const isPrimary = headers["x-ratelimit-remaining"] === "0";
  const isAll = !isPrimary || resource === undefined || resource === "core";
  const part = resource === "graphql" ? "graphql" : "other";
  const of: "all" | typeof part = isAll ? "all" : part;
  const named = afterSeconds(headers["retry-after"]) ?? (isPrimary ? untilReset(headers, now) : null);
  return { ms: Math.min((named ?? SECONDARY_LIMIT_WAIT_MS) + ROUNDING_MS, MAX_WAIT_MS), of };
}

const THROTTLED = /submitted too quickly|rate limit|abuse detection/i;

function isRateLimit(error: RequestError): boolean {
  if (error.status === 429 || refusedBy(error, THROTTLED, "abuse")) return true;
  const headers = error.response?.headers;
  return (
    error.status === 403 &&
    (headers?.["x-ratelimit-remaining"] === "0" ||
      headers?.["retry-after"] !== undefined ||
      /rate limit/i.test(error.message))
  );
}

/** Null for anything but a number of seconds. */
function afterSeconds(header: unknown): number | null {
  const text = String(header ?? "").trim();
  return /^\d{1,12}(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : null;
}

/** By GitHub's clock, if given: ours may be wrong. 0 for a past time; null for garbage. */
function untilReset(headers: Readonly<Record<string, unknown>>, now: number): number | null {
  const seconds = afterSeconds(headers["x-ratelimit-reset"]);
  if (seconds === null || seconds === 0) return null;
  const serverNow = Date.parse(String(headers.date ?? ""));
  return Math.max(0, seconds - (Number.isFinite(serverNow) ? serverNow : now));
}

/** Method and path, without query or body, which might be secret. */
function route(error: RequestError): string {
  return `${error.request.method} ${new URL(error.request.url).pathname}`;
}

/** An error of GitHub's answer; entries of its `errors` may also be plain texts. */
interface Entry {
  readonly code?: unknown;
  readonly message?: unknown;
}

/**
 * Whether GitHub answered 422 with such a message or error code: the status alone does not
 * distinguish throttling, a diff that is not ready and a line outside the diff. The recorded forms,
 * with their sources, are in test/fakes/github/refusals.ts.
 */
function refusedBy(error: RequestError, words: RegExp, code: string): boolean {
  if (error.status !== 422) return false;
  const data = error.response?.data as (Entry & { readonly errors?: unknown }) | undefined;
  const errors: readonly unknown[] = Array.isArray(data?.errors) ? data.errors : [];
  const entries = errors.map((error): Entry => (typeof error === "object" ? (error ?? {}) : { message: error }));
  return [...entries, { message: data?.message ?? error.message }].some(
    (entry: Entry) => entry.code === code || words.test(String(entry.message ?? "")),
  );
}

// GraphQL answers 200 where REST refuses. Rate limits and timeouts get the status that REST would
// give them, so that translate-error.ts handles both; other errors keep their type.

interface GraphqlError {
  readonly type?: string;
  readonly message?: string;
}

/** Documented, and observed (octokit/plugin-throttling.js, issue 824). */
const PRIMARY_LIMIT: ReadonlySet<unknown> = new Set(["RATE_LIMITED", "RATE_LIMIT"]);
/** docs.github.com, "Rate limits and query limits for the GraphQL API", "Troubleshooting". */
const SECONDARY_LIMIT = /secondary rate limit|abuse detection/i;
const TIMEOUT = /something went wrong while executing your query|couldn't respond to your request in time/i;

/**
 * The same fetch, whose GraphQL answers have REST's status if GitHub refuses for now: 403 for a
 * rate limit (with `x-ratelimit-remaining: 0` for the primary one, even if some is left), 502 for a
 * timeout. The body becomes REST's `{message}`.
 */
export function restStatuses(fetch: GuardedFetch): GuardedFetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 200 || !/\/graphql$/.test(String(input))) return response;
    const answer: unknown = await response.clone().json();
    // A secondary limit may also come with REST's body.
    const errors = [...errorsOf(answer), (answer ?? {}) as GraphqlError];
    const refused = errors.find(({ message = "" }) => TIMEOUT.test(message) || SECONDARY_LIMIT.test(message));
    const exceeded = errors.find(({ type }) => PRIMARY_LIMIT.has(type));
    const error = exceeded ?? refused;
    if (error === undefined) return response;
    const headers = { ...Object.fromEntries(response.headers), ...(exceeded && { "x-ratelimit-remaining": "0" }) };
    const status = exceeded === undefined && TIMEOUT.test(error.message ?? "") ? 502 : 403;
    // Node's own class and the client's differ in name only.
    return Response.json({ message: error.message }, { status, headers }) as unknown as typeof response;
  };
}

/** Such as `NOT_FOUND`; empty for any error but a GraphQL answer's. */
function errorTypes(error: unknown): readonly string[] {
  if (!(error instanceof Error && error.name === "GraphqlResponseError")) return [];
  return errorsOf(error).flatMap(({ type }) => type ?? []);
}

function errorsOf(answer: unknown): readonly GraphqlError[] {
  const { errors } = (answer ?? {}) as { readonly errors?: unknown };
  return Array.isArray(errors) ? (errors as readonly GraphqlError[]) : [];
}
