// Whether the model may be asked, and for how much: the repository's budgets against what it has spent.
import type { RepoConfig } from "../config/repo-config.ts";
import type { Repo } from "../domain/job.ts";
import type { Model, ModelAccess, ModelLeave } from "../ports-model.ts";

/**
 * What one review, or one answer, may cost: the budget of a review, or what is left of the calendar month (UTC).
 *
 * @param now epoch milliseconds
 * @param signal aborted when the work is no longer wanted
 * @returns no leave when the configuration switches the model off, or the month's budget is used up
 */
export function modelLeave(
  { budget, model: setting }: RepoConfig["review"],
  repo: Repo,
  access: ModelAccess | null,
  now: number,
  signal?: AbortSignal,
): ModelLeave {
  if (access === null || setting === "off") return { model: null, reason: null };
  const { model } = access;
  const asked = { model, delimiter: access.delimiter, ...(signal === undefined ? {} : { signal }) };
  if (isFree(model)) return { ...asked, usd: Number.POSITIVE_INFINITY };
  const left = budget.usdPerMonth - access.spending.since(repo, monthStart(now));
  if (left > 0) return { ...asked, usd: Math.min(budget.usdPerReview, left) };
  return { model: null, reason: `this month's budget of USD ${budget.usdPerMonth} is used up` };
}

/** A model without a price, on the operator's own machine, spends no budget. */
function isFree(model: Model): boolean {
  return model.price("main", 1, 1) === null;
}

/** The first moment of the calendar month (UTC); epoch milliseconds. */
export function monthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}
