// Whether a model may be asked, and for how much: budgets against what was spent, and one review's
// money shared between finding memories and reading the change.
import { type KnownRules, noPriceOf } from "../../config/parse-config.ts";
import type { RepoConfig } from "../../config/repo-config.ts";
import { type Budget, type BudgetUsage, type ReservationRequest, reservationOf } from "../../domain/budget.ts";
import { hasAccess, NEAR } from "../../domain/command.ts";
import type { Repo } from "../../domain/job.ts";
import { type AskableModel, type ModelAllowance, type ModelTier, usdOf } from "../../domain/model.ts";
import type { BudgetName, MonthSpending } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { ModelCost } from "../../domain/retrieval.ts";
import { counted } from "../../domain/text/counted.ts";
import type { Permissions } from "../../ports/conversation.ts";
import type { Model, ModelAccess } from "../../ports/model.ts";

const DAY_MS = 24 * 60 * 60_000;

interface Asker {
  /** People without write access are behind it: a part of the money, and some reviews a day. */
  readonly isOutsider: boolean;
  readonly isReview: boolean;
  readonly signal: AbortSignal;
}

/**
 * What one review or answer may cost: its budget, or what is left of the calendar month (UTC). It
 * is reserved for the job: jobs that begin meanwhile have the rest.
 *
 * @param now epoch milliseconds
 * @returns no model when it is switched off, or a limit is reached, which the reason names
 */
export async function modelAllowance(
  { budget, model: setting }: RepoConfig["review"],
  repo: Repo,
  access: ModelAccess | null,
  now: number,
  { isOutsider, isReview, signal }: Asker,
): Promise<ModelAllowance> {
  if (access === null || setting === "off") return { model: null, reason: null };
  const { model, delimiter, reservations } = access;
  const allowance = { model: until(signal, model), delimiter };
  if (access.usdPerMonth !== null && unpricedModels(access).length > 0)
    return { model: null, reason: `${noPriceOf(unpricedModels(access))}, and the operator's budget needs it` };
  const { reviewsPerDay } = budget.outsiders;
  if (isOutsider && isReview && reservations && (await reservations.outsidersReviews(now - DAY_MS)) >= reviewsPerDay) {
    const reason = `a pull request gets ${counted(reviewsPerDay, "review")} by the model in 24 hours for people without write access (\`review.budget.outsiders\`), used up by now`;
    return { model: null, reason };
  }
  // A model that costs nothing sets nothing aside; its review is counted all the same.
  const wanted = { least: 0, most: costsMoney(model) ? budget.usdPerReview : 0 };
  const { usd, usages } = await setAside(wanted, budgetsOf(budget, repo, access, isOutsider), access, now);
  if (!costsMoney(model)) return { ...allowance, usd: Number.POSITIVE_INFINITY };
  const empty = usages.find((usage) => usage.usd + usage.aside >= usage.of);
  return empty === undefined ? { ...allowance, usd } : { model: null, reason: usedUp(empty) };
}

/**
 * The month's budget of which least is left, and what is spent of it: for the footer of a review.
 *
 * @param now epoch milliseconds
 * @returns null where nothing is spent of any budget: no model, a free one, or switched off
 */
export async function monthSpending(
  { budget, model: setting }: RepoConfig["review"],
  repo: Repo,
  access: ModelAccess | null,
  now: number,
  isOutsider: boolean,
): Promise<MonthSpending | null> {
  if (access === null || setting === "off" || !costsMoney(access.model)) return null;
  const budgets = budgetsOf(budget, repo, access, isOutsider);
  const usages = budgetStates(budgets, await usagesOf(budgets, access, monthStart(now)));
  const [nearest] = usages.filter(({ of }) => of > 0).toSorted((a, b) => b.usd / b.of - a.usd / a.of);
  return nearest === undefined ? null : { whose: nearest.whose, usd: nearest.usd, of: nearest.of };
}

/**
 * The month's budget that does not hold so much more; if all do, a job's part is set aside.
 *
 * @param usd what the next questions may cost at most; replaces what was set aside before
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
  const budgets = budgetsOf({ usdPerMonth: ofRepository }, repo, access, false);
  const booked = await setAside({ least: usd, most: usd }, budgets, access, now);
  if (booked.usd > 0) return null;
  return booked.usages.find((usage) => usage.usd + usage.aside + usd > usage.of) ?? null;
}

/** A budget before anything was reserved for this job. */
interface BudgetState extends MonthSpending {
  readonly aside: number;
}

async function setAside(wanted: ReservationRequest, budgets: readonly Budget[], access: ModelAccess, now: number) {
  const since = monthStart(now);
  const { usd, usages } = access.reservations
    ? await access.reservations.reserve(wanted, budgets, since)
    : reservationOf(wanted, budgets, await usagesOf(budgets, access, since));
  return { usd, usages: budgetStates(budgets, usages) };
}

function usedUp({ whose, usd, of }: BudgetState): string {
  const budget = budgetText(whose, of);
  return usd < of
    ? `what is left of ${budget} is set aside for reviews that run at this moment`
    : `${budget} is used up${whose === "repository" || whose === "outsiders" ? "" : " this month"}`;
}

