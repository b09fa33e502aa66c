// What readers of GitHub need of single requests: the status of a refusal, room between two requests, and what is left of the hour.
import { setTimeout as wait } from "node:timers/promises";
import { Transient } from "../../domain/errors.ts";

/** The status of GitHub's answer; 0 where there is none. */
export function statusOf(error: unknown): number {
  return error instanceof Error && "status" in error ? Number(error.status) : 0;
}

/** What `work` gives; null where GitHub answers one of these statuses. */
export async function unlessStatus<T>(statuses: readonly number[], work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (statuses.includes(statusOf(error))) return null;
    throw error;
  }
}

export type Paced = <T>(request: () => Promise<T>) => Promise<T>;

/** @param paceMs between the beginnings of two requests. GitHub's secondary limit: 900 points a minute, a GET is one */
export function pacer(paceMs: number): Paced {
  let next = 0;
  return async (request) => {
    const pause = next - performance.now();
    if (pause > 0) await wait(pause);
    next = performance.now() + paceMs;
    return request();
  };
}

/** The share of an hour's requests that is left to reviews, which come out of the same budget. */
const LEFT_TO_REVIEWS = 0.2;

/** This hour's requests as an answer's headers tell. */
interface Hour {
  /** False once what is left is for reviews. */
  readonly isEnough: boolean;
  /** When the hour ends, epoch milliseconds; null where it is not told. */
  readonly until: number | null;
}

/** Null from a server without limits, which names none. */
export function hourOf(headers: Readonly<Record<string, unknown>>): Hour | null {
  const of = (name: string) => Number(headers[`x-ratelimit-${name}`] ?? Number.NaN);
  const [limit, remaining, reset] = [of("limit"), of("remaining"), of("reset")];
  if (!Number.isFinite(limit) || !Number.isFinite(remaining)) return null;
  return { isEnough: remaining >= limit * LEFT_TO_REVIEWS, until: Number.isFinite(reset) ? reset * 1_000 : null };
}

/** @throws Transient until the hour ends where what is left of it is for reviews */
export function leaveEnough(headers: Readonly<Record<string, unknown>>): void {
  const hour = hourOf(headers);
  if (hour?.isEnough === false)
    throw new Transient("the rest of this hour's requests to GitHub is left to reviews", hour.until);
}
