// A language model behind Anthropic's Messages API: Anthropic itself, or any server that speaks like it (Ollama, LM Studio,
// vLLM, llama.cpp, LiteLLM). A question goes out once, and once more where its answer cannot be used.

import type { ModelChoice } from "../../config/read-model.ts";
import type { ModelAnswer, ModelFailure, ModelRequest, ModelUsage, ReplyShape } from "../../domain/model.ts";
import type { Model } from "../../ports/model.ts";
import type { Fetch } from "../service-fetch.ts";
import { attemptOnce, type Server } from "./attempt.ts";
import { CallFailed, callFailed } from "./call-failed.ts";
import { newDialects } from "./dialects.ts";
import type { Said } from "./gather-events.ts";
import { type Bill, modelCalls, newBill } from "./model-calls.ts";
import { modelFacts } from "./model-facts.ts";
import { ANTHROPIC_LIMITS, type ModelLimits, OTHER_LIMITS } from "./model-limits.ts";
import { readReply } from "./read-reply.ts";
import type { Tape } from "./replay-tape.ts";
import { type Repair, requestBody } from "./request-body.ts";

export interface AnthropicSettings extends ModelChoice {
  /** Reaches the one origin and nothing else, with no deadline of its own under ten minutes. */
  readonly fetch: Fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** 0 ≤ x < 1; without it `Math.random`. */
  readonly random?: () => number;
  readonly limits?: Partial<ModelLimits>;
  /** Takes secrets out of a reply that goes back to be mended: what it holds came from anywhere. */
  readonly mask?: (text: string) => Promise<string>;
  /** Records or replays replies. */
  readonly tape?: Tape;
}

export const ANTHROPIC_URL = "https://api.anthropic.com";
/** What a model nobody knows is trusted with; a server that holds less cuts prompts in silence. */
const UNKNOWN_CONTEXT = 32_000;

/** A `Model` over the Messages API. Make one a process: it remembers outages and what the server does not know. */
export function anthropicModel(settings: AnthropicSettings): Model {
  const baseUrl = settings.baseUrl ?? ANTHROPIC_URL;
  const isAnthropic = new URL(baseUrl).origin === ANTHROPIC_URL;
  const limits = { ...(isAnthropic ? ANTHROPIC_LIMITS : OTHER_LIMITS), ...settings.limits };
  const { apiKey, fetch, now, names, tape } = settings;
  const server: Server = { baseUrl, isAnthropic, apiKey, fetch, limits, now };
  const calls = modelCalls(limits, { now, random: settings.random ?? Math.random });
  const dialects = newDialects({ ...settings, isAnthropic });

  /** One turn of the talk; repeated without what the server turns out not to know. */
  async function say(asked: Asked, repair: Repair | null): Promise<Said> {
    const { request, signal, bill } = asked;
    for (;;) {
      const dialect = dialects.of(names[request.tier]);
      const body = requestBody(request, dialect, repair);
      const middleware = tape?.(request, dialect.model, repair) ?? null;
      try {
        return await calls(() => {
          bill.request();
          return attemptOnce(server, { body, signal, middleware, onPaid: bill.paid });
        }, signal);
      } catch (error) {
        if (!(error instanceof CallFailed) || !dialects.learn(dialect, error)) throw error;
      }
    }
  }

  return {
    names,
    contextTokens: (tier) => settings.contextTokens ?? modelFacts(names[tier]).contextTokens ?? UNKNOWN_CONTEXT,
    price: (tier, inputTokens, outputTokens) =>
      modelFacts(names[tier]).price({ fresh: inputTokens, cacheWrite: 0, cacheRead: 0, output: outputTokens }),
    async ask<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>> {
      const overall = AbortSignal.timeout(limits.overallMs);
      const bill = newBill(modelFacts(names[request.tier]), now);
      const either = signal === undefined ? overall : AbortSignal.any([signal, overall]);
      try {
        const reply = await talk(
          request.shape,
          (repair) => say({ request, signal: either, bill }, repair),
          settings.mask,
        );
        return { kind: "answered", ...reply, usage: bill.usage() };
      } catch (error) {
        const failed = callFailed(error, now());
        const isLate = failed.failure === "stopped" && signal?.aborted !== true;
        return failedAnswer(isLate ? late(limits.overallMs) : failed, now(), bill.usage());
      }
    },
  };
}

function failedAnswer(failed: CallFailed, now: number, usage: ModelUsage): ModelAnswer<never> {
  const { waitMs } = failed.turn;
  const notBefore = waitMs === null ? null : now + waitMs;
  return { kind: "failed", failure: failed.failure, detail: failed.message, notBefore, usage };
}

function late(ms: number): CallFailed {
  return new CallFailed("timeout", `no reply within ${ms} ms, all attempts together`);
}

interface Asked {
  readonly request: ModelRequest<unknown>;
  readonly signal: AbortSignal;
  readonly bill: Bill;
}

/** A question, and one request to mend the answer. Rejects with `CallFailed`. */
async function talk<T>(
  shape: ReplyShape<T>,
  say: (repair: Repair | null) => Promise<Said>,
  mask: (text: string) => Promise<string> = (text) => Promise.resolve(text),
): Promise<{ readonly value: T; readonly repaired: boolean }> {
  let repair: Repair | null = null;
  for (;;) {
    const said = await say(repair);
    const failure = stopFailure(said);
    if (failure !== null) throw failure;
    const read = said.stopReason === "pause_turn" ? PAUSED : readReply(said.text, shape);
    if (read.ok) return { value: read.value, repaired: read.mended || repair !== null };
    // What is wrong with a reply may quote it, so that is for the model's eyes only.
    if (repair !== null) throw new CallFailed("malformed", "the model's reply is not of the shape asked for, twice");
    repair = { reply: await mask(said.text), problem: await mask(read.problem) };
  }
}

/** Models pause for tools of the server, and we give none. */
const PAUSED = { ok: false, problem: "the turn was paused before its end" } as const;

/** `length` and `content_filter` are what servers of OpenAI's kind say when they are made to speak like Anthropic. */
const STOPS: ReadonlyMap<string, readonly [ModelFailure, string]> = new Map([
  ["refusal", ["refused", "the model refused to answer"]],
  ["content_filter", ["refused", "a content filter refused the answer"]],
  ["max_tokens", ["truncated", "the model's reply was cut by the token limit"]],
  ["length", ["truncated", "the model's reply was cut by the token limit"]],
  ["model_context_window_exceeded", ["too-long", "the question does not fit the model's context"]],
]);

function stopFailure(said: Said): CallFailed | null {
  const stop = STOPS.get(said.stopReason ?? "");
  if (stop === undefined) return null;
  return new CallFailed(stop[0], said.refusal === null ? stop[1] : `${stop[1]} (${said.refusal})`);
}
