// Calls an embedding or reranking service: a deadline for each attempt, retries, a circuit breaker.

import { TaskCancelledError, TimeoutStrategy, timeout } from "cockatiel";
import { z } from "zod";
import { type RetryLimits, retryAfterMs, retryingCalls } from "./retrying-calls.ts";
import { connectionFailure, ServiceFailed, statusFailure, unreadableAnswer } from "./service-failed.ts";

export interface ServiceLimits extends RetryLimits {
  /** The limit of one attempt in milliseconds, to the last byte. */
  readonly attemptMs: number;
}

/**
 * Kodiai promises 10 s and 3 retries for embeddings. At worst 4 × 10 s and 3 × 8 s; four failures
 * open the circuit, and every further call fails at once for half a minute.
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

/**
 * Runs attempts until one succeeds or the retries are used up. Throws only `ServiceFailed`.
 *
 * @param part what is sent when a server answers 500: some do so to one input of many. `whole`: it
 *   is tried once more and may then be sent in parts. `part`: the answer is about this part, and
 *   says nothing about the server. Absent: only the server can be the reason
 */
export type ServiceCall = <T>(attempt: (signal: AbortSignal) => Promise<T>, part?: "whole" | "part") => Promise<T>;

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

  return (attempt, part) => {
    let broken = 0;
    const judged = async () => {
      try {
        return await once(attempt);
      } catch (error) {
        const isDone = part === "part" || (part === "whole" && broken > 0);
        if (!(error instanceof ServiceFailed && error.status === 500)) throw error;
        broken++;
        throw isDone ? new ServiceFailed(error.message, { status: 500, isOutage: part === "whole" }) : error;
      }
    };
    return calls(judged, signal);
  };
}

/** The text of a successful answer. Rejects with `ServiceFailed` and the errors of `fetch`. */
export async function postToService(
  { fetch, now }: { readonly fetch: Fetch; readonly now: () => number },
  question: Question,
): Promise<string> {
  const failed = (why: "redirect" | "too large" | "not an answer") => new ServiceFailed(NOT_TAKEN[why]);
  const response = await boundedFetch(fetch, question, { failed });
  if (response.ok) return response.text();
  const key = /^Bearer (\S+)$/.exec(question.headers.authorization ?? "")?.[1] ?? "";
  const refusal = await response.text();
  const text = key === "" ? refusal : refusal.replaceAll(key, "‹key›");
  throw statusFailure(response.status, text, retryAfterMs(response.headers.get("retry-after"), now()));
}

const NOT_TAKEN = {
  redirect: "the service answered with a redirect, which is not followed",
  "too large": "the service's answer is too large",
  "not an answer": "the service answered with a status that HTTP does not have",
};

const row = { object: z.string().nullish(), index: z.number().nullish() };

/** Has every field that voyageai's SDK reads, so that it never gets an unexpected type. */
function listOf<R extends z.ZodType>(row: R) {
  const usage = z.object({ total_tokens: z.number().nullish() });
  return z.object({
    object: z.string().nullish(),
    data: z.array(row),
    model: z.string().nullish(),
    usage: usage.nullish(),
  });
}

const EmbeddingRow = z.object({ ...row, embedding: z.array(z.number()).nullish() });

/** OpenAI's shape, which Voyage shares. A row that is not sound loses only its own vector. */
export const EmbeddingAnswer = listOf(
  z.unknown().transform((given) => {
    const sound = EmbeddingRow.safeParse(given);
    if (sound.success) return sound.data;
    const place = z.object({ index: z.number() }).safeParse(given);
    return { index: place.success ? place.data.index : undefined, embedding: null };
  }),
);

export const RerankAnswer = listOf(
  z.object({ ...row, relevance_score: z.number().nullish(), document: z.string().nullish() }),
);

/**
 * @param text the body of a successful answer
 * @throws ServiceFailed for other JSON; the error names the place and never a value
 */
export function readAnswer<T>(form: z.ZodType<T>, text: string): T {
  const answer = form.safeParse(parsed(text));
  if (!answer.success) throw unreadableAnswer(answer.error.issues[0]);
  return answer.data;
}

function parsed(text: string): unknown {
  // Python writes these, and JSON has no such words.
  const repaired = () =>
    text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (one) => (one.startsWith('"') ? one : "null"));
  for (const form of [() => text, repaired]) {
    try {
      return JSON.parse(form());
    } catch {}
  }
  return undefined;
}

// `fetch` for services and models: no redirects, so that keys stay, and bounded answers.

/** The part of `fetch` that is used, so that Node's own and undici's both fit. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly redirect: "manual";
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}>;

/**
 * 128 vectors of 2,048 numbers are 6 MB of JSON, and 128,000 tokens as events of one token each
 * some 20 MB. Much more is not a valid answer.
 */
const MAX_BYTES = 64 * 1024 * 1024;
/** The headers that the SDKs and the retries read. */
const HEADERS = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];
/** Statuses for which a `Response` may not have a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

interface Question {
  readonly url: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
}

interface Answering {
  /** Called when headers arrive and for every chunk of the body. */
  readonly alive?: () => void;
  /** The error for an answer that is not taken. */
  failed(why: "redirect" | "too large" | "not an answer"): Error;
}

/** The answer, its body as a stream. It and its body reject as `fetch` does, and with `failed`. */
export async function boundedFetch(
  fetch: Fetch,
  { url, method = "POST", headers, body, signal }: Question,
  { alive = () => {}, failed }: Answering,
): Promise<Response> {
  const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
  alive();
  const { status } = response;
  // A browser-like `fetch` hides a redirect behind status 0.
  if (status === 0 || (status >= 300 && status < 400)) throw failed("redirect");
  if (status < 200 || status > 599) throw failed("not an answer");
  const kept = HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });

  async function* bounded(): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const chunk of response.body ?? []) {
      alive();
      size += chunk.byteLength;
      if (size > MAX_BYTES) throw failed("too large");
      yield chunk;
    }
  }

  const stream = BODILESS.has(status) ? null : ReadableStream.from(bounded());
  return new Response(stream, { status, headers: Object.fromEntries(kept) });
}
