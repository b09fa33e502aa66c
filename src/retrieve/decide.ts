// The gate's order: what was decided a moment ago, then the rules, then a model where one may be asked, then "search".
import type { GateDecision } from "../domain/retrieval.ts";
import { confident, defaultDecision, type GateConfig, gateByRules } from "./gate.ts";
import { type GateCache, gateKey } from "./gate-cache.ts";
import type { GateContext } from "./gate-context.ts";
import { gateQuestion } from "./gate-model.ts";
import type { Purse } from "./purse.ts";

export interface DecideWith {
  readonly cache: GateCache | null;
  /** Null when no model may be asked. */
  readonly ask: Pick<Purse, "ask"> | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Decides whether to search. Never rejects: what fails is a search at confidence .5. */
export async function decide(
  context: GateContext,
  config: GateConfig,
  { cache, ask, now }: DecideWith,
): Promise<GateDecision> {
  const kept = config.cacheDecisions ? cache : null;
  const key = kept === null ? "" : gateKey(context, config);
  const known = kept?.find(key, now, config.cacheTTLSeconds * 1000) ?? null;
  if (known !== null) return { ...known, decidedBy: "cache" };
  const decision = gateByRules(context, config) ?? (await askModel(context, config, ask));
  kept?.keep(key, decision, now);
  return decision;
}

async function askModel(context: GateContext, config: GateConfig, model: DecideWith["ask"]): Promise<GateDecision> {
  if (model === null) return defaultDecision("no rule holds and no model is asked");
  const told = await model.ask("gate", (delimiter) => gateQuestion(context, config.maxInputTokens, delimiter));
  if (told.failed !== null) return defaultDecision(`no rule holds, and of the model: ${told.failed}`, "model");
  return confident(told.value, config);
}
