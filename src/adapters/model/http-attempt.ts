// One HTTP request to the model's server, through the SDK with its waits, retries and logs turned off.

import { estimatedTokens } from "../../domain/model.ts";
import { ModelError, modelError } from "./model-error.ts";
import type { PaidTokens } from "./model-facts.ts";
import type { ModelLimits } from "./model-limits.ts";
import type { ModelReply, Protocol, RequestBody, Server } from "./protocol.ts";
import { streamFetch } from "./stream-fetch.ts";

export interface Attempt {
  readonly body: RequestBody;
  readonly signal: AbortSignal;
  /** Called once with the cost of the attempt, also when it fails: estimated if the server did not report it. */
  readonly onPaid: (tokens: PaidTokens) => void;
}

/** Never hangs, whatever `fetch` does. Rejects with `ModelError`. */
export async function attemptOnce(server: Server, protocol: Protocol, attempt: Attempt): Promise<ModelReply> {
  const { body } = attempt;
  const patience = newPatience(server.limits, body.maxTokens, attempt.signal);
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
    throw patience.signal.aborted ? patience.reason() : modelError(failure ?? error);
  } finally {
    patience.end();
    const { tokens, isWhole } = accumulator.reply();
    const isUncounted = !isWhole && tokens.fresh + tokens.cacheWrite + tokens.cacheRead === 0;
    // A server that received the question bills for it, whether or not we wait for the answer.
    const isRead = wasAccepted || (patience.signal.aborted && !isRefused);
    attempt.onPaid(isUncounted && isRead ? { ...tokens, fresh: promptTokens(body) } : tokens);
  }
}

/** About as many tokens as the server will read. */
export function promptTokens({ prompt }: RequestBody): number {
  return estimatedTokens(JSON.stringify(prompt).length);
}

const CUT_OFF = "the answer of the model's server was cut off";

interface Patience {
  readonly signal: AbortSignal;
  /** Rejects when a deadline passes. */
  readonly over: Promise<never>;
  /** Data arrived. */
  alive(): void;
  reason(): ModelError;
  end(): void;
}

/** Three timers: for the first byte, for each silence, for the whole attempt; and the caller's signal. */
function newPatience(limits: ModelLimits, tokens: number, outer: AbortSignal): Patience {
  const controller = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => {});
  let reason = new ModelError("stopped", "the question was stopped");
  const end = (why: ModelError) => {
    reason = why;
    controller.abort();
    reject(why);
  };
  const late = (words: string, again: boolean) => () =>
    end(new ModelError("timeout", `the model's server ${words}`, { again, isOutage: true }));

  const wholeMs = limits.attemptMs + limits.msPerToken * tokens;
  // A model that does not stop writing would do the same on a retry.
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
