// A language model behind a server, by any protocol. Asks once, and once more for a correction.

import { setTimeout as sleep } from "node:timers/promises";
import type { ModelChoice } from "../../config/environment/read-models.ts";
import {
  estimatedTokens,
  type ModelAnswer,
  type ModelFailure,
  type ModelRequest,
  type ModelTier,
  type ModelUsage,
  type Purpose,
} from "../../domain/model.ts";
import type { Model, ModelLessons } from "../../ports/model.ts";
import { connectionCause } from "../connection-cause.ts";
import { retryingCalls, untilStopped } from "../retrying-calls.ts";
import type { Fetch } from "../service-call.ts";
import { attemptOnce, CutOff } from "./http-attempt.ts";
import { type Lessons, learned, MOST_EXTRA, NO_LESSONS, storedLessons, together } from "./lessons.ts";
import { ModelError, type Refusal } from "./model-error.ts";
import { type ModelFacts, type ModelLimits, modelFacts, OTHER_LIMITS, type PaidTokens } from "./model-facts.ts";
import type { Repair } from "./prompt-words.ts";
import type { Dialect, Feature, ModelReply, Protocol, RequestBody, Server } from "./protocol.ts";
import { readReply } from "./read-reply.ts";

export interface ServedModelSettings extends Omit<ModelChoice, "provider"> {
  /** Reaches only the one origin, with no deadline of its own under ten minutes. */
  readonly fetch: Fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** 0 ≤ x < 1; without it `Math.random`. */
  readonly random?: () => number;
  readonly limits?: Partial<ModelLimits>;
  /** Removes secrets from a reply that goes back for correction, and from what a server says. */
  readonly mask: Model["mask"];
  /** Where lessons outlive the process; null: nowhere. */
  readonly lessons: ModelLessons | null;
}

/** The context of an unknown model; a server with less truncates prompts silently. */
const UNKNOWN_CONTEXT = 32_000;

/** A better order is not worth the time of a second request: without an answer the order stays. */
const ASKED_ONCE: ReadonlySet<Purpose> = new Set<Purpose>(["rerank"]);

