// Monthly budgets, and how much of what is left one piece of work may reserve.
import type { Repo } from "./job.ts";
import type { BudgetName } from "./omissions.ts";

/** A spending limit for a calendar month (UTC). */
export interface Budget {
  readonly whose: BudgetName;
  /** Null: the limit of all repositories together. */
  readonly repo: Pick<Repo, "host" | "id"> | null;
  /** US$. */
  readonly of: number;
}

/** How a budget stands. US$. */
export interface BudgetUsage {
  readonly spent: number;
  /** Reserved by running jobs and not spent yet. */
  readonly aside: number;
}

/** How much a job wants to reserve, in US$. */
export interface ReservationRequest {
  /** A smaller amount is of no use. */
  readonly least: number;
  readonly most: number;
}

/** What was set aside, and how each budget stood before, in the order in which they were named. */
export interface Reservation {
  /** US$; 0: nothing. */
  readonly usd: number;
  readonly usages: readonly BudgetUsage[];
}

/**
 * What every budget still holds, between `least` and `most`; 0 where one holds nothing, or less
 * than `least`. US$.
 */
export function reservationOf(
  { least, most }: ReservationRequest,
  budgets: readonly Budget[],
  usages: readonly BudgetUsage[],
): Reservation {
  const left = budgets.map(({ of }, at) => of - (usages[at]?.spent ?? 0) - (usages[at]?.aside ?? 0));
  const usd = Math.min(most, ...left);
  return { usd: usd > 0 && usd >= least ? usd : 0, usages };
}
