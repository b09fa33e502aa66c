// Why a request to the model's server gave no reply, in words that are safe to log and to post.

import type { ModelFailure } from "../../domain/model.ts";
import { numberOf, retryAfterMs } from "../retrying-calls.ts";
import { codeOf, type FailureTurn, ServiceFailed } from "../service-failed.ts";
import { type Feature, fieldsOf, jsonOf, type Protocol, textOf } from "./protocol.ts";

/** A failure is no outage unless it says so. */
export class ModelError extends ServiceFailed {
  override readonly name = "ModelError";
  readonly failure: ModelFailure;
  /** Features of the request that the server does not support, so that they can be left out. */
  readonly unknown: readonly Feature[];

  constructor(
    failure: ModelFailure,
    message: string,
    { unknown = [], ...turn }: Partial<FailureTurn> & { readonly unknown?: readonly Feature[] } = {},
  ) {
    super(message, { isOutage: false, ...turn });
    this.failure = failure;
    this.unknown = unknown;
  }
}

/** Converts any error of a request. */
export function modelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  // Both SDKs throw mid-stream errors with a type or code; a failed connection has neither.
  const { type, code } = (error instanceof Error ? fieldsOf(error) : null) ?? {};
  if (typeof type === "string") return eventFailed(type);
  if (typeof code === "number") return eventFailed(EVENT_OF_STATUS.get(code) ?? "api_error");
  if (typeof code === "string" && EVENTS.has(code)) return eventFailed(code);
  return unreachable(error);
}

const FAILURES: ReadonlyMap<number, ModelFailure> = new Map([
  [401, "denied"],
  [402, "denied"],
  [403, "denied"],
  [404, "rejected"],
  [408, "timeout"],
  [413, "too-long"],
  [429, "rate-limited"],
  [502, "unreachable"],
  [504, "timeout"],
]);
const AGAIN: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function hintOf(status: number, { keyVariable, urlVariable }: Protocol): string {
  if (status === 401) return `; check ${keyVariable}`;
  if (status === 402) return "; the account has no credit";
  if (status === 403) return "; the key has no right to this model";
  if (status === 404) return `; check KODIAI_MODEL, KODIAI_SMALL_MODEL and ${urlVariable}`;
  return status === 413 ? "; the request is too large" : "";
}

/**
 * A server's answer instead of a reply.
 *
 * @param text its whole body: inspected, never repeated
 * @param now epoch milliseconds, to read a `retry-after` that is a date
 */
export function refusedBy({ status, headers }: Response, text: string, now: number, protocol: Protocol): ModelError {
  const parsed = serverWords(text);
  const answered = `the model's server answered ${status}`;
  const isOutage = AGAIN.has(status) || status >= 500;
  const asked = headers.get("x-should-retry");
  const turn = {
    again: asked === "true" || (isOutage && asked !== "false"),
    isOutage,
    waitMs: numberOf(headers.get("retry-after-ms")) ?? retryAfterMs(headers.get("retry-after"), now),
  };
  const failure = FAILURES.get(status) ?? (isOutage ? "overloaded" : "rejected");
  if (NO_CREDIT.test(`${parsed.type} ${parsed.code}`))
    return new ModelError("denied", `${answered}${hintOf(402, protocol)}`);
  const unknown = unknownFeatures(status, parsed.words);
  if (unknown.length > 0)
    return new ModelError("rejected", `${answered}${kindOf(parsed)}${placeOf(parsed)}`, { unknown });
  if (status !== 400 && status !== 422)
    return new ModelError(failure, `${answered}${kindOf(parsed)}${hintOf(status, protocol)}`, turn);
  if (TOO_LONG.test(parsed.words)) return new ModelError("too-long", `${answered}: the prompt is too long`);
  if (WRONG_KEY.test(parsed.words)) return new ModelError("denied", `${answered}${hintOf(401, protocol)}`);
  if (NO_MODEL.test(`${parsed.code} ${parsed.words}`))
    return new ModelError("rejected", `${answered}${hintOf(404, protocol)}`);
  if (parsed.code === "content_filter")
    return new ModelError("refused", `${answered}: a content filter refused the question`);
  return new ModelError("rejected", `${answered}${kindOf(parsed)}${placeOf(parsed)}`, turn);
}

/** OpenAI answers 429 also if the account has no credit: waiting does not help. */
const NO_CREDIT = /\binsufficient_quota\b|\bbilling_/;
/** Google's endpoint answers a wrong key with 400. */
const WRONG_KEY = /\bapi key not valid|invalid api key/i;
/** LM Studio and vLLM answer 400 as well as 404. */
const NO_MODEL = /\bmodel_not_found\b|\bmodel\b[^.]{0,200}\b(?:does not exist|not found|is not loaded)\b/i;

