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

/** How much of a budget is used, in US$. */
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

/** The reserved amount, and the usage of each budget before it, in the order in which the budgets were named. */
export interface Reservation {
  /** US$; 0 when nothing was reserved. */
  readonly usd: number;
  readonly purses: readonly BudgetUsage[];
}

/**
 * The smallest amount that every budget still has, at most `most`; 0 when a budget has nothing left or less than
 * `least`. US$.
 */
export function reservationOf(
  { least, most }: ReservationRequest,
  budgets: readonly Budget[],
  purses: readonly BudgetUsage[],
): Reservation {
  const left = budgets.map(({ of }, at) => of - (purses[at]?.spent ?? 0) - (purses[at]?.aside ?? 0));
  const usd = Math.min(most, ...left);
  return { usd: usd > 0 && usd >= least ? usd : 0, purses };
}
