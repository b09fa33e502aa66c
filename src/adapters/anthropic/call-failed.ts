// Why a request to the model's server gave no reply, in words that are safe to log and to post.
import { APIError } from "@anthropic-ai/sdk";
import type { ModelFailure } from "../../domain/model.ts";

/** What a retry needs to know of a failed attempt. */
export interface FailureTurn {
  /** Another try may succeed. */
  readonly again: boolean;
  /** Counts for the circuit breaker: the server is busy, broken or gone, rather than unwilling to take this request. */
  readonly isOutage: boolean;
  /** Milliseconds that the server asks to be left alone for, or null. */
  readonly waitMs: number | null;
  /** What of the request the server does not know, so that it can be left out. */
  readonly unknown: readonly Feature[];
}

/** What only some servers and models take. */
export type Feature = "format" | "effort" | "thinking" | "cache";

/** The message is made of fixed words, status numbers and error codes: no key, no address, nothing that a server wrote. */
export class CallFailed extends Error {
  override readonly name = "CallFailed";
  readonly failure: ModelFailure;
  readonly turn: FailureTurn;

  constructor(failure: ModelFailure, message: string, turn: Partial<FailureTurn> = {}) {
    super(message);
    this.failure = failure;
    this.turn = { again: false, isOutage: false, waitMs: null, unknown: [], ...turn };
  }
}

/** @param now epoch milliseconds, to read a `retry-after` that is a date */
export function callFailed(error: unknown, now: number): CallFailed {
  if (error instanceof CallFailed) return error;
  if (error instanceof APIError && error.status !== undefined) return statusFailed(error, error.status, now);
  // An `error` event in the middle of a stream has no status of its own.
  if (error instanceof APIError && typeof error.type === "string") return eventFailed(error.type);
  return unreachable(error);
}

const WORDS: ReadonlyMap<number, { readonly failure: ModelFailure; readonly hint: string }> = new Map([
  [401, { failure: "denied", hint: "; check ANTHROPIC_API_KEY" }],
  [402, { failure: "denied", hint: "; the account has no credit" }],
  [403, { failure: "denied", hint: "; the key has no right to this model" }],
  [404, { failure: "rejected", hint: "; check KODIAI_MODEL, KODIAI_SMALL_MODEL and ANTHROPIC_BASE_URL" }],
  [408, { failure: "timeout", hint: "" }],
  [413, { failure: "too-long", hint: "; the request is too large" }],
  [429, { failure: "rate-limited", hint: "" }],
  [502, { failure: "unreachable", hint: "" }],
  [504, { failure: "timeout", hint: "" }],
]);
const AGAIN: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function statusFailed(error: APIError, status: number, now: number): CallFailed {
  const isOutage = AGAIN.has(status) || status >= 500;
  const asked = error.headers?.get("x-should-retry");
  const turn = { again: asked === "true" || (isOutage && asked !== "false"), isOutage, waitMs: waitOf(error, now) };
  const known = WORDS.get(status) ?? { failure: isOutage ? "overloaded" : "rejected", hint: "" };
  const said = serverWords(error);
  if (status !== 400 && status !== 422) {
    return new CallFailed(known.failure, `the model's server answered ${status}${typeOf(error)}${known.hint}`, turn);
  }
  if (TOO_LONG.test(said))
    return new CallFailed("too-long", `the model's server answered ${status}: the prompt is too long`);
  const where = /^([a-z_][a-z_.0-9]{1,60}): /.exec(said)?.[1];
  const place = where === undefined ? "" : ` about ${where}`;
  return new CallFailed("rejected", `the model's server answered ${status}${typeOf(error)}${place}`, {
    ...turn,
    unknown: unknownFeatures(said),
  });
}

/** The wordings of Anthropic, vLLM, llama.cpp and LiteLLM. */
const TOO_LONG =
  /prompt is too long|too many (?:input )?tokens|(?:exceeds?|maximum|larger than)[^.]{0,60}\bcontext|context (?:length|window|size)[^.]{0,40}exceed|exceed_context_size/i;

