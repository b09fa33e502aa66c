// `fetch` for the SDK: one origin, no redirects, a bounded answer, and a callback for every chunk.

import { BODILESS, type Fetch } from "../service-fetch.ts";
import { ModelError, refusedBy } from "./model-error.ts";
import { fieldsOf, type Protocol, type Server } from "./protocol.ts";

/** 128,000 tokens as events of one token each are some 20 MB. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The headers that the SDK and the retries read. */
const HEADERS = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];

/**
 * @param alive called when headers arrive and for every chunk of the body
 * @returns rejects with `ModelError` if the server refuses or its answer is invalid, and with the errors of `fetch`
 */
export function streamFetch(server: Server, protocol: Protocol, alive: () => void): typeof globalThis.fetch {
  const { origin } = new URL(server.baseUrl);
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    if (new URL(url).origin !== origin) throw new ModelError("rejected", "a request elsewhere was refused");
    const response = await server.fetch(url, {
      method: init.method ?? "POST",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === "string" ? init.body : "",
      redirect: "manual",
      signal: init.signal ?? AbortSignal.any([]),
    });
    alive();
    const answer = answerOf(response, alive);
    if (answer.ok) return asStream(answer, protocol);
    const { status, headers } = answer;
    throw refusedBy({ status, headers, text: await answer.text() }, server.now(), protocol);
  };
}

function answerOf(response: Awaited<ReturnType<Fetch>>, alive: () => void): Response {
  const { status } = response;
  if (status === 0 || (status >= 300 && status < 400)) {
    throw new ModelError("unreachable", "the model's server answered with a redirect, which is not followed");
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
    if (size > MAX_BYTES) throw new ModelError("malformed", "the model's server answered too much");
    yield chunk;
  }
}

/** Some servers send a complete reply although a stream was requested; an HTML page comes from a proxy. */
async function asStream(response: Response, protocol: Protocol): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("text/html")) throw notAStream();
  if (!type.includes("application/json")) return response;
  const reply = objectOf(await response.text());
  const stream = reply === null ? null : protocol.streamOf(reply);
  if (stream === null) throw notAStream();
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function notAStream(): ModelError {
  const words = "the model's server answered something that is not a message";
  return new ModelError("unreachable", words, { again: true, isOutage: true });
}
