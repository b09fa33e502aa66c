// Whether a model may be asked, and for how much: the repository's budgets and the operator's against what was spent, and one
// review's money shared between finding memories and reading the change.
import type { RepoConfig } from "../../config/repo-config.ts";
import { type Budget, bookingOf, type Purse, type Wanted } from "../../domain/budget.ts";
import type { Repo } from "../../domain/job.ts";
import type { ModelRequest } from "../../domain/model.ts";
import type { Cost, Degraded, MonthSpending } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { ModelCost } from "../../domain/retrieval.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import type { Model, ModelAccess, ModelLeave } from "../../ports/model.ts";

/**
 * What one review, or one answer, may cost: the budget of a review, or what is left of the calendar month (UTC). Where a job
 * asks, that much is set aside for it: whoever begins meanwhile has the rest.
 *
 * @param now epoch milliseconds
 * @param signal aborted when the answers are no longer wanted
 * @returns no leave when the configuration switches the model off, or a month's budget is used up
 */
export async function modelAllowance(
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
  const wanted = { least: 0, most: budget.usdPerReview };
  const { usd, purses } = await setAside(wanted, budget.usdPerMonth, repo, access, now);
  const empty = purses.find((purse) => purse.usd + purse.aside >= purse.of);
  return empty === undefined ? { ...leave, usd } : { model: null, reason: usedUp(empty) };
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
  const budgets = budgetsOf(budget.usdPerMonth, repo, access);
  const [first, second] = standing(budgets, await pursesOf(budgets, access, monthStart(now)));
  if (first === undefined) return null;
  const nearer = second !== undefined && second.usd / second.of > first.usd / first.of ? second : first;
  return { whose: nearer.whose, usd: nearer.usd, of: nearer.of };
}

/**
 * The budget of the month that does not hold so much more; where every one does and a job asks, that much is set aside.
 *
 * @param usd what the next questions may cost at most; what the job set aside for earlier ones is given back
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
  const booked = await setAside({ least: usd, most: usd }, ofRepository, repo, access, now);
  if (booked.usd > 0) return null;
  return booked.purses.find((purse) => purse.usd + purse.aside + usd > purse.of) ?? null;
}

/** A budget as it stood before anything was set aside for this job. */
interface StandingPurse extends MonthSpending {
  /** US$ that other jobs have set aside. */
  readonly aside: number;
}

async function setAside(
  wanted: Wanted,
  ofRepository: number,
  repo: Repo,
  access: ModelAccess,
  now: number,
): Promise<{ readonly usd: number; readonly purses: readonly StandingPurse[] }> {
  const since = monthStart(now);
  const budgets = budgetsOf(ofRepository, repo, access);
  const { usd, purses } = access.reserve
    ? await access.reserve.book(wanted, budgets, since)
    : bookingOf(wanted, budgets, await pursesOf(budgets, access, since));
  return { usd, purses: standing(budgets, purses) };
}

function usedUp({ whose, usd, of }: StandingPurse): string {
  if (usd < of) {
    const budget = whose === "repository" ? "this month's budget" : "the operator's budget for all repositories";
    return `what is left of ${budget} of USD ${of} is set aside for reviews that run at this moment`;
  }
  return whose === "repository"
    ? `this month's budget of USD ${of} is used up`
    : `the operator's budget of USD ${of} for all repositories is used up this month`;
}

/** The repository's own budget, then the operator's where there is one. */
function budgetsOf(ofRepository: number, repo: Repo, { usdPerMonth }: ModelAccess): readonly Budget[] {
  const own = { repo, of: ofRepository };
  return typeof usdPerMonth === "number" ? [own, { repo: null, of: usdPerMonth }] : [own];
}

function pursesOf(budgets: readonly Budget[], { spending }: ModelAccess, since: number): Promise<readonly Purse[]> {
  return Promise.all(budgets.map((budget) => spending.purse(budget.repo, since)));
}

function standing(budgets: readonly Budget[], purses: readonly Purse[]): readonly StandingPurse[] {
  return budgets.map(({ repo, of }, at) => {
    const { spent, aside } = purses[at] ?? { spent: 0, aside: 0 };
    return { whose: repo === null ? "operator" : "repository", usd: spent, aside, of };
  });
}

/** A model without a price, on the operator's own machine, spends no budget. */
function isFree(model: Model): boolean {
  return model.price("main", 1, 1) === null;
}

function monthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** At most this part goes into finding memories: they serve the reading. */
const MEMORY_PART = 0.25;
/** The model's own patience is for long answers; a review does not wait so long for its memories. */
const MEMORY_MS = 180_000;

/** The leave of whoever finds memories: a part of the money, and three minutes. */
export function retrievalShare(leave: ModelLeave): ModelLeave {
  if (leave.model === null) return leave;
  const late = AbortSignal.timeout(MEMORY_MS);
  const signal = leave.signal === undefined ? late : AbortSignal.any([leave.signal, late]);
  return { ...leave, usd: leave.usd * MEMORY_PART, signal };
}

/** What is left of a leave once this was spent. */
export function remainingAfter(leave: ModelLeave, spent: readonly ModelCost[]): ModelLeave {
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

/**
 * The model for this author: where the repository wants it so, the small one for the fork of somebody who never had a pull request
 * merged here, which the review says.
 */
export function newcomerAccess(
  { config, pull, repo }: Pick<PullRequestContext, "config" | "pull" | "repo">,
  { author }: Pick<ReviewSignals, "author">,
  access: ModelAccess | null,
): { readonly access: ModelAccess | null; readonly degraded: readonly Degraded[] } {
  const isFork = pull.head.repo !== `${repo.owner}/${repo.name}`;
  const isMeant = config.review.newcomers === "cheap" && author.tier === "first-time" && isFork;
  if (access === null || config.review.model === "off" || !isMeant) return { access, degraded: [] };
  const reason = `${access.model.names.small} reads the first pull requests of people from forks here (\`review.newcomers\`)`;
  return { access: { ...access, model: smallOnly(access.model) }, degraded: [{ part: "model", reason }] };
}

/** Every question goes to the small model, and is counted as one of its. */
function smallOnly(model: Model): Model {
  const { small } = model.names;
  return {
    names: { main: small, small },
    contextTokens: () => model.contextTokens("small"),
    price: (_tier, inputTokens, outputTokens) => model.price("small", inputTokens, outputTokens),
    ask: <T>(request: ModelRequest<T>, signal?: AbortSignal) => model.ask({ ...request, tier: "small" }, signal),
  };
}
