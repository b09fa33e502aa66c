// `fetch` for the SDK: one origin, no redirects, a bounded answer, and a callback for every chunk.

import { boundedFetch } from "../service-fetch.ts";
import { ModelError, refusedBy } from "./model-error.ts";
import { fieldsOf, type Protocol, type Server } from "./protocol.ts";

/**
 * @param alive called when headers arrive and for every chunk of the body
 * @returns rejects with `ModelError` if the server refuses or its answer is invalid, and with the errors of `fetch`
 */
export function streamFetch(server: Server, protocol: Protocol, alive: () => void): typeof globalThis.fetch {
  const { origin } = new URL(server.baseUrl);
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    if (new URL(url).origin !== origin) throw new ModelError("rejected", "a request elsewhere was refused");
    const question = {
      url,
      method: init.method ?? "POST",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === "string" ? init.body : "",
      signal: init.signal ?? AbortSignal.any([]),
    };
    const answer = await boundedFetch(server.fetch, question, { alive, failed: (why) => failure(why) });
    if (answer.body === null) throw failure("not an answer");
    if (answer.ok) return asStream(answer, protocol);
    const { status, headers } = answer;
    throw refusedBy({ status, headers, text: await answer.text() }, server.now(), protocol);
  };
}

/** Some servers send a complete reply although a stream was requested; an HTML page comes from a proxy. */
async function asStream(response: Response, protocol: Protocol): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("text/html")) throw failure("not an answer");
  if (!type.includes("application/json")) return response;
  const reply = objectOf(await response.text());
  const stream = reply === null ? null : protocol.streamOf(reply);
  if (stream === null) throw failure("not an answer");
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function failure(why: "redirect" | "too large" | "not an answer"): ModelError {
  if (why === "redirect")
    return new ModelError("unreachable", "the model's server answered with a redirect, which is not followed");
  if (why === "too large") return new ModelError("malformed", "the model's server answered too much");
  const words = "the model's server answered something that is not a message";
  return new ModelError("unreachable", words, { again: true, isOutage: true });
}
