// Before the server: somebody who does not answer yet, a database or GitHub, is waited for, and whoever asks meanwhile is told. Ending
// instead would be a loop of starts, and of questions to who has trouble already.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { closedDoors, type Ports } from "./closed-door.ts";

export interface Wait extends Ports {
  readonly log: Logger;
  /** Ends the wait: nobody wants the server any more. */
  readonly unwanted?: AbortSignal;
}

export interface Awaited<T> {
  /** `the database`. */
  readonly name: string;
  readonly ask: () => Promise<T>;
  /** How many milliseconds such an error is borne, counted from the first of the same patience; null: not at all. */
  readonly patienceMs: (error: unknown) => number | null;
  readonly longestPauseMs: number;
}

const FIRST_PAUSE_MS = 500;

/**
 * Returns what `ask` did; at once where it answers. Until then both ports listen, see closedDoors.
 *
 * @throws what `ask` threw: at once where patience has no time for it, else the last one after that time, or when nobody wants it any more
 */
export async function awaitAnswer<T>(awaited: Awaited<T>, wait: Wait): Promise<T> {
  const { name, longestPauseMs } = awaited;
  const { log, unwanted } = wait;
  const began = performance.now();
  let tried = await attempt(awaited);
  if (!("error" in tried)) return tried.answer;
  let detail = said(tried.error);
  const doors = await closedDoors(wait, () => ({ reason: `${name} is waited for`, detail }));
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
      // Another kind of trouble is borne for a time of its own.
      if ("error" in tried && tried.mostMs !== mostMs) since = performance.now();
    }
    log.info(`${name} answers`);
    return tried.answer;
  } finally {
    await doors.close();
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
