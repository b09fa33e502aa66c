// A language model behind a server, over any of the protocols. A question is sent once, again for each round of look-ups, and once
// more to correct an unusable answer.

import type { ModelChoice } from "../../config/environment/read-models.ts";
import {
  CHARS_PER_TOKEN,
  type LookedUp,
  type LookUps,
  type ModelAnswer,
  type ModelFailure,
  type ModelRequest,
  type ModelUsage,
} from "../../domain/model.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import type { Model } from "../../ports/model.ts";
import { retryingCalls, untilStopped } from "../retrying-calls.ts";
import type { Fetch } from "../service-call.ts";
import { attemptOnce, promptTokens } from "./http-attempt.ts";
import { ModelError, modelError } from "./model-error.ts";
import { type ModelFacts, type ModelLimits, modelFacts, OTHER_LIMITS, type PaidTokens } from "./model-facts.ts";
import type { Repair } from "./prompt-words.ts";
import {
  type Dialect,
  type Feature,
  type ModelReply,
  type Protocol,
  type RequestBody,
  type Round,
  type Server,
  type ToolCall,
  type Turn,
  toolsOf,
} from "./protocol.ts";
import { readReply } from "./read-reply.ts";

export interface ServedModelSettings extends Omit<ModelChoice, "provider"> {
  /** Reaches only the one origin, with no deadline of its own under ten minutes. */
  readonly fetch: Fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** 0 ≤ x < 1; without it `Math.random`. */
  readonly random?: () => number;
  readonly limits?: Partial<ModelLimits>;
  /** Removes secrets from a reply that goes back for correction: it may contain anything. */
  readonly mask?: (text: string) => Promise<string>;
}

/** The context of an unknown model; a server with less truncates prompts silently. */
const UNKNOWN_CONTEXT = 32_000;

