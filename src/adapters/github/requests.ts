// Single requests to GitHub: a refusal's status, pauses, pages, the rest of the hour's limit.
import { setTimeout as wait } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";
import { Transient } from "../../domain/errors.ts";
import type { Repo } from "../../domain/job.ts";
import type { RequestBudget } from "../../ports/history.ts";

/** The parameters that name a repository. */
export const placeOf = ({ owner, name }: Pick<Repo, "owner" | "name">) => ({ owner, repo: name });

/** The status of GitHub's answer; 0 without one. */
export function statusOf(error: unknown): number {
  return error instanceof Error && "status" in error ? Number(error.status) : 0;
}

/** The result of `work`; null if GitHub answers with one of these statuses. */
export async function unlessStatus<T>(statuses: readonly number[], work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (statuses.includes(statusOf(error))) return null;
    throw error;
  }
}

/** Items a page, the most that GitHub gives. */
export const PAGE = 100;

/** The items of a list, page by page until one is not full, at most so many pages. */
export async function pagesOf<Item>(
  most: number,
  ask: (page: number) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (let page = 1; page <= most; page += 1) {
    const items = await ask(page);
    all.push(...items);
    if (items.length < PAGE) break;
  }
  return all;
}

type Listed = Pick<
  Awaited<ReturnType<Octokit["rest"]["repos"]["get"]>>["data"],
  "id" | "name" | "owner" | "private"
> & {
  readonly visibility?: string;
};

/** A repository as GitHub describes it now. */
export function repoOf(host: string, { id, name, owner, private: isPrivate, visibility }: Listed): Repo {
  const seen = isPrivate ? (visibility === "internal" ? "internal" : "private") : "public";
  return { host, id, ownerId: owner.id, owner: owner.login, name, visibility: seen };
}

/** @param paceMs between two beginnings. GitHub allows 900 points a minute; a GET is one */
export function pacer(paceMs: number) {
  let next = 0;
  return async <T>(request: () => Promise<T>): Promise<T> => {
    const pause = next - performance.now();
    if (pause > 0) await wait(pause);
    next = performance.now() + paceMs;
    return request();
  };
}

/** The share of an hour's requests that is reserved for reviews, which use the same limit. */
const LEFT_TO_REVIEWS = 0.2;

/**
 * The hourly limit in an answer's headers; null from a server without limits, which sends none.
 *
 * @returns `isEnough` is false once the rest is reserved for reviews, `until` when the hour ends
 */
export function hourOf(headers: Readonly<Record<string, unknown>>): Omit<RequestBudget, "sent"> | null {
  const of = (name: string) => Number(headers[`x-ratelimit-${name}`] ?? Number.NaN);
  const [limit, remaining, reset] = [of("limit"), of("remaining"), of("reset")];
  if (!Number.isFinite(limit) || !Number.isFinite(remaining)) return null;
  return { isEnough: remaining >= limit * LEFT_TO_REVIEWS, until: Number.isFinite(reset) ? reset * 1_000 : null };
}

/** @throws Transient until the hour ends if the rest of it is reserved for reviews */
export function leaveEnough(headers: Readonly<Record<string, unknown>>): void {
  const hour = hourOf(headers);
  if (hour?.isEnough === false)
    throw new Transient("the rest of this hour's GitHub requests is reserved for reviews", hour.until);
}