/** A `Model` over a protocol. One per process: it remembers outages and lessons. */
export function servedModel(protocol: Protocol, settings: ServedModelSettings): Model {
  const baseUrl = settings.baseUrl ?? protocol.ownUrl;
  const isOwn = protocol.isOwn(new URL(baseUrl));
  const limits = { ...(isOwn ? protocol.ownLimits : OTHER_LIMITS), ...settings.limits };
  const { apiKey, fetch, now, names, mask } = settings;
  const server: Server = { baseUrl, isOwn, apiKey, fetch, limits, now };
  const calls = retryingCalls(limits, { now, random: settings.random ?? Math.random }, { open: circuitOpen, stopped });
  const capabilities = serverCapabilities(protocol, baseUrl, settings);
  const facts = (tier: ModelTier) => modelFacts(names[tier], settings.prices?.[tier]);
  const contextTokens: Model["contextTokens"] = (tier) => {
    const known = settings.contextTokens ?? facts(tier).contextTokens ?? UNKNOWN_CONTEXT;
    return Math.min(known, capabilities.contextTokens(names[tier]) ?? known);
  };
  const price: Model["price"] = (tier, inputTokens, outputTokens) =>
    facts(tier).price({ fresh: inputTokens, cacheWrite: 0, cacheRead: 0, output: outputTokens });

  /** One request; repeated without what the server turns out not to take. */
  async function send(talk: Talk, repair: Repair | null): Promise<ModelReply> {
    const { request, signal, bill } = talk;
    const model = names[request.tier];
    const isAnswer = (text: string) => {
      const read = readReply(text, request.shape);
      return read.ok && !read.fixed;
    };
    let wasCut = false;
    for (const tries = capabilities.begin(model); ; ) {
      const dialect = tries.dialect();
      const body = protocol.body({ request, dialect, repair });
      try {
        const reply = await calls(
          async () => {
            bill.request();
            try {
              return await attemptOnce(server, protocol, body, signal, isAnswer, bill.paid);
            } catch (error) {
              if (!(error instanceof CutOff && error.hasBegun)) throw error;
              // A server that ends its stream so does it again.
              const { failure, message } = error;
              if (wasCut) throw new ModelError(failure, message, { isOutage: true });
              wasCut = true;
              throw error;
            }
          },
          signal,
          ASKED_ONCE.has(request.purpose) ? 0 : limits.retries,
        );
        await tries.worked();
        return reply;
      } catch (error) {
        if (!(await tries.refused(dialect, body, error instanceof ModelError ? error.refusal : null))) throw error;
      }
    }
  }

  /** A question, and one request to correct the answer. Rejects with `ModelError`. */
  async function converse<T>(talk: Talk, { shape }: ModelRequest<T>): Promise<Omit<Answered<T>, "kind" | "usage">> {
    await capabilities.ready(names[talk.request.tier], talk.signal);
    let repair: Repair | null = null;
    for (;;) {
      const reply = await send(talk, repair);
      const failure = stopFailure(reply);
      if (failure !== null) throw failure;
      const read = reply.stopReason === "pause_turn" ? PAUSED : readReply(reply.text, shape);
      const without = capabilities.missing(names[talk.request.tier]);
      if (read.ok) return { value: read.value, ...(without.length === 0 ? {} : { without }) };
      // The problem may quote the reply, so only the model sees it.
      if (repair !== null || ASKED_ONCE.has(talk.request.purpose))
        throw new ModelError("malformed", "its reply was not of the form asked for; use a larger model");
      repair = { reply: await mask(reply.text), problem: await mask(read.problem) };
    }
  }

  return {
    names,
    contextTokens,
    price,
    mask,
    learned: capabilities.learned,
    async ask<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>> {
      const overall = AbortSignal.timeout(limits.overallMs);
      const bill = newBill(facts(request.tier), now);
      const either = signal === undefined ? overall : AbortSignal.any([signal, overall]);
      const talk: Talk = { request, signal: either, bill };
      try {
        return { kind: "answered", ...(await converse(talk, request)), usage: bill.usage() };
      } catch (error) {
        const { failure, message, turn } =
          error instanceof ModelError ? error : new ModelError("unreachable", connectionCause(error));
        const notBefore = turn.waitMs === null ? null : now() + turn.waitMs;
        const detail = await mask(apiKey === null ? message : message.replaceAll(apiKey, "‹key›"));
        const failed = { kind: "failed", failure, detail, notBefore, usage: bill.usage() } as const;
        if (failure !== "stopped" || signal?.aborted === true) return failed;
        return {
          ...failed,
          failure: "timeout",
          detail: `no reply within ${limits.overallMs} ms, all attempts together; use a faster model`,
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
  const words = "its last requests all failed; check the server and its log";
  return new ModelError("circuit-open", words, { waitMs });
}

/** Models pause for the server's own tools, which we do not use. */
const PAUSED = { ok: false, problem: "the turn was paused before its end" } as const;

/** Anthropic's, OpenAI's, Mistral's and Gemini's; compatible servers also use another's values. */
const STOPS: ReadonlyMap<string, readonly [ModelFailure, string]> = new Map([
  ["refusal", ["refused", "it declined; reword the change's texts, or use another model"]],
  ["max_tokens", ["truncated", "the token limit cut its reply; use a model with longer replies"]],
  ["model_context_window_exceeded", ["too-long", "set KODIAI_MODEL_CONTEXT_TOKENS to what the server takes"]],
  ["content_filter", ["refused", "its content filter refused the answer; use another model"]],
  ["length", ["truncated", "the token limit cut its reply; use a model with longer replies"]],
  ["model_length", ["truncated", "the token limit cut its reply; use a model with longer replies"]],
  ["safety", ["refused", "its content filter refused the answer; use another model"]],
]);

function stopFailure(reply: ModelReply): ModelError | null {
  const stop = STOPS.get(reply.stopReason?.toLowerCase() ?? "");
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

/** A refusal of a form comes at once. An answer takes minutes, in which others may not wait. */
const REFUSAL_MS = 2_000;
/** In tokens: what a context that the operator can configure has at least. */
const LEAST_WINDOW = 4_096;

/** Raise it when a version of ours sends what no earlier one did: then servers are tried again. */
const LESSON_VERSION = 2;

/** What a server takes: by its address and the operator, corrected by refusals, and remembered. */
function serverCapabilities(protocol: Protocol, baseUrl: string, settings: ServedModelSettings) {
  const { structuredOutput, temperature, now } = settings;
  const isOwn = protocol.isOwn(new URL(baseUrl));
  const features = protocol
    .features({ isOwn, isFull: isOwn || structuredOutput === "on" })
    .filter((feature) => structuredOutput !== "off" || (feature !== "format" && feature !== "json"))
    .filter((feature) => feature !== "temperature" || temperature !== null)
    // `on` is strict: without the schema the request fails, and the operator sees why.
    .filter((feature) => structuredOutput !== "on" || feature !== "json");
  const fixed: Feature | null = structuredOutput === "on" ? "format" : null;
  const server = [LESSON_VERSION, baseUrl, features.join(" ")].join(" ");
  const ofModel = new Map<string, ModelState>();

  /** Lessons of one model. Those about the server count for its other models once proven. */
  function modelLessons(model: string): ModelState {
    const store = storedLessons(settings.lessons, `${server} ${model}`);
    const { promise: first, resolve: firstEnded } = Promise.withResolvers<void>();
    const others = [...ofModel.values()].flatMap(({ state }) => (state.proven ? state.lessons.without : []));
    const without = [...new Set(others.filter((other) => OF_SERVER.has(other)))];
    const state = {
      lessons: { ...NO_LESSONS, without },
      proven: false,
      begun: false,
      credit: Number.POSITIVE_INFINITY,
    };
    const read = store.read().then((kept) => {
      state.lessons = { ...kept, without: [...new Set([...without, ...kept.without])] };
    });
    return { store, state, read, first, firstEnded };
  }
  /** Requests that were repeated in another form, in the life of this process. */
  let repeats = 0;

  function of(model: string) {
    const known = ofModel.get(model) ?? modelLessons(model);
    ofModel.set(model, known);
    return known;
  }

  return {
    contextTokens: (model: string) => of(model).state.lessons.contextTokens,
    /** Reads what was learned before. Questions beside a model's first one wait a moment for it. */
    async ready(model: string, signal: AbortSignal): Promise<void> {
      const { state, read, first } = of(model);
      await read;
      const isFirst = !state.begun;
      state.begun = true;
      if (isFirst || state.proven) return;
      const queue = untilStopped(signal, stopped);
      const moment = sleep(REFUSAL_MS, null, { ref: false });
      await Promise.race([first, moment, queue.stopped]).finally(queue.leave);
    },
    /** The attempts of one request. */
    begin(model: string) {
      const { store, state, firstEnded } = of(model);
      /** What this question learned; it counts for others once it led to an answer. */
      let own: Lessons = NO_LESSONS;
      const lessons = () => together(state.lessons, own);
      const left = () => features.filter((feature) => !lessons().without.includes(feature));
      let extra = 0;
      /** The room that the server named for this very request. */
      let room = Number.POSITIVE_INFINITY;
      return {
        dialect(): Dialect {
          const takes = new Set(left().filter((feature) => feature !== "json" || !left().includes("format")));
          const { replyTokens: most, contextTokens: window } = lessons();
          const replyTokens: Dialect["replyTokens"] = (wanted, chars) => {
            const beside = window === null ? wanted : Math.max(window / 4, window - estimatedTokens(chars));
            return Math.floor(Math.min(wanted, most ?? wanted, beside, room, state.credit));
          };
          const warmth = takes.has("temperature") ? temperature : null;
          return { model, facts: modelFacts(model), isOwn, takes, temperature: warmth, replyTokens };
        },
        /** Remembers the form of the request that worked. */
        async worked(): Promise<void> {
          firstEnded();
          state.proven = true;
          if (own === NO_LESSONS) return;
          state.lessons = lessons();
          await store.keep(state.lessons, now());
        },
        /** Changes the form of the next request; false when no other form is worth an attempt. */
        async refused({ takes }: Dialect, { maxTokens }: RequestBody, refusal: Refusal | null): Promise<boolean> {
          const isTooLong = refusal?.size?.replyTokens === null;
          const window = refusal?.size?.contextTokens ?? 0;
          // The next review plans for less; a smaller window holds none.
          if (window >= LEAST_WINDOW) state.lessons = { ...state.lessons, contextTokens: window };
          const mayGuess = refusal?.mayGuess === true && repeats < MOST_EXTRA && (!state.proven || takes.has("format"));
          const tried = { sent: left(), fixed, replyTokens: maxTokens, extra, mayGuess };
          if (refusal?.isCredit) {
            state.credit = refusal.size?.replyTokens ?? state.credit;
            return ++extra <= MOST_EXTRA;
          }
          const next = refusal === null || isTooLong ? null : learned(lessons(), refusal, tried);
          // Nothing helped: the form of the request was not the reason.
          if (next === null) {
            firstEnded();
            if (isTooLong) await store.keep(state.lessons, now());
            return false;
          }
          room = Math.min(room, refusal?.size?.replyTokens ?? room);
          if (refusal?.size === null) repeats++;
          extra++;
          own = next;
          return true;
        },
      };
    },
    /** What was left out and a user would notice: `structured output`, `temperature`. */
    missing: (model: string): readonly string[] =>
      MISSED.flatMap(([feature, words]) => (of(model).state.lessons.without.includes(feature) ? [words] : [])),
    learned(): readonly string[] {
      const all = [...ofModel.values()].map(({ state }) => state.lessons);
      const limits = all.flatMap(({ replyTokens, contextTokens }) => [
        ...(replyTokens === null ? [] : [`replies of more than ${replyTokens} tokens`]),
        ...(contextTokens === null ? [] : [`more than ${contextTokens} tokens of context`]),
      ]);
      return [
        ...new Set([...all.flatMap(({ without }) => without.flatMap((feature) => LEFT_OUT[feature] ?? [])), ...limits]),
      ];
    },
  };
}

interface ModelState {
  readonly store: ReturnType<typeof storedLessons>;
  readonly state: {
    lessons: Lessons;
    /** The longest reply that credit paid for, in tokens. Not stored: people add credit. */
    credit: number;
    /** It has answered a request in its present form. */
    proven: boolean;
    begun: boolean;
  };
  /** Ends when `lessons` has what was stored. */
  readonly read: Promise<void>;
  /** Ends when the first question has its first answer, or none. */
  readonly first: Promise<void>;
  readonly firstEnded: () => void;
}

/** Refused by a server rather than by one of its models, and no loss to a review. */
const OF_SERVER: ReadonlySet<Feature> = new Set<Feature>(["stream", "usage", "limit", "cache", "system"]);

const MISSED: readonly (readonly [Feature, string])[] = [
  ["format", "structured output"],
  ["temperature", "temperature"],
];

const LEFT_OUT: Readonly<Partial<Record<Feature, string>>> = {
  stream: "streaming",
  format: "structured output",
  effort: "reasoning effort",
  thinking: "a setting for thinking",
  cache: "prompt caching",
  temperature: "temperature",
  system: "a system role",
};
