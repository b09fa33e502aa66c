// Why a request to the model's server gave no reply, in words that are safe to log and to post.

import type { ModelFailure } from "../../domain/model.ts";
import { publicErrorText } from "../../domain/text/public-error-text.ts";
import { connectionCause, connectionCode } from "../connection-cause.ts";
import { numberOf, retryAfterMs } from "../retrying-calls.ts";
import { type ServerWords, serverWords } from "../server-words.ts";
import { type FailureTurn, ServiceFailed } from "../service-failed.ts";
import { fieldsOf, type Protocol, type RequestBody, textOf } from "./protocol.ts";
import { fittingSize, type Size } from "./reply-size.ts";

/** A refused request that may be answered in another form. */
export interface Refusal extends Pick<ServerWords, "sentence" | "codes" | "params"> {
  /** The size that the server names; null when it names none. */
  readonly size: Size | null;
  /** True where the account's credit sets the size: it is another one after a payment. */
  readonly isCredit: boolean;
  /** False where the status is that of another failure: then only what it names is left out. */
  readonly mayGuess: boolean;
}

/** A failure is no outage unless it says so. */
export class ModelError extends ServiceFailed {
  override readonly name = "ModelError";
  readonly failure: ModelFailure;
  /** null: no other form of the request would help. */
  readonly refusal: Refusal | null;

  constructor(
    failure: ModelFailure,
    message: string,
    { refusal = null, ...turn }: Partial<FailureTurn> & { readonly refusal?: Refusal | null } = {},
  ) {
    super(message, { isOutage: false, ...turn });
    this.failure = failure;
    this.refusal = refusal;
  }
}

const FAILURES: ReadonlyMap<number, ModelFailure> = new Map([
  [401, "denied"],
  [402, "unpaid"],
  [403, "denied"],
  [404, "rejected"],
  [408, "timeout"],
  [413, "too-long"],
  [429, "rate-limited"],
  [502, "unreachable"],
  [504, "timeout"],
]);
const AGAIN: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** The status that a code stands for, in an error without one: in a stream, or under 200. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  insufficient_quota: 402,
  exceeded_current_quota_error: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  timeout_error: 504,
  overloaded_error: 529,
};

/** What a request was refused with. */
export interface Refused {
  /** null: the error came in an answer that began as a success. */
  readonly status: number | null;
  readonly headers?: Pick<Headers, "get">;
  /** The whole body, or the part of a stream that is the error. */
  readonly text: string;
  /** `answered`, `broke off with`. */
  readonly verb: string;
  /** Epoch milliseconds, to read a `retry-after` that is a date. */
  readonly now: number;
}

/** A server's refusal as an error that tells its status and its sentence. */
export function refusedBy(refused: Refused, protocol: Protocol, asked: RequestBody): ModelError {
  const words = serverWords(refused.text);
  const status = statusOf(refused.status, words);
  const answered = answerText(refused, status, words, asked);
  const isInput = status === 400 || status === 422;
  // llama.cpp says so under 500.
  const isLong = (isInput || status === 500) && isTooLong(words);
  const size = isInput || isLong || status === 402 ? fittingSize(words, asked) : null;
  if (size?.replyTokens === null || (size === null && isLong)) {
    const refusal = size === null ? null : { ...words, size, isCredit: false, mayGuess: true };
    return new ModelError("too-long", `${answered}; ${contextFix(size)}`, { refusal });
  }
  const failure = FAILURES.get(status);
  const fix = fixOf(status, protocol);
  if (size !== null)
    return new ModelError(failure ?? "rejected", `${answered}; ${fix}`, {
      refusal: { ...words, size, isCredit: status === 402, mayGuess: true },
    });
  return isInput || (FORM_STATUSES.has(status) && refusesField(words))
    ? inputRefused(words, answered, { protocol, mayGuess: isInput })
    : statusRefused(refused, status, `${answered}; ${fix}`);
}

function refusesField({ sentence, params }: ServerWords): boolean {
  const said = [...params, sentence].join(" ");
  return REFUSED_FIELDS.some((pattern) => pattern.test(said));
}

function isTooLong({ codes, sentence }: ServerWords): boolean {
  return TOO_LONG.test(`${codes.join(" ")} ${sentence}`);
}

