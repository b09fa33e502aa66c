// Wires language models, embedders and rerankers to their ports: none of them sees a secret.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { keptReplies } from "../adapters/kept-replies.ts";
import { localWords } from "../adapters/local/local-embedder.ts";
import type { ServiceLimits } from "../adapters/service-call.ts";
import type { Embeddings, ModelChoice, RerankerChoice } from "../config/environment/read-models.ts";
import { Transient } from "../domain/errors.ts";
import type { Repo } from "../domain/job.ts";
import type { ModelUsage, PromptPiece, Purpose } from "../domain/model.ts";
import type { RerankCandidate } from "../domain/retrieval.ts";
import type { Embedder, Reranker } from "../ports/memory.ts";
import type { Model, ModelAccess, ModelLessons, ReplyStore, SpendingStore } from "../ports/model.ts";
import type { Held } from "../ports.ts";
import { egressTo } from "./egress.ts";
import { redact, registerSecrets, withoutSecrets } from "./secrets.ts";

/**
 * The chosen model; `ask` answers instead of its server. Secrets in prompts are masked.
 *
 * @param lessons where it is remembered what the server does not take; null: only in this process
 */
export async function chosenModel(
  choice: ModelChoice,
  ask?: Model["ask"],
  lessons: ModelLessons | null = null,
): Promise<Model> {
  // Loaded only when chosen: each SDK takes a second to import.
  const protocol =
    choice.provider === "openai"
      ? (await import("../adapters/model/openai/completions.ts")).COMPLETIONS
      : (await import("../adapters/model/anthropic/messages.ts")).MESSAGES;
  const { servedModel } = await import("../adapters/model/served-model.ts");
  registerSecrets(choice.apiKey);
  const fetch = egressTo(choice.baseUrl ?? protocol.ownUrl, { deadlineMs: null });
  const model = servedModel(protocol, { ...choice, fetch, mask: redact, lessons, now: Date.now });
  return withMaskedPrompts(ask === undefined ? model : { ...model, ask });
}

function withMaskedPrompts(model: Model): Model {
  const masked = (pieces: readonly PromptPiece[]) =>
    Promise.all(pieces.map(async (piece) => ({ ...piece, text: await model.mask(piece.text) })));
  return {
    ...model,
    async ask(request, signal) {
      return model.ask({ ...request, user: await masked(request.user) }, signal);
    },
  };
}

/** A model that records the cost of every question, with all its attempts, answered or not. */
export function meteredModel(
  model: Model,
  record: (purpose: Purpose, usage: ModelUsage) => Promise<void> | void,
): Model {
  return {
    ...model,
    async ask(request, signal) {
      const answer = await model.ask(request, signal);
      try {
        if (answer.usage.requests > 0) await record(request.purpose, answer.usage);
      } catch {}
      return answer;
    },
  };
}

/** Delimiter around untrusted text in a prompt: 128 random bits. */
export function promptDelimiter(): string {
  return `kodiai-${randomBytes(16).toString("hex")}`;
}

/**
 * Access to a model for one job: each request is recorded, and deducted from the job's reservation.
 *
 * @param review the review whose answers are kept until it is saved; null: no answers are kept
 */
export function accessFor(
  asking: ModelSettings,
  { job: { repo }, ...held }: Held & { readonly job: { readonly repo: Repo } },
  store: SpendingStore,
  review: { readonly key: string; readonly replies: ReplyStore } | null = null,
): ModelAccess | null {
  const { model, usdPerMonth, repositoryPercent, questions } = asking;
  if (model === null) return null;
  const record = async (purpose: Purpose, usage: ModelUsage) => {
    const at = Date.now();
    try {
      await untilWritten(() => store.record(repo, at, purpose, usage, held), questions.ending);
    } catch (error) {
      // An answer counts even if its cost could not be recorded.
      questions.onLost({ repo: repo.id, purpose, ...usage }, error);
    }
  };
  const metered = questions.watch(meteredModel(model, record));
  const kept =
    review && keptReplies(metered, { ...review, store: review.replies, redact: withoutSecrets, now: Date.now });
  const reservations = store.reservations(held, repo);
  const limits = { reservations, usdPerMonth, repositoryPercent };
  return { model: kept ?? metered, spending: store, ...limits, delimiter: promptDelimiter };
}

/** Between two attempts to record a cost. */
const AGAIN_MS = 1_000;

/**
 * Retries while the store cannot be written, until `ending`. A job must not release its reservation
 * before its spending is recorded; with a full disk its review could not be stored either.
 */
