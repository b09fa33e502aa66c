// One HTTP request to the model's server; the SDK waits, retries and logs nothing.

import { estimatedTokens } from "../../domain/model.ts";
import { untilStopped } from "../retrying-calls.ts";
import { boundedFetch } from "../service-call.ts";
import { ModelError, refusedBy, sdkError } from "./model-error.ts";
import type { ModelLimits, PaidTokens } from "./model-facts.ts";
import { fieldsOf, jsonOf, type ModelReply, type Protocol, type RequestBody, type Server } from "./protocol.ts";

/**
 * Never hangs, whatever `fetch` does. Rejects with `ModelError`.
 *
 * @param isAnswer whether a reply whose end is missing is complete all the same
 * @param onPaid called once with the cost, also of a failure: estimated if not reported
 */
export async function attemptOnce(
  server: Server,
  protocol: Protocol,
  body: RequestBody,
  signal: AbortSignal,
  isAnswer: (text: string) => boolean,
  onPaid: (tokens: PaidTokens) => void,
): Promise<ModelReply> {
  const patience = newPatience(server.limits, body, signal);
  const accumulator = protocol.accumulator();
  // The SDK wraps errors of `fetch`, so they are caught before.
  let failure: unknown = null;
  let wasAccepted = false;
  let isRefused = false;
  const accepted = () => {
    wasAccepted = true;
  };
  const fetch = streamFetch(server, protocol, body, { alive: patience.alive, accepted });

  async function caught(...request: Parameters<typeof fetch>): Promise<Response> {
    try {
      return await fetch(...request);
    } catch (error) {
      failure = error;
      isRefused = !patience.signal.aborted;
      // Only its body shows that it was refused after all.
      if (error instanceof ModelError) wasAccepted = false;
      throw error;
    }
  }

  async function listen(): Promise<ModelReply> {
    for await (const event of await protocol.send(server, body, caught, patience.signal)) accumulator.add(event);
    const reply = accumulator.reply();
    // The SDK ends an aborted stream without an error; only the missing end shows it.
    if (!reply.isWhole && (patience.signal.aborted || !isAnswer(reply.text))) throw new CutOff(reply.text !== "");
    return reply;
  }

  try {
    return await Promise.race([listen(), patience.over]);
  } catch (error) {
    throw patience.signal.aborted ? patience.signal.reason : sdkError(failure ?? error, protocol, body, server.now());
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

/** The stream ended in good order before the reply did. */
export class CutOff extends ModelError {
  /** False: there was no reply at all. */
  readonly hasBegun: boolean;

  constructor(hasBegun: boolean) {
    super("unreachable", "its answer ended before its end; check the server's log", { again: true, isOutage: true });
    this.hasBegun = hasBegun;
  }
}

/** Timers for the first byte, for each silence and for the whole attempt; the caller's signal. */
function newPatience(limits: ModelLimits, { maxTokens, json }: RequestBody, outer: AbortSignal) {
  const controller = new AbortController();
  const { signal } = controller;
  const late = (words: string, again: boolean) => () =>
    controller.abort(
      new ModelError("timeout", `it ${words}; check its load, or use a faster model`, { again, isOutage: true }),
    );

  const wholeMs = limits.attemptMs + limits.msPerToken * maxTokens;
  // Without a stream the first byte comes when the reply is written.
  const firstByteMs = json.stream === true ? limits.firstByteMs : wholeMs;
  // A model that does not stop writing would do the same on a retry.
  const whole = setTimeout(late(`was not done within ${wholeMs} ms`, false), wholeMs);
  let silence = setTimeout(late(`did not answer within ${firstByteMs} ms`, true), firstByteMs);
  const stop = () => controller.abort(new ModelError("stopped", "the question was stopped"));
  if (outer.aborted) stop();
  outer.addEventListener("abort", stop, { once: true });
  return {
    /** Aborted when a deadline passes or the caller stops, with a `ModelError`. */
    signal,
    /** Rejects at once with the reason of `signal`. */
    over: untilStopped(signal, () => signal.reason).stopped,
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

interface Progress {
  /** Called when headers arrive and for every chunk of the body. */
  alive(): void;
  /** Called when the headers are those of a success. */
  accepted(): void;
}

/**
 * `fetch` for the SDK: one origin, no redirects, a bounded answer.
 *
 * @returns rejects with `ModelError` for refusals and invalid answers, else as `fetch` does
 */
function streamFetch(
  server: Server,
  protocol: Protocol,
  asked: RequestBody,
  { alive, accepted }: Progress,
): typeof globalThis.fetch {
  const { origin } = new URL(server.baseUrl);
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    if (new URL(url).origin !== origin) throw new ModelError("rejected", "a request elsewhere was refused");
    const question = {
      url,
      method: init.method ?? "POST",
      headers: Object.fromEntries(new Headers(init.headers)),
      // The SDK reads a stream in any case, and would ask for one.
      body: JSON.stringify(asked.json),
      signal: init.signal ?? AbortSignal.any([]),
    };
    const answer = await boundedFetch(server.fetch, question, { alive, failed: failure });
    if (answer.body === null) throw failure("not an answer");
    const refused = (status: number | null, text: string) =>
      refusedBy({ status, headers: answer.headers, text, verb: "answered", now: server.now() }, protocol, asked);
    if (!answer.ok) throw refused(answer.status, await answer.text());
    accepted();
    return asStream(answer.body, protocol, (text) => refused(null, text));
  };
}

/**
 * Some servers send a complete reply instead of a stream, and gateways give either a wrong content
 * type: the first character tells which it is. A page of HTML is a proxy's.
 */
async function asStream(
  body: ReadableStream<Uint8Array>,
  protocol: Protocol,
  refused: (text: string) => ModelError,
): Promise<Response> {
  const { first, whole } = await begun(body);
  if (first === "<") throw failure("not an answer");
  if (!/[[{"\dtfn-]/.test(first)) return eventStream(whole);
  const text = await new Response(whole).text();
  const reply = fieldsOf(jsonOf(text));
  // Gateways answer 200 to what their provider refused.
  if (reply?.object === "error" || (reply?.error ?? reply?.errors ?? null) !== null) throw refused(text);
  const stream = reply === null ? null : protocol.streamOf(reply);
  if (stream === null) throw failure("not an answer");
  return eventStream(stream);
}

function eventStream(body: ReadableStream<Uint8Array> | string): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** The first character that is neither blank nor a byte order mark ("" without one), and all. */
async function begun(body: ReadableStream<Uint8Array>) {
  const chunks = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let first = "";
  while (first === "") {
    const { done, value } = await chunks.next();
    if (done) break;
    read.push(value);
    first = /[^\s\u00EF\u00BB\u00BF]/.exec(Buffer.from(value).toString("latin1"))?.[0] ?? "";
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* read;
    yield* chunks;
  }
  return { first, whole: ReadableStream.from(all()) };
}

function failure(why: "redirect" | "too large" | "not an answer"): ModelError {
  if (why === "redirect")
    return new ModelError("unreachable", "it answered with a redirect, which is not followed; check the address");
  if (why === "too large") return new ModelError("malformed", "it answered too much; check the address");
  const words = "it answered something that is not a message; check the address and the proxy";
  return new ModelError("unreachable", words, { again: true, isOutage: true });
}
