// Whether the model may be asked, and for how much: the repository's budgets and the operator's against what was spent.
import type { RepoConfig } from "../config/repo-config.ts";
import type { Repo } from "../domain/job.ts";
import type { MonthSpending } from "../domain/outcome.ts";
import type { Model, ModelAccess, ModelLeave } from "../ports/model.ts";

/**
 * What one review, or one answer, may cost: the budget of a review, or what is left of the calendar month (UTC).
 *
 * @param now epoch milliseconds
 * @param signal aborted when the answers are no longer wanted
 * @returns no leave when the configuration switches the model off, or a month's budget is used up
 */
export async function modelLeave(
  { budget, model: setting }: RepoConfig["review"],
  repo: Repo,
  access: ModelAccess | null,
  now: number,
  signal?: AbortSignal,
): Promise<ModelLeave> {
  if (access === null || setting === "off") return { model: null, reason: null };
  const { model, delimiter } = access;
  const leave = { model, delimiter, ...(signal === undefined ? {} : { signal }) };
  if (isFree(model)) return { ...leave, usd: Number.POSITIVE_INFINITY };
  const purses = await pursesOf(budget.usdPerMonth, repo, access, now);
  const empty = purses.find(({ usd, of }) => usd >= of);
  if (empty !== undefined) return { model: null, reason: usedUp(empty) };
  return { ...leave, usd: Math.min(budget.usdPerReview, ...purses.map(({ usd, of }) => of - usd)) };
}

/**
 * How much of the month's budget is spent, for the footer of a review: of two budgets, the one of which less is left.
 *
 * @param now epoch milliseconds
 * @returns null where nothing is spent of any budget: no model, a free one, or switched off
 */
export async function monthSpending(
  { budget, model: setting }: RepoConfig["review"],
  repo: Repo,
  access: ModelAccess | null,
  now: number,
): Promise<MonthSpending | null> {
  if (access === null || setting === "off" || isFree(access.model)) return null;
  const [first, second] = await pursesOf(budget.usdPerMonth, repo, access, now);
  if (first === undefined) return null;
  return second !== undefined && second.usd / second.of > first.usd / first.of ? second : first;
}

/**
 * The budget of the month that would not hold so much more.
 *
 * @param usd what the next questions may cost at most
 * @param ofRepository the repository's own budget, US$ a month
 * @param now epoch milliseconds
 * @returns null where every budget holds it
 */
export async function overrunBy(
  usd: number,
  ofRepository: number,
  repo: Repo,
  access: ModelAccess,
  now: number,
): Promise<MonthSpending | null> {
  const purses = await pursesOf(ofRepository, repo, access, now);
  return purses.find((purse) => purse.usd + usd > purse.of) ?? null;
}

function usedUp({ whose, of }: MonthSpending): string {
  return whose === "repository"
    ? `this month's budget of USD ${of} is used up`
    : `the operator's budget of USD ${of} for all repositories is used up this month`;
}

/** The repository's own budget, then the operator's where there is one. */
async function pursesOf(
  ofRepository: number,
  repo: Repo,
  { spending, usdPerMonth }: ModelAccess,
  now: number,
): Promise<readonly MonthSpending[]> {
  const since = monthStart(now);
  const own: MonthSpending = { whose: "repository", usd: await spending.since(repo, since), of: ofRepository };
  if (typeof usdPerMonth !== "number") return [own];
  return [own, { whose: "operator", usd: await spending.since(null, since), of: usdPerMonth }];
}

/** A model without a price, on the operator's own machine, spends no budget. */
function isFree(model: Model): boolean {
  return model.price("main", 1, 1) === null;
}

function monthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}