async function untilWritten(write: () => Promise<void>, ending: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof Transient) || ending.aborted) throw error;
      await sleep(AGAIN_MS, undefined, { signal: ending }).catch(() => {});
    }
  }
}

type OnLost = (cost: ModelUsage & { readonly repo: number; readonly purpose: Purpose }, error: unknown) => void;

/** The cost of open requests is recorded before the process ends, or `onLost` is called with it. */
export function openQuestions(onLost: OnLost) {
  const ending = new AbortController();
  const stopped: AbortSignal = ending.signal;
  const open = new Set<Promise<unknown>>();
  return {
    /** Aborted when the process ends. */
    ending: stopped,
    onLost,
    /** Wraps a model, so that `end` can stop its open requests. */
    watch: (model: Model): Model => ({
      ...model,
      async ask(request, signal) {
        const either = signal === undefined ? stopped : AbortSignal.any([signal, stopped]);
        const question = model.ask(request, either);
        open.add(question);
        try {
          const answer = await question;
          // Never resolves, or the job would take the stopped request for a failed one.
          return stopped.aborted ? await new Promise<never>(() => {}) : answer;
        } finally {
          open.delete(question);
        }
      },
    }),
    /** Resolves when the cost of every open request is recorded or lost. */
    async end() {
      ending.abort();
      await Promise.allSettled(open);
    },
  };
}

export interface ModelSettings {
  readonly model: Model | null;
  /** US$ for all repositories; null: no limit. */
  readonly usdPerMonth: number | null;
  /** The share of that limit for one repository, in percent. */
  readonly repositoryPercent: number;
  readonly questions: ReturnType<typeof openQuestions>;
}

/** Masks secrets before texts leave the machine. */
function withoutSecretsSent(embedder: Embedder): Embedder {
  return {
    get space() {
      return embedder.space;
    },
    threshold: embedder.threshold,
    operatorThreshold: embedder.operatorThreshold,
    sameClaim: embedder.sameClaim,
    confidence: embedder.confidence,
    weight: embedder.weight,
    embed: async (texts, kind) => embedder.embed(await Promise.all(texts.map(redact)), kind),
  };
}

/** The operator's embedder, or the keyless one; `limits` are others in tests and `doctor` only. */
export async function chosenEmbedder(embeddings: Embeddings, limits: Partial<ServiceLimits> = {}): Promise<Embedder> {
  const embedder = embeddings.kind === "local" ? localWords() : withoutSecretsSent(await served(embeddings, limits));
  const { scoreThreshold } = embeddings;
  // Not spread: the dimension of some is read from their first answer.
  return scoreThreshold === undefined ? embedder : Object.assign(embedder, { operatorThreshold: 1 - scoreThreshold });
}

/** Loaded only when chosen: an SDK takes a second to import. */
async function served(embeddings: Exclude<Embeddings, { readonly kind: "local" }>, limits: Partial<ServiceLimits>) {
  registerSecrets(embeddings.apiKey);
  if (embeddings.kind === "voyage") {
    const { VOYAGE_URL, voyageEmbedder } = await import("../adapters/voyage/voyage.ts");
    const baseUrl = embeddings.baseUrl ?? VOYAGE_URL;
    return voyageEmbedder({ ...embeddings, baseUrl, fetch: egressTo(baseUrl), limits, now: Date.now });
  }
  const { httpEmbedder } = await import("../adapters/http-embedder/embedder.ts");
  return httpEmbedder({ ...embeddings, limits, fetch: egressTo(embeddings.baseUrl), now: Date.now });
}

/** The operator's reranker, or null. It sees no secret. */
export async function chosenReranker(choice: RerankerChoice): Promise<Reranker | null> {
  if (choice.kind === "off") return null;
  registerSecrets(choice.apiKey);
  const { VOYAGE_URL, voyageReranker } = await import("../adapters/voyage/voyage.ts");
  const baseUrl = choice.baseUrl ?? VOYAGE_URL;
  const { name, rerank } = voyageReranker({ ...choice, baseUrl, fetch: egressTo(baseUrl), limits: {}, now: Date.now });
  // Queries of one review share candidates, and the secret scan takes over a millisecond per text.
  const known = new WeakMap<RerankCandidate, Promise<RerankCandidate>>();
  const safe = (candidate: RerankCandidate) => {
    const masked = known.get(candidate) ?? redact(candidate.text).then((text) => ({ ...candidate, text }));
    known.set(candidate, masked);
    return masked;
  };
  return {
    name,
    rerank: async (query, candidates, topK) =>
      rerank(await redact(query), await Promise.all(candidates.map(safe)), topK),
  };
}
