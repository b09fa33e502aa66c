// What several questions cost together.
import type { ModelUsage } from "../domain/model.ts";
import type { Cost } from "../domain/omissions.ts";

/** US$ of what has a price. */
export function usdOf(usage: readonly ModelUsage[]): number {
  return usage.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
}

/** Null as soon as one question has no price: a sum without it would be a lie. */
export function costOf(usage: readonly ModelUsage[]): Omit<Cost, "ms"> {
  return {
    inputTokens: usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    usd: usage.some(({ usd }) => usd === null) ? null : usdOf(usage),
  };
}