/** A `Model` over a protocol. Create one per process: it remembers outages and unsupported features. */
export function servedModel(protocol: Protocol, settings: ServedModelSettings): Model {
  const baseUrl = settings.baseUrl ?? protocol.ownUrl;
  const isOwn = protocol.isOwn(new URL(baseUrl));
  const limits = { ...(isOwn ? protocol.ownLimits : OTHER_LIMITS), ...settings.limits };
  const { apiKey, fetch, now, names, structuredOutput } = settings;
  const mask = settings.mask ?? ((text: string) => Promise.resolve(text));
  const server: Server = { baseUrl, isOwn, apiKey, fetch, limits, now };
  const calls = retryingCalls(limits, { now, random: settings.random ?? Math.random }, { open: circuitOpen, stopped });
  const features = protocol
    .features({ isOwn, isFull: isOwn || structuredOutput === "on" })
    .filter((feature) => structuredOutput !== "off" || (feature !== "format" && feature !== "json"));
  const capabilities = serverCapabilities(isOwn, features, settings);
  const contextTokens: Model["contextTokens"] = (tier) =>
    settings.contextTokens ?? modelFacts(names[tier]).contextTokens ?? UNKNOWN_CONTEXT;
  const price: Model["price"] = (tier, inputTokens, outputTokens) =>
    modelFacts(names[tier]).price({ fresh: inputTokens, cacheWrite: 0, cacheRead: 0, output: outputTokens });

  /** The next request of a conversation, and whether its reply may request look-ups. */
  function nextTurn(talk: Talk, dialect: Dialect, repair: Repair | null): { turn: Turn; body: RequestBody } {
    const { request, rounds } = talk;
    const turn = { request, dialect, rounds, mayCall: false, repair };
    if (talk.isOver || repair !== null || toolsOf(turn).length === 0) return { turn, body: protocol.body(turn) };
    const calling = { ...turn, mayCall: true };
    const body = protocol.body(calling);
    talk.stopped = stopOf(talk, price(request.tier, promptTokens(body), request.maxOutputTokens));
    if (talk.stopped === null) return { turn: calling, body };
    talk.isOver = true;
    return { turn, body: protocol.body(turn) };
  }

  /** One request; repeated without the features that the server turns out not to support. */
  async function send(
    talk: Talk,
    repair: Repair | null,
  ): Promise<{ reply: ModelReply; turn: Turn; body: RequestBody }> {
    const { request, signal, bill } = talk;
    for (;;) {
      const dialect = capabilities.of(names[request.tier], request.lookUps !== undefined);
      const { turn, body } = nextTurn(talk, dialect, repair);
      try {
        const reply = await calls(() => {
          bill.request();
          return attemptOnce(server, protocol, body, signal, bill.paid);
        }, signal);
        return { reply, turn, body };
      } catch (error) {
        if (!(error instanceof ModelError) || !capabilities.learn(dialect, error)) throw error;
      }
    }
  }

  /** Performs the look-ups of a reply. */
  async function lookUp(talk: Talk, reply: ModelReply, { prompt, maxTokens }: RequestBody): Promise<void> {
    const { request, signal } = talk;
    if (request.lookUps === undefined) return;
    const left = request.lookUps.calls - talk.calls;
    const free = (contextTokens(request.tier) - maxTokens) * CHARS_PER_TOKEN - JSON.stringify(prompt).length;
    const stop = untilStopped(signal, stopped);
    try {
      const results = await Promise.race([lookUpAll(request.lookUps, reply.calls, left, free), stop.stopped]);
      talk.calls += Math.min(reply.calls.length, left);
      talk.rounds.push({ reply, results });
    } finally {
      stop.leave();
    }
  }

  /** A question, its look-ups, and one request to correct the answer. Rejects with `ModelError`. */
  async function converse<T>(talk: Talk, { shape }: ModelRequest<T>): Promise<Omit<Answered<T>, "kind" | "usage">> {
    let repair: Repair | null = null;
    for (;;) {
      const { reply, turn, body } = await send(talk, repair);
      const failure = body.onlyCalls ? null : stopFailure(reply);
      if (failure !== null) throw failure;
      if (turn.mayCall && reply.calls.length > 0) {
        await lookUp(talk, reply, body);
        continue;
      }
      if (body.onlyCalls) {
        talk.isOver = true;
        continue;
      }
      const read = reply.stopReason === "pause_turn" ? PAUSED : readReply(reply.text, shape);
      if (read.ok) return { value: read.value, ...reportOf(talk, turn) };
      // The problem may quote the reply, so only the model sees it.
      if (repair !== null) throw new ModelError("malformed", "the model's reply is not of the shape asked for, twice");
      repair = { reply: await mask(reply.text), problem: await mask(read.problem) };
    }
  }

  function reportOf(talk: Talk, turn: Turn): Pick<Answered<unknown>, "lookedUp" | "without"> {
    const without = capabilities.missing(turn.dialect);
    const lookedUp: LookedUp =
      toolsOf(turn).length > 0
        ? { kind: "offered", calls: talk.calls, stopped: talk.stopped }
        : { kind: "unsupported" };
    return {
      ...(talk.request.lookUps === undefined ? {} : { lookedUp }),
      ...(without.length === 0 ? {} : { without }),
    };
  }

  return {
    names,
    contextTokens,
    price,
    async ask<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>> {
      const overall = AbortSignal.timeout(limits.overallMs);
      const bill = newBill(modelFacts(names[request.tier]), now);
      const either = signal === undefined ? overall : AbortSignal.any([signal, overall]);
      const talk: Talk = { request, signal: either, bill, rounds: [], calls: 0, stopped: null, isOver: false };
      try {
        return { kind: "answered", ...(await converse(talk, request)), usage: bill.usage() };
      } catch (error) {
        const { failure, message: detail, turn } = modelError(error);
        const notBefore = turn.waitMs === null ? null : now() + turn.waitMs;
        const failed = { kind: "failed", failure, detail, notBefore, usage: bill.usage() } as const;
        if (failure !== "stopped" || signal?.aborted === true) return failed;
        return {
          ...failed,
          failure: "timeout",
          detail: `no reply within ${limits.overallMs} ms, all attempts together`,
        };
      }
    },
  };
}

type Answered<T> = Extract<ModelAnswer<T>, { readonly kind: "answered" }>;

/** One question until its answer. */
interface Talk {
  readonly request: ModelRequest<unknown>;
  readonly signal: AbortSignal;
  readonly bill: ReturnType<typeof newBill>;
  readonly rounds: Round[];
  /** Look-ups performed. */
  calls: number;
  stopped: Extract<LookedUp, { readonly kind: "offered" }>["stopped"];
  /** No further reply may request look-ups. */
  isOver: boolean;
}

/**
 * Why the next reply may not request look-ups, or null.
 *
 * @param usd the maximum cost of the next request; null without a known price
 */
function stopOf({ request, rounds, calls, bill }: Talk, usd: number | null): Talk["stopped"] {
  const { lookUps } = request;
  if (lookUps === undefined || rounds.length >= lookUps.rounds) return "rounds";
  if (calls >= lookUps.calls) return "calls";
  const spent = bill.usage().usd;
  // After this request, the budget must cover one more for the answer.
  return usd !== null && spent !== null && spent + 2 * usd > lookUps.usd ? "budget" : null;
}

function stopped(): ModelError {
  return new ModelError("stopped", "the question was stopped");
}

function circuitOpen(waitMs: number): ModelError {
  const words = "the model's server failed repeatedly and is left alone for a while";
  return new ModelError("circuit-open", words, { waitMs });
}

/** Models pause for the server's own tools, which we do not use. */
const PAUSED = { ok: false, problem: "the turn was paused before its end" } as const;