/** The messages of Anthropic, OpenAI, vLLM, llama.cpp and LiteLLM. */
const TOO_LONG =
  /prompt is too long|too many (?:input )?tokens|(?:exceeds?|maximum|larger than)[^.]{0,60}\bcontext|context (?:length|window|size)[^.]{0,40}exceed|exceed_context_size|context_length_exceeded|input token count[^.]{0,40}exceeds/i;

/** The content of an error body. */
interface ServerWords {
  readonly type: string;
  readonly code: string;
  /** The message and the parameter that it names. */
  readonly words: string;
  readonly param: string;
}

/** The error of Anthropic and OpenAI, bare or in the list that Google's endpoint wraps it in. */
function serverWords(text: string): ServerWords {
  // Null for an HTML page, and for plain text.
  const value = jsonOf(text);
  const top = fieldsOf(Array.isArray(value) ? value[0] : value);
  const error = fieldsOf(top?.error) ?? top;
  const message = textOf(error?.message) || textOf(top?.error) || text;
  const param = textOf(error?.param);
  return {
    type: textOf(error?.type),
    code: textOf(error?.code),
    words: `${param} ${message}`.trim().slice(0, 4_000),
    param: param || (/^([a-z_][a-z_.0-9]{1,60}): /.exec(message)?.[1] ?? ""),
  };
}

function kindOf({ type }: ServerWords): string {
  return /^[a-z_]{1,40}$/.test(type) ? ` (${type})` : "";
}

function placeOf({ param }: ServerWords): string {
  return /^[a-z_][a-z_.0-9[\]]{1,60}$/.test(param) ? ` about ${param}` : "";
}

/** Strict servers name the fields that they do not know; some only report that there was one. */
function unknownFeatures(status: number, message: string): readonly Feature[] {
  if ((status !== 400 && status !== 422) || TOO_LONG.test(message)) return [];
  const named = FEATURES.filter(([, words]) => words.test(message)).map(([feature]) => feature);
  if (named.length > 0) return named;
  if (/output_config/i.test(message)) return ["format", "effort"];
  return /extra inputs|extra fields|unknown (?:field|param|name)|unrecognized|unexpected (?:field|key)/i.test(message)
    ? ["format", "json", "effort", "thinking", "cache", "usage"]
    : [];
}

const FORMAT =
  /output_config\.format|output_format|structured.outputs?|json.schema|compiled grammar|response_format|response mime type|json mode/i;

const FEATURES: readonly (readonly [Feature, RegExp])[] = [
  ["thinking", /\bthinking\b/i],
  ["effort", /\b(?:reasoning_)?effort\b/i],
  ["cache", /\bcache_control\b/i],
  ["format", FORMAT],
  ["json", FORMAT],
  ["usage", /\bstream_options\b/i],
  ["limit", /(?:unsupported|unrecognized|unknown|extra)[^.]{0,80}\bmax_(?:completion_)?tokens\b/i],
  ["temperature", /\btemperature\b/i],
];

const EVENTS: ReadonlyMap<string, ModelFailure> = new Map([
  ["rate_limit_error", "rate-limited"],
  ["rate_limit_exceeded", "rate-limited"],
  ["timeout_error", "timeout"],
  ["authentication_error", "denied"],
  ["permission_error", "denied"],
  ["billing_error", "denied"],
  ["invalid_request_error", "rejected"],
  ["not_found_error", "rejected"],
  ["request_too_large", "too-long"],
]);
/** OpenRouter ends a stream with its provider's status. */
const EVENT_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
]);
const FINAL: ReadonlySet<ModelFailure> = new Set<ModelFailure>(["denied", "rejected", "too-long"]);

function eventFailed(type: string): ModelError {
  const failure = EVENTS.get(type) ?? "overloaded";
  const word = /^[a-z_]{1,40}$/.test(type) ? type : "an error";
  const isOutage = !FINAL.has(failure);
  return new ModelError(failure, `the model's server broke off with ${word}`, { again: isOutage, isOutage });
}

/** No answer, or one that breaks off. Only the code of an unknown error is shown, because HTTP clients quote headers. */
function unreachable(error: unknown): ModelError {
  const chain = [error, causeOf(error), causeOf(causeOf(error))];
  if (chain.some((one) => one instanceof Error && one.name === "EgressRefused")) {
    return new ModelError("unreachable", "the model's server redirects elsewhere, which is not followed");
  }
  const code = chain.map(codeOf).find((one) => one !== null);
  const words = `no whole answer from the model's server${code === undefined ? "" : ` (${code})`}`;
  return new ModelError("unreachable", words, { again: true, isOutage: true });
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : null;
}