/**
 * The status that counts. Without credit OpenAI answers 429, Anthropic 400 and xAI 403: then
 * neither waiting nor another form of the request helps.
 */
function statusOf(status: number | null, { codes, sentence, status: inside }: ServerWords): number {
  const named = codes.flatMap((code) => STATUSES[code] ?? []);
  return named.includes(402) || NO_CREDIT.test(sentence) ? 402 : (status ?? inside ?? named[0] ?? 500);
}

function answerText({ status, verb }: Refused, of: number, words: ServerWords, asked: RequestBody): string {
  const code = words.codes.find((word) => word !== "error" && word !== "none");
  const place = words.params.find(
    (param) => /^[a-z_][a-z_.0-9[\]]{1,60}$/.test(param) && !words.sentence.includes(param),
  );
  return [
    `it ${verb} ${status === null || status === of ? of : `${status} and ${of}`}`,
    code === undefined ? "" : ` (${code})`,
    words.sentence === "" ? "" : `: ${publicErrorText(withoutQuotes(words.sentence, asked), 300)}`,
    place === undefined ? "" : ` about ${place}`,
  ].join("");
}

/** The request itself is refused: for its content, or perhaps for its form. */
function inputRefused(
  words: ServerWords,
  answered: string,
  { protocol, mayGuess }: { readonly protocol: Protocol; readonly mayGuess: boolean },
): ModelError {
  const final = (failure: ModelFailure, fix: string) => new ModelError(failure, `${answered}; ${fix}`);
  if (words.codes.includes("content_filter")) return final("refused", "its content filter refused the question");
  if (WRONG_KEY.test(words.sentence)) return final("denied", fixOf(401, protocol));
  if (NO_MODEL.test(words.sentence)) return final("rejected", fixOf(404, protocol));
  // The server names what it refuses, and it is nothing that could be left out.
  const isInPrompt = words.params.length > 0 && words.params.every((param) => /^messages\b(?!.*\brole\b)/.test(param));
  if (isInPrompt) return final("rejected", fixOf(400, protocol));
  return new ModelError("rejected", `${answered}; ${fixOf(400, protocol)}`, {
    refusal: { ...words, size: null, isCredit: false, mayGuess },
  });
}

function statusRefused({ headers, now }: Refused, status: number, message: string): ModelError {
  const isOutage = AGAIN.has(status) || status >= 500;
  const header = (name: string) => headers?.get(name) ?? null;
  const wish = header("x-should-retry");
  return new ModelError(FAILURES.get(status) ?? (isOutage ? "overloaded" : "rejected"), message, {
    again: wish === "true" || (isOutage && wish !== "false"),
    isOutage,
    waitMs: numberOf(header("retry-after-ms")) ?? retryAfterMs(header("retry-after"), now),
  });
}

function contextFix(size: Size | null): string {
  return size === null
    ? "set KODIAI_MODEL_CONTEXT_TOKENS to what the server takes"
    : `set KODIAI_MODEL_CONTEXT_TOKENS=${size.contextTokens}`;
}

/** What to do about a status. */
export function fixOf(
  status: number,
  { keyVariable, urlVariable }: Pick<Protocol, "keyVariable" | "urlVariable">,
): string {
  if (status === 401) return `check ${keyVariable}`;
  if (status === 402) return "the account has no credit; add some, or use another key";
  if (status === 403) return `the key has no right to this model; check ${keyVariable} and KODIAI_MODEL`;
  if (status === 404) return `check KODIAI_MODEL, KODIAI_SMALL_MODEL and ${urlVariable}`;
  if (status === 413) return "the request is too large; set a smaller KODIAI_MODEL_CONTEXT_TOKENS";
  if (status === 429) return "wait, or raise the limit of the account";
  if (status >= 500 || AGAIN.has(status)) return "check the server's load and its log";
  return "kodiai doctor --model tries what this server takes";
}

