// One HTTP request to the model's server, through the SDK with everything that waits, retries or logs taken out of its hands.

import type { Middleware } from "@anthropic-ai/sdk";
import Anthropic from "@anthropic-ai/sdk";
import { estimatedTokens } from "../../domain/model.ts";
import type { Fetch } from "../service-fetch.ts";
import { CallFailed, callFailed } from "./call-failed.ts";
import { gatherEvents, type Said } from "./gather-events.ts";
import type { PaidTokens } from "./model-facts.ts";
import type { ModelLimits } from "./model-limits.ts";
import type { RequestBody } from "./request-body.ts";
import { streamFetch } from "./stream-fetch.ts";

export interface Server {
  /** Without `/v1`. */
  readonly baseUrl: string;
  readonly isAnthropic: boolean;
  /** null: it wants none. */
  readonly apiKey: string | null;
  readonly fetch: Fetch;
  readonly limits: ModelLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface Attempt {
  readonly body: RequestBody;
  readonly signal: AbortSignal;
  /** Records or replays what travels. */
  readonly middleware: Middleware | null;
  /** Called once with what the attempt costs, also when it fails: estimated where the server did not get to say it. */
  readonly onPaid: (tokens: PaidTokens) => void;
}

/** Never hangs, whatever `fetch` does. Rejects with `CallFailed`. */
export async function attemptOnce(server: Server, attempt: Attempt): Promise<Said> {
  const patience = newPatience(server.limits, attempt.body.max_tokens, attempt.signal);
  const gathering = gatherEvents();
  // The SDK wraps what `fetch` rejects with, so that is caught on its way.
  let failure: unknown = null;
  let isTaken = false;
  let isRefused = false;
  const fetch = streamFetch({ fetch: server.fetch, origin: new URL(server.baseUrl).origin, alive: patience.alive });
  const client = clientFor(server, async (input, init) => {
    try {
      const response = await fetch(input, init);
      isTaken = response.ok;
      isRefused = !response.ok;
      return response;
    } catch (error) {
      failure = error;
      isRefused = !patience.signal.aborted;
      throw error;
    }
  });

  async function listen(): Promise<Said> {
    // What compatible servers take and Anthropic does not stands in no type of the SDK.
    const body = attempt.body as Anthropic.MessageCreateParamsNonStreaming;
    const options = { signal: patience.signal, middleware: attempt.middleware === null ? [] : [attempt.middleware] };
    const events = await client.messages.create({ ...body, stream: true }, options);
    for await (const event of events) gathering.add(event);
    const said = gathering.said();
    // The SDK ends a stream that was aborted without an error: what is missing shows it.
    if (!said.isWhole) throw new CallFailed("unreachable", CUT_OFF, { again: true, isOutage: true });
    return said;
  }

  try {
    return await Promise.race([listen(), patience.over]);
  } catch (error) {
    throw patience.signal.aborted ? patience.reason() : callFailed(failure ?? error, server.now());
  } finally {
    patience.end();
    const { tokens, isWhole } = gathering.said();
    const isUncounted = !isWhole && tokens.fresh + tokens.cacheWrite + tokens.cacheRead === 0;
    // A server that has the question is paid for reading it, whether or not we wait for the answer.
    const isRead = isTaken || (patience.signal.aborted && !isRefused);
    attempt.onPaid(isUncounted && isRead ? { ...tokens, fresh: promptTokens(attempt.body) } : tokens);
  }
}

function promptTokens({ system = "", messages }: RequestBody): number {
  return estimatedTokens(JSON.stringify([system, messages]).length);
}

const CUT_OFF = "the answer of the model's server was cut off";

function clientFor(server: Server, fetch: typeof globalThis.fetch): Anthropic {
  // Without a key the SDK would look for profiles on the disk. Servers of one's own ignore this one.
  const apiKey = server.apiKey ?? "none";
  return new Anthropic({
    apiKey,
    baseURL: server.baseUrl,
    // The SDK of today sends `authorization: Bearer`; servers made for its forerunners read x-api-key.
    defaultHeaders: server.isAnthropic ? {} : { "x-api-key": apiKey },
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    logLevel: "off",
    openTelemetry: false,
    fetch,
  });
}

interface Patience {
  readonly signal: AbortSignal;
  /** Rejects when patience is over. */
  readonly over: Promise<never>;
  /** Something came. */
  alive(): void;
  reason(): CallFailed;
  end(): void;
}

/** Three clocks: for the first byte, for each silence, for the whole attempt; and the caller's signal. */
function newPatience(limits: ModelLimits, tokens: number, outer: AbortSignal): Patience {
  const controller = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => {});
  let reason = new CallFailed("stopped", "the question was stopped");
  const end = (why: CallFailed) => {
    reason = why;
    controller.abort();
    reject(why);
  };
  const late = (words: string, again: boolean) => () =>
    end(new CallFailed("timeout", `the model's server ${words}`, { again, isOutage: true }));

  const wholeMs = limits.attemptMs + limits.msPerToken * tokens;
  // Asked again, a model that writes and writes would write as long.
  const whole = setTimeout(late(`was not done within ${wholeMs} ms`, false), wholeMs);
  let silence = setTimeout(late(`did not answer within ${limits.firstByteMs} ms`, true), limits.firstByteMs);
  const stop = () => end(reason);
  if (outer.aborted) stop();
  outer.addEventListener("abort", stop, { once: true });
  return {
    signal: controller.signal,
    over,
    alive() {
      clearTimeout(silence);
      if (controller.signal.aborted) return;
      silence = setTimeout(late(`was silent for ${limits.idleMs} ms`, true), limits.idleMs);
    },
    reason: () => reason,
    end() {
      clearTimeout(whole);
      clearTimeout(silence);
      outer.removeEventListener("abort", stop);
    },
  };
}
