// Who this app is on GitHub, asked for until GitHub tells: an outage at the moment of a start must not keep the server down.
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import { Transient } from "../domain/transient.ts";

const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 60_000;

/**
 * @param ask see appSlug
 * @param signal aborted when nobody wants to start any more
 * @returns the app's slug, such as `kodiai`
 * @throws Error when the credentials are wrong, or when the signal is aborted
 */
export async function ownSlug(ask: () => Promise<string>, log: Logger, signal?: AbortSignal): Promise<string> {
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(2 * pause, MOST_WAIT_MS)) {
    try {
      return await ask();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof Transient)) throw error;
      log.warn({ err: error, again: `in ${pause / 1000} s` }, "GitHub does not say who we are; asking again");
      await wait(pause, undefined, { signal });
    }
  }
}