/** Repeated parts of the prompt that are no plain words: code and secrets have digits and signs. */
function withoutQuotes(sentence: string, { prompt, json }: RequestBody): string {
  const sent = JSON.stringify(prompt);
  const own = JSON.stringify({
    ...json,
    ...Object.fromEntries(Object.keys(fieldsOf(prompt) ?? {}).map((key) => [key, ""])),
  });
  return sentence.replace(/[^\s"'`,;:()]{8,}/g, (word) =>
    /[^a-zA-Z.]/.test(word) && sent.includes(word) && !own.includes(word) ? "…" : word,
  );
}

/** Under these a field is refused as well: by llama.cpp 500 and 501, by gateways the others. */
const FORM_STATUSES: ReadonlySet<number> = new Set([404, 405, 406, 415, 500, 501, 502, 503]);
/** A field, or a word that is one, beside words that refuse it: "stream error" refuses none. */
const FIELD =
  "(?:response_format|json_schema|json_object|json schema|grammar|stream_options|include_usage|reasoning_effort|max_(?:completion_)?tokens|cache_control|temperature|system (?:role|messages?|prompts?)|streaming|stream)\\b";
const NOT_TAKEN =
  "(?:not (?:supported|allowed|permitted|implemented)|unsupported|unrecognized|extra inputs|must be)\\b";
const REFUSED_FIELDS: readonly RegExp[] = [
  `\\b${FIELD}[^.;]{0,40}\\b${NOT_TAKEN}`,
  `(?:\\b${NOT_TAKEN}|(?:\\bnot|n't|\\bonly) support|\\bunknown (?:field|name|parameter|argument)|\\bunexpected keyword)[^.;]{0,40}\\b${FIELD}`,
  "\\bfail(?:ed|s|ure) to (?:parse|compile|convert|initialize)[^.;]{0,40}\\b(?:grammar|json[ _]schema)\\b",
  "\\bonly user and assistant roles are supported\\b",
].map((text) => new RegExp(text, "i"));

/** Of an account without credit, under the status of another failure: Anthropic, xAI. */
const NO_CREDIT = /\bcredit balance is too low\b|\bdoesn't have any credits\b/i;
/** Google's endpoint answers a wrong key with 400. */
const WRONG_KEY = /\bapi key not valid|invalid api key/i;
/** LM Studio and vLLM answer 400 as well as 404. */
const NO_MODEL = /\bmodel\b[^.]{0,200}\b(?:does not exist|not found|is not loaded)\b/i;

/** Of a prompt too long in any form: the words of each server together. */
const TOO_LONG = new RegExp(
  [
    // Anthropic, OpenAI, llama.cpp, LiteLLM, Gemini. Bedrock's throttling counts tokens as well.
    "prompt is too long",
    "too many (?:input )?tokens(?!, please wait)",
    "(?:exceeds?|maximum|larger than)[^.]{0,60}\\bcontext",
    "context (?:length|window|size)[^.]{0,40}exceed",
    "exceed_context_size|context_length_exceeded",
    "input token count[^.]{0,40}exceeds",
    // xAI, Bedrock, DashScope, Moonshot, Zhipu.
    "maximum prompt length",
    "input is too long",
    "range of input length should be",
    "exceeded (?:the )?model token limit",
    "prompt exceeds max(?:imum)? length",
    // TensorRT-LLM, TGI, vLLM.
    "prompt length[^.]{0,20}(?:\\.\\d)?[^.]{0,60}exceed",
    "\\binputs` must have less than",
    "decoder prompt[^.]{0,40}longer than",
  ].join("|"),
  "i",
);

/**
 * An error that the SDK threw: what the server sent inside a stream, or a connection that failed.
 *
 * @param now epoch milliseconds
 */
export function sdkError(error: unknown, protocol: Protocol, asked: RequestBody, now: number): ModelError {
  if (error instanceof ModelError) return error;
  const inside = error instanceof Error ? fieldsOf(error)?.error : undefined;
  if (typeof inside !== "object" && textOf(inside) === "") return unreachable(error, protocol);
  const text = typeof inside === "string" ? inside : JSON.stringify(inside);
  return refusedBy({ status: null, text, verb: "broke off with", now }, protocol, asked);
}

/** No answer, or one that breaks off. Shows only the cause: HTTP clients quote headers. */
function unreachable(error: unknown, { urlVariable }: Protocol): ModelError {
  const code = connectionCode(error);
  if (code === "EGRESS_REFUSED") return new ModelError("unreachable", `${refusalText(error)}; check ${urlVariable}`);
  return new ModelError("unreachable", `${connectionCause(error)} (${urlVariable})`, { again: true, isOutage: true });
}

/** Our own words: which address is not allowed, and how to allow it. */
function refusalText(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) if (at.name === "EgressRefused") return at.message;
  return connectionCause(error);
}
