// Waits for a dependency before the server starts, the database or GitHub, and answers 503 meanwhile. Exiting instead would cause a
// restart loop, and more load on a service that is already in trouble.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type Ports, unavailableServers } from "./sweeps/unavailable-servers.ts";

export interface Wait extends Ports {
  readonly log: Logger;
  /** Ends the wait. */
  readonly unwanted?: AbortSignal;
}

interface Awaited<T> {
  /** `the database`. */
  readonly name: string;
  readonly ask: () => Promise<T>;
  /** How many milliseconds to retry after such an error, counted from the first error of the same patience; null: not at all. */
  readonly patienceMs: (error: unknown) => number | null;
  readonly longestPauseMs: number;
}

const FIRST_PAUSE_MS = 500;

/**
 * Calls `ask` until it succeeds, and returns its result. While it retries, both ports answer 503, see unavailableServers.
 *
 * @throws the error of `ask`: at once when it has no patience, otherwise the last one after that time or after an abort
 */
export async function awaitAnswer<T>(awaited: Awaited<T>, wait: Wait): Promise<T> {
  const { name, longestPauseMs } = awaited;
  const { log, unwanted } = wait;
  const began = performance.now();
  let tried = await attempt(awaited);
  if (!("error" in tried)) return tried.answer;
  let detail = said(tried.error);
  const servers = await unavailableServers(wait, () => ({ reason: `waiting for ${name}`, detail }));
  try {
    let since = began;
    for (let pause = FIRST_PAUSE_MS; "error" in tried; pause = Math.min(pause * 2, longestPauseMs)) {
      const { error, mostMs } = tried;
      const left = mostMs - (performance.now() - since);
      if (left <= 0 || unwanted?.aborted === true) throw error;
      detail = said(error);
      const forSeconds = Math.round((performance.now() - began) / 1_000);
      log.warn({ reason: detail, forSeconds }, `waiting for ${name}`);
      await sleep(Math.min(pause, left), null, { signal: unwanted }).catch(() => {});
      tried = await attempt(awaited);
      // Another kind of error starts its own patience.
      if ("error" in tried && tried.mostMs !== mostMs) since = performance.now();
    }
    log.info(`${name} answers`);
    return tried.answer;
  } finally {
    await servers.close();
  }
}

type Tried<T> = { readonly answer: T } | { readonly error: unknown; readonly mostMs: number };

async function attempt<T>({ ask, patienceMs }: Awaited<T>): Promise<Tried<T>> {
  try {
    return { answer: await ask() };
  } catch (error) {
    const mostMs = patienceMs(error);
    if (mostMs === null) throw error;
    return { error, mostMs };
  }
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : "it does not answer";
}