/** Only looked at, never repeated. */
function serverWords(error: APIError): string {
  const said = error.apiMessage ?? error.message;
  return typeof said === "string" ? said.slice(0, 4_000) : "";
}

/** Servers that check their input strictly name what they do not know; some only say that there was something. */
function unknownFeatures(said: string): readonly Feature[] {
  const named = FEATURES.filter(([, words]) => words.test(said)).map(([feature]) => feature);
  if (named.length > 0) return named;
  if (/output_config/i.test(said)) return ["format", "effort"];
  return /extra inputs|extra fields|unknown (?:field|param|name)|unrecognized|unexpected (?:field|key)/i.test(said)
    ? FEATURES.map(([feature]) => feature)
    : [];
}

const FEATURES: readonly (readonly [Feature, RegExp])[] = [
  ["thinking", /\bthinking\b/i],
  ["effort", /\beffort\b/i],
  ["cache", /\bcache_control\b/i],
  ["format", /output_config\.format|output_format|structured.outputs?|json.schema|compiled grammar/i],
];

function typeOf(error: APIError): string {
  return typeof error.type === "string" && /^[a-z_]{1,40}$/.test(error.type) ? ` (${error.type})` : "";
}

/** More than a week is not believed. */
const MAX_ASKED_MS = 7 * 24 * 60 * 60_000;

/** `retry-after-ms` is milliseconds, `retry-after` seconds or a date (RFC 9110, 10.2.3); whatever else they hold is not heeded. */
function waitOf(error: APIError, now: number): number | null {
  const exact = numberOf(error.headers?.get("retry-after-ms"));
  if (exact !== null) return exact;
  const coarse = error.headers?.get("retry-after");
  const seconds = numberOf(coarse);
  if (seconds !== null) return Math.min(seconds * 1000, MAX_ASKED_MS);
  const wait = Date.parse(coarse ?? "") - now;
  return wait >= 0 ? Math.min(wait, MAX_ASKED_MS) : null;
}

function numberOf(text: string | null | undefined): number | null {
  const value = /^\s{0,9}\d{1,15}(?:\.\d{1,9})?\s{0,9}$/.test(text ?? "") ? Number(text) : Number.NaN;
  return Number.isNaN(value) ? null : Math.min(value, MAX_ASKED_MS);
}

const EVENTS: ReadonlyMap<string, ModelFailure> = new Map([
  ["rate_limit_error", "rate-limited"],
  ["timeout_error", "timeout"],
  ["authentication_error", "denied"],
  ["permission_error", "denied"],
  ["billing_error", "denied"],
  ["invalid_request_error", "rejected"],
  ["not_found_error", "rejected"],
  ["request_too_large", "too-long"],
]);
const FINAL: ReadonlySet<ModelFailure> = new Set<ModelFailure>(["denied", "rejected", "too-long"]);

function eventFailed(type: string): CallFailed {
  const failure = EVENTS.get(type) ?? "overloaded";
  const word = /^[a-z_]{1,40}$/.test(type) ? type : "an error";
  const isOutage = !FINAL.has(failure);
  return new CallFailed(failure, `the model's server broke off with ${word}`, { again: isOutage, isOutage });
}

/** No answer at all, or one that breaks off. Of an unknown error only its code is told, since HTTP clients quote headers. */
function unreachable(error: unknown): CallFailed {
  const chain = [error, causeOf(error), causeOf(causeOf(error))];
  if (chain.some((one) => one instanceof Error && one.name === "EgressRefused")) {
    return new CallFailed("unreachable", "the model's server redirects elsewhere, which is not followed");
  }
  const code = chain.map(codeOf).find((one) => one !== null);
  const words = `no whole answer from the model's server${code === undefined ? "" : ` (${code})`}`;
  return new CallFailed("unreachable", words, { again: true, isOutage: true });
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : null;
}

function codeOf(error: unknown): string | null {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,39}$/.test(code) ? code : null;
}