/** A budget, as the summary names it. */
export function budgetText(whose: BudgetName, of: number): string {
  switch (whose) {
    case "repository":
      return `this month's budget of USD ${of}`;
    case "outsiders":
      return `this month's budget of USD ${of} for people without write access (\`review.budget.outsiders\`)`;
    case "operator":
      return `the operator's budget of USD ${of} for all repositories`;
    case "share":
      return `this repository's share of USD ${of} of the operator's budget`;
  }
}

function budgetsOf(
  { usdPerMonth, outsiders }: Partial<RepoConfig["review"]["budget"]> & { readonly usdPerMonth: number },
  repo: Repo,
  { usdPerMonth: ceiling, repositoryPercent }: ModelAccess,
  isOutsider: boolean,
): readonly Budget[] {
  const share = ceiling === null ? Number.POSITIVE_INFINITY : partOf(ceiling, repositoryPercent);
  const budgets: Budget[] = [{ whose: "repository", repo, of: usdPerMonth }];
  if (ceiling !== null)
    budgets.push({ whose: "operator", repo: null, of: ceiling }, { whose: "share", repo, of: share });
  if (isOutsider && outsiders !== undefined)
    budgets.push({ whose: "outsiders", repo, of: partOf(Math.min(usdPerMonth, share), outsiders.percentOfMonth) });
  return budgets;
}

/** In hundredths of a cent. */
function partOf(usd: number, percent: number): number {
  return Number(((usd * percent) / 100).toFixed(4));
}

function usagesOf(
  budgets: readonly Budget[],
  { spending }: ModelAccess,
  since: number,
): Promise<readonly BudgetUsage[]> {
  return Promise.all(budgets.map(({ whose, repo }) => spending.usage(repo, since, whose === "outsiders")));
}

function budgetStates(budgets: readonly Budget[], usages: readonly BudgetUsage[]): readonly BudgetState[] {
  return budgets.map(({ whose, of }, at) => {
    const { spent, aside } = usages[at] ?? { spent: 0, aside: 0 };
    return { whose, usd: spent, aside, of };
  });
}

const TIERS = ["main", "small"] as const satisfies readonly ModelTier[];

/** A model with the price 0, or without one where no budget in US$ was set, spends no budget. */
function costsMoney(model: Model): boolean {
  return TIERS.some((tier) => (model.price(tier, MILLION, MILLION) ?? 0) > 0);
}

const MILLION = 1_000_000;

/** The models whose questions could cost any amount: no budget in US$ can hold for them. */
function unpricedModels({ model }: ModelAccess): readonly string[] {
  return [...new Set(TIERS.filter((tier) => model.price(tier, 1, 1) === null).map((tier) => model.names[tier]))];
}

/** A configuration is checked against the known rules, and the model that would be asked. */
export function knownFor({ known, access }: { readonly known: KnownRules; readonly access: ModelAccess | null }) {
  return access === null ? known : { ...known, unpriced: unpricedModels(access) };
}

function monthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** At most this part goes into finding memories: they serve the reading. */
const MEMORY_PART = 0.25;
/** Shorter than the model's own patience: a review does not wait so long for its memories. */
const MEMORY_MS = 180_000;

/** The allowance for finding memories: a part of the money, and three minutes. */
export function retrievalShare(allowance: ModelAllowance): ModelAllowance {
  if (allowance.model === null) return allowance;
  return {
    ...allowance,
    model: until(AbortSignal.timeout(MEMORY_MS), allowance.model),
    usd: allowance.usd * MEMORY_PART,
  };
}

function until(signal: AbortSignal, model: Pick<Model, keyof AskableModel>): Pick<Model, keyof AskableModel> {
  return {
    ...model,
    ask: (request, other) => model.ask(request, other === undefined ? signal : AbortSignal.any([other, signal])),
  };
}

/** What is left of an allowance once this was spent. */
export function remainingAfter(allowance: ModelAllowance, spent: readonly ModelCost[]): ModelAllowance {
  if (allowance.model === null || spent.length === 0) return allowance;
  const usd = allowance.usd - usdOf(spent);
  return usd > 0 ? { ...allowance, usd } : { model: null, reason: "the budget of this review is used up" };
}

/**
 * Whether people without write access are behind a review: who asked for it by name, else the
 * author. People for whom GitHub does not answer have none.
 *
 * @param permissions null where a person asks at a terminal, with a model of their own
 */
export async function isForOutsider(
  { job, pull, repo, config }: Pick<PullRequestContext, "job" | "pull" | "repo" | "config">,
  access: ModelAccess | null,
  permissions: Permissions | null,
): Promise<boolean> {
  if (permissions === null || access === null || config.review.model === "off") return false;
  // Only people with write access push to branches of the repository itself.
  if (job.askedBy === null && pull.head.repo === `${repo.owner}/${repo.name}`) return false;
  return !hasAccess(await permissions.of(repo, job.askedBy ?? pull.author), "write");
}

/** Whether the author lacks write access, whoever asked. Only a model's text depends on it. */
export async function isByOutsider(
  context: Parameters<typeof isForOutsider>[0],
  access: ModelAccess | null,
  permissions: Permissions | null,
): Promise<boolean> {
  const { pull, repo, job } = context;
  const isFork = pull.head.repo !== null && pull.head.repo !== `${repo.owner}/${repo.name}`;
  // Without the right to ask for permissions, what GitHub calls them has to do.
  const isNear = NEAR.has(pull.author.association);
  return permissions === null
    ? isFork && !isNear
    : isForOutsider({ ...context, job: { ...job, askedBy: null } }, access, permissions);
}
