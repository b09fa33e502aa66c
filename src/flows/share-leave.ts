// One review's money, shared between those that ask the model: first a part for finding memories, then all that is left for
// reading the change.
import type { Cost } from "../domain/omissions.ts";
import type { ModelCost } from "../domain/retrieval.ts";
import type { ModelLeave } from "../ports/model.ts";

/** At most this part goes into finding memories: they serve the reading. */
const MEMORY_PART = 0.25;
/** The model's own patience is for long answers; a review does not wait so long for its memories. */
const MEMORY_MS = 180_000;

/** The leave of whoever finds memories: a part of the money, and three minutes. */
export function leaveForMemory(leave: ModelLeave): ModelLeave {
  if (leave.model === null) return leave;
  const late = AbortSignal.timeout(MEMORY_MS);
  const signal = leave.signal === undefined ? late : AbortSignal.any([leave.signal, late]);
  return { ...leave, usd: leave.usd * MEMORY_PART, signal };
}

/** What is left of a leave once this was spent. */
export function leaveAfter(leave: ModelLeave, spent: readonly ModelCost[]): ModelLeave {
  if (leave.model === null || spent.length === 0) return leave;
  const usd = leave.usd - sum(spent.map((of) => of.usd ?? 0));
  return usd > 0 ? { ...leave, usd } : { model: null, reason: "the budget of this review is used up" };
}

/** A cost with what its memories cost; US$ are null as soon as one part has no price. */
export function costWith(cost: Omit<Cost, "ms">, spent: readonly ModelCost[]): Omit<Cost, "ms"> {
  const prices = [cost.usd, ...spent.map(({ usd }) => usd)];
  return {
    inputTokens: cost.inputTokens + sum(spent.map(({ inputTokens }) => inputTokens)),
    outputTokens: cost.outputTokens + sum(spent.map(({ outputTokens }) => outputTokens)),
    usd: prices.includes(null) ? null : sum(prices.map((usd) => usd ?? 0)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
