// Who this app is on GitHub, asked for until GitHub tells: an outage at the moment of a start must not keep the server down.
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { ProbotOctokit } from "probot";

const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 60_000;

/**
 * @param signal aborted when nobody wants to start any more
 * @returns the app's slug, such as `kodiai`
 * @throws Error when the credentials are wrong, or when the signal is aborted
 */
export async function ownSlug(app: ProbotOctokit, log: Logger, signal?: AbortSignal): Promise<string> {
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(2 * pause, MOST_WAIT_MS)) {
    try {
      const { data } = await app.request("GET /app", { request: { signal } });
      if (data === null || data.slug === undefined)
        throw new Error("GitHub does not know this app; check APP_ID and PRIVATE_KEY");
      return data.slug;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isOutage(error)) throw error;
      log.warn({ err: error, again: `in ${pause / 1000} s` }, "GitHub does not say who we are; asking again");
      await wait(pause, undefined, { signal });
    }
  }
}

/** Nobody answered, or GitHub did with an error of its own or a limit. */
function isOutage(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("status" in error)) return false;
  return Number(error.status) >= 500 || error.status === 408 || error.status === 429;
}
