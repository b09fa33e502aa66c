// Evaluates the gate in order: the cache, the rules, a model if allowed, then "search".

import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { repoKey } from "../../domain/memory.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { GateDecision } from "../../domain/retrieval.ts";
import { shortHash } from "../../domain/text/hash.ts";
import type { ModelBudget } from "../model/model-budget.ts";
import { confident, defaultDecision, type GateConfig, gateByRules } from "./gate.ts";
import type { GateContext } from "./gate-context.ts";
import { gateQuestion } from "./gate-model.ts";

interface DecideWith {
  readonly cache: GateCache | null;
  /** Null when no model may be asked. */
  readonly ask: Pick<ModelBudget, "ask"> | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Decides whether to search. Never rejects: a failure means a search at confidence .5. */
export async function decide(
  context: GateContext,
  config: GateConfig,
  { cache, ask, now }: DecideWith,
): Promise<GateDecision> {
  const kept = config.cacheDecisions ? cache : null;
  const key = kept === null ? "" : gateKey(context, config);
  const known = kept?.get(key);
  if (known !== undefined && now >= known.at && now - known.at < config.cacheTTLSeconds * 1000)
    return { ...known.decision, decidedBy: "cache" };
  const decision = gateByRules(context, config) ?? (await askModel(context, config, ask));
  kept?.set(key, { decision, at: now });
  return decision;
}

async function askModel(context: GateContext, config: GateConfig, model: DecideWith["ask"]): Promise<GateDecision> {
  if (model === null) return defaultDecision("no rule matched and no model is asked");
  const answer = await model.ask("gate", (delimiter) => gateQuestion(context, config.maxInputTokens, delimiter));
  if (answer.failed !== null) return defaultDecision(`no rule matched; the model: ${answer.failed}`, "model");
  return confident(answer.value, config);
}

/** Decisions by their key, each with its time in epoch milliseconds. */
export type GateCache = LRUCache<string, { readonly decision: GateDecision; readonly at: number }>;

/** An empty cache of at most 1,000 decisions: the same question about the same head is not asked twice. */
export function gateCache(): GateCache {
  return new LRUCache({ max: 1_000 });
}

/**
 * The key of a decision: a hash of everything it depends on. Trigger, title, body, files with their reasons, signals,
 * repository, pull request, head, memory's version and the gate's configuration.
 */
export function gateKey(context: GateContext, config: GateConfig): string {
  const { counts, version, noGain = null } = context.memory;
  const { signals } = context;
  const parts = [
    [context.trigger, context.explicit, context.title, context.body],
    [context.project, context.repo, context.pull, context.headSha, counts?.total ?? null, version, noGain],
    context.files.map((file) => [file.path, file.status, file.additions, file.deletions, file.complete]),
    context.leftOut.map(({ path, reason }) => [path, reason]),
    [signals.intent, signals.risks, signals.languages],
    // JSON keeps the source of a pattern and leaves out its function.
    config,
  ];
  return shortHash(JSON.stringify(parts), 64);
}

// A few skips are searched anyway, to measure whether skipping lost anything.

/** True for `share` (0–1) of all keys, always the same ones. */
export function inShadowSample(key: string, share: number): boolean {
  const hash = createHash("sha256").update(`shadow\n${key}`).digest();
  return hash.readUInt32BE(0) < share * 2 ** 32;
}

/** One head of one pull request. */
export function sampleKey({ repo, pull }: PullRequestContext): string {
  return `${repoKey(repo)}#${pull.number}@${pull.head.sha}`;
}
