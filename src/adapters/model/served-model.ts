// A language model behind a server, over any of the protocols. A question is sent once, and once more to correct an unusable answer.

import type { ModelChoice } from "../../config/environment/read-models.ts";
import type { ModelAnswer, ModelFailure, ModelRequest, ModelTier, ModelUsage } from "../../domain/model.ts";
import type { Model } from "../../ports/model.ts";
import { retryingCalls } from "../retrying-calls.ts";
import type { Fetch } from "../service-call.ts";
import { attemptOnce } from "./http-attempt.ts";
import { ModelError, modelError } from "./model-error.ts";
import { type ModelFacts, type ModelLimits, modelFacts, OTHER_LIMITS, type PaidTokens } from "./model-facts.ts";
import type { Repair } from "./prompt-words.ts";
import type { Dialect, Feature, ModelReply, Protocol, Server } from "./protocol.ts";
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
  const facts = (tier: ModelTier) => modelFacts(names[tier], settings.prices?.[tier]);
  const contextTokens: Model["contextTokens"] = (tier) =>
    settings.contextTokens ?? facts(tier).contextTokens ?? UNKNOWN_CONTEXT;
  const price: Model["price"] = (tier, inputTokens, outputTokens) =>
    facts(tier).price({ fresh: inputTokens, cacheWrite: 0, cacheRead: 0, output: outputTokens });

  /** One request; repeated without the features that the server turns out not to support. */
  async function send(
    talk: Talk,
    repair: Repair | null,
  ): Promise<{ readonly reply: ModelReply; readonly dialect: Dialect }> {
    const { request, signal, bill } = talk;
    for (;;) {
      const dialect = capabilities.of(names[request.tier]);
      const body = protocol.body({ request, dialect, repair });
      try {
        const reply = await calls(() => {
          bill.request();
          return attemptOnce(server, protocol, body, signal, bill.paid);
        }, signal);
        return { reply, dialect };
      } catch (error) {
        if (!(error instanceof ModelError) || !capabilities.learn(dialect, error)) throw error;
      }
    }
  }

  /** A question, and one request to correct the answer. Rejects with `ModelError`. */
  async function converse<T>(talk: Talk, { shape }: ModelRequest<T>): Promise<Omit<Answered<T>, "kind" | "usage">> {
    let repair: Repair | null = null;
    for (;;) {
      const { reply, dialect } = await send(talk, repair);
      const failure = stopFailure(reply);
      if (failure !== null) throw failure;
      const read = reply.stopReason === "pause_turn" ? PAUSED : readReply(reply.text, shape);
      const without = capabilities.missing(dialect);
      if (read.ok) return { value: read.value, ...(without.length === 0 ? {} : { without }) };
      // The problem may quote the reply, so only the model sees it.
      if (repair !== null) throw new ModelError("malformed", "the model's reply is not of the shape asked for, twice");
      repair = { reply: await mask(reply.text), problem: await mask(read.problem) };
    }
  }

  return {
    names,
    contextTokens,
    price,
    async ask<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>> {
      const overall = AbortSignal.timeout(limits.overallMs);
      const bill = newBill(facts(request.tier), now);
      const either = signal === undefined ? overall : AbortSignal.any([signal, overall]);
      const talk: Talk = { request, signal: either, bill };
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
 * Which features of a protocol a server supports: decided by its address and the operator, corrected by its refusals.
 *
 * @param features what this kind of server gets until it refuses it
 */
function serverCapabilities(
  isOwn: boolean,
  features: readonly Feature[],
  settings: Pick<ModelChoice, "structuredOutput" | "temperature">,
) {
  /** By model. */
  const refused = new Map<string, ReadonlySet<Feature>>();
  // `on` is strict: without the feature the request fails, and the operator sees why.
  const fixed: Feature | null = settings.structuredOutput === "on" ? "format" : null;

  return {
    of(model: string): Dialect {
      const left = features.filter((feature) => !refused.get(model)?.has(feature));
      const takes = new Set(left.filter((feature) => feature !== "json" || !left.includes("format")));
      const temperature = takes.has("temperature") ? settings.temperature : null;
      return { model, facts: modelFacts(model), isOwn, takes, temperature };
    },
    /** Stops sending what the server refused. Returns whether that makes a retry worthwhile. */
    learn(used: Dialect, failed: ModelError): boolean {
      const dropped = failed.unknown.filter((feature) => used.takes.has(feature) && feature !== fixed);
      refused.set(used.model, new Set([...(refused.get(used.model) ?? []), ...dropped]));
      return dropped.length > 0;
    },
    /** Refused features that a user would notice: `structured output`, `temperature`. */
    missing({ model }: Dialect): readonly string[] {
      const without = refused.get(model);
      return MISSED.flatMap(([feature, words]) => (without?.has(feature) ? [words] : []));
    },
  };
}

const MISSED: readonly (readonly [Feature, string])[] = [
  ["format", "structured output"],
  ["temperature", "temperature"],
];
