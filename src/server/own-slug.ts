// Asks GitHub for the app's own slug, with retries until GitHub responds: neither an outage nor one wrong answer during the start
// may end the server.
import { Transient } from "../domain/errors.ts";
import { awaitAnswer, type Wait } from "./await-answer.ts";

/** A key that GitHub refuses for so long is wrong: incidents are shorter, and new keys work within seconds. */
const REFUSED_MS = 120_000;
const LONGEST_PAUSE_MS = 30_000;

/** GitHub kept refusing the credentials. */
export class AppRefused extends Error {
  override readonly name = "AppRefused";
}

/**
 * @param ask see appSlug
 * @param wait see awaitAnswer
 * @returns the app's slug, such as `kodiai`
 * @throws AppRefused when GitHub refused for `refusedMs`; Error when a retry cannot succeed, or after an abort
 */
export async function ownSlug(
  ask: () => Promise<string>,
  { refusedMs = REFUSED_MS, ...wait }: Wait & { readonly refusedMs?: number },
): Promise<string> {
  const patienceMs = (error: unknown) =>
    error instanceof Transient ? Number.POSITIVE_INFINITY : isRefusal(error) ? refusedMs : null;
  try {
    return await awaitAnswer({ name: "GitHub", ask, patienceMs, longestPauseMs: LONGEST_PAUSE_MS }, wait);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new AppRefused(error.message, { cause: error });
  }
}

/** Any 4xx answer. */
function isRefusal(error: unknown): error is Error {
  const status = error instanceof Error && "status" in error ? error.status : null;
  return typeof status === "number" && status >= 400 && status < 500;
}
