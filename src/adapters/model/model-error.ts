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

/** The status that a code stands for, where an error comes without one: in a stream, or under status 200. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  insufficient_quota: 402,
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
export function refusedBy(
  { status, headers, text, verb, now }: Refused,
  protocol: Protocol,
  asked: RequestBody,
): ModelError {
  const words = serverWords(text);
  const named = words.codes.flatMap((code) => STATUSES[code] ?? [])[0];
  // OpenAI answers 429 also if the account has no credit: waiting does not help.
  const isUnpaid = words.codes.some((code) => STATUSES[code] === 402);
  const of = isUnpaid ? 402 : (status ?? words.status ?? named ?? 500);
  const [code] = words.codes.filter((one) => one !== "error" && one !== "none");
  const said = words.sentence === "" ? "" : `: ${publicErrorText(withoutQuotes(words.sentence, asked), 300)}`;
  const place = words.params.find(
    (param) => /^[a-z_][a-z_.0-9[\]]{1,60}$/.test(param) && !words.sentence.includes(param),
  );
  const told = `it ${verb} ${status !== null && status !== of ? `${status} and ` : ""}${of}${code === undefined ? "" : ` (${code})`}${said}${place === undefined ? "" : ` about ${place}`}`;
  const final = (failure: ModelFailure, fix: string) => new ModelError(failure, `${told}; ${fix}`);

  if (of === 400 || of === 422 || of === 402) {
    const size = fittingSize(words, asked);
    if (size !== null && size.replyTokens !== null)
      return new ModelError(of === 402 ? "unpaid" : "rejected", `${told}; ${fixOf(of, protocol)}`, {
        refusal: { ...words, size },
      });
    if (size?.replyTokens === null || TOO_LONG.test(`${words.codes.join(" ")} ${words.sentence}`)) {
      const fix = size === null ? "set KODIAI_MODEL_CONTEXT_TOKENS to what the server takes" : contextFix(size);
      return new ModelError("too-long", `${told}; ${fix}`, { refusal: size === null ? null : { ...words, size } });
    }
  }
  if (of === 400 || of === 422) {
    if (words.codes.includes("content_filter")) return final("refused", "its content filter refused the question");
    if (WRONG_KEY.test(words.sentence)) return final("denied", fixOf(401, protocol));
    if (NO_MODEL.test(words.sentence)) return final("rejected", fixOf(404, protocol));
    // The server names what it refuses, and it is nothing that could be left out.
    const isInPrompt =
      words.params.length > 0 && words.params.every((param) => /^messages\b(?!.*\brole\b)/.test(param));
    if (isInPrompt) return final("rejected", fixOf(of, protocol));
    return new ModelError("rejected", `${told}; ${fixOf(of, protocol)}`, { refusal: { ...words, size: null } });
  }
  const isOutage = AGAIN.has(of) || of >= 500;
  const wish = headers?.get("x-should-retry");
  return new ModelError(FAILURES.get(of) ?? (isOutage ? "overloaded" : "rejected"), `${told}; ${fixOf(of, protocol)}`, {
    again: wish === "true" || (isOutage && wish !== "false"),
    isOutage,
    waitMs: numberOf(headers?.get("retry-after-ms") ?? null) ?? retryAfterMs(headers?.get("retry-after") ?? null, now),
  });
}

function contextFix({ contextTokens }: Size): string {
  return `set KODIAI_MODEL_CONTEXT_TOKENS=${contextTokens}`;
}

/** What to do about a status. */
function fixOf(status: number, { keyVariable, urlVariable }: Protocol): string {
  if (status === 401) return `check ${keyVariable}`;
  if (status === 402) return "the account has no credit; add some, or use another key";
  if (status === 403) return `the key has no right to this model; check ${keyVariable} and KODIAI_MODEL`;
  if (status === 404) return `check KODIAI_MODEL, KODIAI_SMALL_MODEL and ${urlVariable}`;
  if (status === 413) return "the request is too large; set a smaller KODIAI_MODEL_CONTEXT_TOKENS";
  if (status === 429) return "wait, or raise the limit of the account";
  if (status >= 500 || AGAIN.has(status)) return "check the server's load and its log";
  return "kodiai doctor --model tries what this server takes";
}

/** Parts of the prompt that the server repeats, as far as they are no plain words: code and secrets have digits and signs. */
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

/** Google's endpoint answers a wrong key with 400. */
const WRONG_KEY = /\bapi key not valid|invalid api key/i;
/** LM Studio and vLLM answer 400 as well as 404. */
const NO_MODEL = /\bmodel\b[^.]{0,200}\b(?:does not exist|not found|is not loaded)\b/i;

/** Of a prompt that fits no form of the request: Anthropic, OpenAI, vLLM, llama.cpp, LiteLLM, Gemini. */
const TOO_LONG =
  /prompt is too long|too many (?:input )?tokens|(?:exceeds?|maximum|larger than)[^.]{0,60}\bcontext|context (?:length|window|size)[^.]{0,40}exceed|exceed_context_size|context_length_exceeded|input token count[^.]{0,40}exceeds/i;

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

/** No answer, or one that breaks off. Only the cause of an unknown error is shown, because HTTP clients quote headers. */
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
