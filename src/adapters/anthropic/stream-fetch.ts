// `fetch` as the SDK wants it: one origin, no redirects, an answer that fits into memory, and word of every byte that comes.

import type { Fetch } from "../service-fetch.ts";
import { CallFailed } from "./call-failed.ts";

/** 128,000 tokens as events of one token each are some 20 MB. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Statuses that a `Response` may not carry a body with. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
/** What the SDK and the retries read. */
const HEADERS = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];

export interface StreamFetchOptions {
  readonly fetch: Fetch;
  readonly origin: string;
  /** Called when headers come and at every piece of the body. */
  readonly alive: () => void;
}

/** Rejects with `CallFailed` where the answer itself is at fault, and with whatever `fetch` rejects with. */
export function streamFetch(options: StreamFetchOptions): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    if (new URL(url).origin !== options.origin) throw new CallFailed("rejected", "a request elsewhere was refused");
    const response = await options.fetch(url, {
      method: init.method ?? "POST",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === "string" ? init.body : "",
      redirect: "manual",
      signal: init.signal ?? AbortSignal.any([]),
    });
    options.alive();
    const answer = answerOf(response, options.alive);
    return answer.ok ? asStream(answer) : answer;
  };
}

function answerOf(response: Awaited<ReturnType<Fetch>>, alive: () => void): Response {
  const { status } = response;
  if (status === 0 || (status >= 300 && status < 400)) {
    throw new CallFailed("unreachable", "the model's server answered with a redirect, which is not followed");
  }
  if (BODILESS.has(status) || status < 200 || status > 599) throw notAStream();
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(ReadableStream.from(counted(response.body, alive)), { status, headers });
}

async function* counted(body: AsyncIterable<Uint8Array> | null, alive: () => void): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body ?? []) {
    alive();
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new CallFailed("malformed", "the model's server answered too much");
    yield chunk;
  }
}

/** Some servers answer a whole message though asked for a stream; a page comes from a proxy. */
async function asStream(response: Response): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("text/html")) throw notAStream();
  if (!type.includes("application/json")) return response;
  const message = objectOf(await response.text());
  if (message?.type !== "message" || !Array.isArray(message.content)) throw notAStream();
  return new Response(messageEvents(message), { headers: { "content-type": "text/event-stream" } });
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function notAStream(): CallFailed {
  const words = "the model's server answered something that is not a message";
  return new CallFailed("unreachable", words, { again: true, isOutage: true });
}

// A whole message as the stream of events that the SDK reads.

/** @param message as the API's non-streaming answer has it; only its text blocks are told */
export function messageEvents(message: Readonly<Record<string, unknown>>): string {
  const { content, stop_reason, stop_details, usage, ...head } = message;
  const texts = (Array.isArray(content) ? content : []).map(textOf).filter((text) => text !== null);
  const blocks = texts.flatMap((text, index) => [
    event("content_block_start", { index, content_block: { type: "text", text: "" } }),
    event("content_block_delta", { index, delta: { type: "text_delta", text } }),
    event("content_block_stop", { index }),
  ]);
  return [
    event("message_start", { message: { ...head, content: [], stop_reason: null, usage } }),
    ...blocks,
    event("message_delta", { delta: { stop_reason, stop_details }, usage }),
    event("message_stop", {}),
  ].join("");
}

function textOf(block: unknown): string | null {
  if (typeof block !== "object" || block === null) return null;
  const { type, text } = block as { readonly type?: unknown; readonly text?: unknown };
  return type === "text" && typeof text === "string" ? text : null;
}

function event(type: string, rest: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}
