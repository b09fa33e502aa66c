// One HTTP request to the model's server, through the SDK with its waits, retries and logs turned off.

import { estimatedTokens } from "../../domain/model.ts";
import { untilStopped } from "../retrying-calls.ts";
import { boundedFetch } from "../service-call.ts";
import { ModelError, modelError, refusedBy } from "./model-error.ts";
import type { ModelLimits, PaidTokens } from "./model-facts.ts";
import { fieldsOf, jsonOf, type ModelReply, type Protocol, type RequestBody, type Server } from "./protocol.ts";

/**
 * Never hangs, whatever `fetch` does. Rejects with `ModelError`.
 *
 * @param onPaid called once with the cost of the attempt, also when it fails: estimated if the server did not report it
 */
export async function attemptOnce(
  server: Server,
  protocol: Protocol,
  body: RequestBody,
  signal: AbortSignal,
  onPaid: (tokens: PaidTokens) => void,
): Promise<ModelReply> {
  const patience = newPatience(server.limits, body.maxTokens, signal);
  const accumulator = protocol.accumulator();
  // The SDK wraps errors of `fetch`, so they are caught before.
  let failure: unknown = null;
  let wasAccepted = false;
  let isRefused = false;
  const fetch = streamFetch(server, protocol, patience.alive);

  async function caught(...request: Parameters<typeof fetch>): Promise<Response> {
    try {
      const response = await fetch(...request);
      wasAccepted = true;
      return response;
    } catch (error) {
      failure = error;
      isRefused = !patience.signal.aborted;
      throw error;
    }
  }

  async function listen(): Promise<ModelReply> {
    for await (const event of await protocol.send(server, body, caught, patience.signal)) accumulator.add(event);
    const reply = accumulator.reply();
    // The SDK ends an aborted stream without an error; only the missing end shows it.
    if (!reply.isWhole) throw new ModelError("unreachable", CUT_OFF, { again: true, isOutage: true });
    return reply;
  }

  try {
    return await Promise.race([listen(), patience.over]);
  } catch (error) {
    throw patience.signal.aborted ? patience.signal.reason : modelError(failure ?? error);
  } finally {
    patience.end();
    const { tokens, isWhole } = accumulator.reply();
    const isUncounted = !isWhole && tokens.fresh + tokens.cacheWrite + tokens.cacheRead === 0;
    // A server that received the question bills for it, whether or not we wait for the answer.
    const isRead = wasAccepted || (patience.signal.aborted && !isRefused);
    onPaid(isUncounted && isRead ? { ...tokens, fresh: promptTokens(body) } : tokens);
  }
}

/** About as many tokens as the server will read. */
function promptTokens({ prompt }: RequestBody): number {
  return estimatedTokens(JSON.stringify(prompt).length);
}

const CUT_OFF = "the answer of the model's server was cut off";

/** Three timers: for the first byte, for each silence, for the whole attempt; and the caller's signal. */
function newPatience(limits: ModelLimits, tokens: number, outer: AbortSignal) {
  const controller = new AbortController();
  const { signal } = controller;
  const late = (words: string, again: boolean) => () =>
    controller.abort(new ModelError("timeout", `the model's server ${words}`, { again, isOutage: true }));

  const wholeMs = limits.attemptMs + limits.msPerToken * tokens;
  // A model that does not stop writing would do the same on a retry.
  const whole = setTimeout(late(`was not done within ${wholeMs} ms`, false), wholeMs);
  let silence = setTimeout(late(`did not answer within ${limits.firstByteMs} ms`, true), limits.firstByteMs);
  const stop = () => controller.abort(new ModelError("stopped", "the question was stopped"));
  if (outer.aborted) stop();
  outer.addEventListener("abort", stop, { once: true });
  return {
    /** Aborted when a deadline passes or the caller stops, with a `ModelError`. */
    signal,
    /** Rejects at once with the reason of `signal`. */
    over: untilStopped(signal, () => signal.reason).stopped,
    /** Data arrived. */
    alive() {
      clearTimeout(silence);
      if (signal.aborted) return;
      silence = setTimeout(late(`was silent for ${limits.idleMs} ms`, true), limits.idleMs);
    },
    end() {
      clearTimeout(whole);
      clearTimeout(silence);
      outer.removeEventListener("abort", stop);
    },
  };
}

/**
 * `fetch` for the SDK: one origin, no redirects, a bounded answer.
 *
 * @param alive called when headers arrive and for every chunk of the body
 * @returns rejects with `ModelError` if the server refuses or its answer is invalid, and with the errors of `fetch`
 */
function streamFetch(server: Server, protocol: Protocol, alive: () => void): typeof globalThis.fetch {
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
    const answer = await boundedFetch(server.fetch, question, { alive, failed: failure });
    if (answer.body === null) throw failure("not an answer");
    if (answer.ok) return asStream(answer, protocol);
    throw refusedBy(answer, await answer.text(), server.now(), protocol);
  };
}

/** Some servers send a complete reply although a stream was requested; an HTML page comes from a proxy. */
async function asStream(response: Response, protocol: Protocol): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("text/html")) throw failure("not an answer");
  if (!type.includes("application/json")) return response;
  const reply = fieldsOf(jsonOf(await response.text()));
  const stream = reply === null ? null : protocol.streamOf(reply);
  if (stream === null) throw failure("not an answer");
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

function failure(why: "redirect" | "too large" | "not an answer"): ModelError {
  if (why === "redirect")
    return new ModelError("unreachable", "the model's server answered with a redirect, which is not followed");
  if (why === "too large") return new ModelError("malformed", "the model's server answered too much");
  const words = "the model's server answered something that is not a message";
  return new ModelError("unreachable", words, { again: true, isOutage: true });
}
