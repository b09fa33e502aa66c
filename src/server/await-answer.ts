// Before the server starts, waits for the database or GitHub, and answers 503 meanwhile. To exit
// instead would cause a restart loop, and load a service that is already in trouble.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Transient } from "../domain/errors.ts";
import { type Ports, unavailableServers } from "./sweeps/unavailable-servers.ts";

interface Wait extends Ports {
  readonly log: Logger;
  readonly unwanted?: AbortSignal;
}

interface Awaited<T> {
  /** `the database`. */
  readonly name: string;
  readonly ask: () => Promise<T>;
  /** How long to retry after such an error, in milliseconds; null: not at all. */
  readonly patienceMs: (error: unknown) => number | null;
  readonly longestPauseMs: number;
}

const FIRST_PAUSE_MS = 500;

/**
 * Calls `ask` until it succeeds. While it retries, both ports answer 503 (unavailableServers).
 *
 * @throws the error of `ask`: at once without patience, else the last one after that time or an
 *   abort
 */
async function awaitAnswer<T>({ name, ask, patienceMs, longestPauseMs }: Awaited<T>, wait: Wait): Promise<T> {
  const { log, unwanted } = wait;
  const began = performance.now();
  let [patience, since, detail] = [0, began, ""];
  let servers: { close(): Promise<void> } | null = null;
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, longestPauseMs)) {
      try {
        const answer = await ask();
        if (servers !== null) log.info(`${name} answers`);
        return answer;
      } catch (error) {
        const mostMs = patienceMs(error);
        // Another kind of error starts its own patience.
        if (mostMs !== null && mostMs !== patience)
          [patience, since] = [mostMs, servers === null ? began : performance.now()];
        const left = patience - (performance.now() - since);
        if (mostMs === null || left <= 0 || unwanted?.aborted === true) throw error;
        detail = error instanceof Error ? error.message : "it does not answer";
        servers ??= await unavailableServers(wait, () => ({ reason: `waiting for ${name}`, detail }));
        const forSeconds = Math.round((performance.now() - began) / 1_000);
        log.warn({ reason: detail, forSeconds }, `waiting for ${name}`);
        await sleep(Math.min(pause, left), null, { signal: unwanted }).catch(() => {});
      }
    }
  } finally {
    await servers?.close();
  }
}

/** Longer than a start, restart or failover of a database; then the process exits. */
const DATABASE_MS = 120_000;
const LONGEST_DATABASE_PAUSE_MS = 8_000;

/**
 * Returns when the database answers: machines start in any order, and a restart takes half a
 * minute.
 *
 * @param ask rejects with Transient when a retry may help, with another error when it cannot
 * @throws the error of `ask`: at once if it is not Transient, else after `mostMs` or an abort
 */
export async function awaitDatabase(
  ask: () => Promise<void>,
  { mostMs = DATABASE_MS, ...wait }: Wait & { readonly mostMs?: number },
): Promise<void> {
  const patienceMs = (error: unknown) => (error instanceof Transient ? mostMs : null);
  await awaitAnswer({ name: "the database", ask, patienceMs, longestPauseMs: LONGEST_DATABASE_PAUSE_MS }, wait);
}

/** A key refused for so long is wrong: incidents are shorter, and new keys work within seconds. */
const REFUSED_MS = 120_000;
const LONGEST_GITHUB_PAUSE_MS = 30_000;

/** GitHub kept refusing the credentials. */
export class AppRefused extends Error {
  override readonly name = "AppRefused";
}

/**
 * The app's own slug: neither an outage nor one wrong answer may end the server.
 *
 * @param ask see appSlug
 * @throws AppRefused when GitHub refused for `refusedMs`; Error when no retry helps, or after an
 *   abort
 */
export async function ownSlug(
  ask: () => Promise<string>,
  { refusedMs = REFUSED_MS, ...wait }: Wait & { readonly refusedMs?: number },
): Promise<string> {
  const patienceMs = (error: unknown) =>
    error instanceof Transient ? Number.POSITIVE_INFINITY : isRefusal(error) ? refusedMs : null;
  try {
    return await awaitAnswer({ name: "GitHub", ask, patienceMs, longestPauseMs: LONGEST_GITHUB_PAUSE_MS }, wait);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new AppRefused(error.message, { cause: error });
  }
}

function isRefusal(error: unknown): error is Error {
  const status = error instanceof Error && "status" in error ? error.status : null;
  return typeof status === "number" && status >= 400 && status < 500;
}