/** Anthropic's, then OpenAI's; compatible servers also use the other's values. */
const STOPS: ReadonlyMap<string, readonly [ModelFailure, string]> = new Map([
  ["refusal", ["refused", "the model refused to answer"]],
  ["max_tokens", ["truncated", "the model's reply was cut by the token limit"]],
  ["model_context_window_exceeded", ["too-long", "the question does not fit the model's context"]],
  ["content_filter", ["refused", "a content filter refused the answer"]],
  ["length", ["truncated", "the model's reply was cut by the token limit"]],
]);

function stopFailure(reply: ModelReply): ModelError | null {
  const stop = STOPS.get(reply.stopReason ?? "");
  if (stop === undefined) return null;
  return new ModelError(stop[0], reply.refusal === null ? stop[1] : `${stop[1]} (${reply.refusal})`);
}

/** The cost of one question, all of its requests together; its wall time begins here. */
function newBill(facts: ModelFacts, now: () => number) {
  const start = now();
  let requests = 0;
  let usd = facts.price({ fresh: 0, cacheWrite: 0, cacheRead: 0, output: 0 });
  const sum = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  return {
    /** A request is sent. */
    request() {
      requests++;
    },
    paid(tokens: PaidTokens) {
      sum.inputTokens += tokens.fresh + tokens.cacheWrite + tokens.cacheRead;
      sum.cachedTokens += tokens.cacheRead;
      sum.outputTokens += tokens.output;
      const more = facts.price(tokens);
      usd = usd === null || more === null ? null : usd + more;
    },
    usage: (): ModelUsage => ({ ...sum, usd, ms: now() - start, requests }),
  };
}

/**
 * Performs look-ups within the limits of their question: one text for each call, in their order. Never rejects.
 *
 * @param left how many more look-ups the question may make
 * @param maxLength UTF-16 units of all results together
 */
async function lookUpAll(
  { tools, answer }: LookUps,
  calls: readonly ToolCall[],
  left: number,
  maxLength: number,
): Promise<readonly string[]> {
  const names = new Set(tools.map(({ name }) => name));
  const texts = await Promise.all(
    calls.map(({ name, input }, at) => {
      if (at >= left) return "Not looked up: no look-ups are left. Answer now.";
      if (!names.has(name)) return "There is no tool of this name.";
      if (input === null) return "The input is not JSON.";
      return answer(name, input).catch(() => "This look-up failed.");
    }),
  );
  let free = Math.max(maxLength, 0);
  return texts.map((text) => {
    const shown = cutText(text, free);
    free -= shown.length;
    return shown.length < text.length ? `${shown}\n(cut: there is no room for more)` : shown;
  });
}

/**
 * Which features of a protocol a server supports: decided by its address and the operator, corrected by its refusals.
 *
 * @param features what this kind of server gets until it refuses it
 */
function serverCapabilities(
  isOwn: boolean,
  features: readonly Feature[],
  settings: Pick<ModelChoice, "structuredOutput" | "temperature">,
) {
  const refused = new Map<string, Set<Feature>>();
  const keyOf = (model: string, withTools: boolean) => `${withTools} ${model}`;
  const refusedBy = (used: Dialect) => keyOf(used.model, used.takes.has("tools"));
  // `on` is strict: without the feature the request fails, and the operator sees why.
  const fixed: Feature | null = settings.structuredOutput === "on" ? "format" : null;

  return {
    /** @param withTools whether the question offers look-ups: some servers support less with them */
    of(model: string, withTools: boolean): Dialect {
      const mayCall = withTools && !refused.get(keyOf(model, true))?.has("tools");
      const without = refused.get(keyOf(model, mayCall));
      const left = features.filter((feature) => !without?.has(feature));
      const takes = new Set(
        left.filter((feature) => (feature === "json" ? !left.includes("format") : feature !== "tools" || mayCall)),
      );
      const temperature = takes.has("temperature") ? settings.temperature : null;
      return { model, facts: modelFacts(model), isOwn, takes, temperature };
    },
    /** Stops sending what the server refused. Returns whether that makes a retry worthwhile. */
    learn(used: Dialect, failed: ModelError): boolean {
      const named = failed.unknown.filter((feature) => used.takes.has(feature) && feature !== fixed);
      // If a server names tools with another feature, it refuses the combination.
      const others = named.filter((feature) => feature !== "tools");
      const dropped = others.length > 0 ? others : named;
      const key = refusedBy(used);
      refused.set(key, new Set([...(refused.get(key) ?? []), ...dropped]));
      return dropped.length > 0;
    },
    /** Refused features that a user would notice: `structured output`, `temperature`. */
    missing(used: Dialect): readonly string[] {
      const without = refused.get(refusedBy(used));
      return MISSED.flatMap(([feature, words]) => (without?.has(feature) ? [words] : []));
    },
  };
}

const MISSED: readonly (readonly [Feature, string])[] = [
  ["format", "structured output"],
  ["temperature", "temperature"],
];
