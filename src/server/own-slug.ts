// Who this app is on GitHub, asked for until GitHub tells: an outage at the moment of a start must not keep the server down, nor one
// wrong answer end it.
import { Transient } from "../domain/errors.ts";
import { awaitAnswer, type Wait } from "./await-answer.ts";

/** A key that GitHub refuses so long is wrong: what GitHub says in an incident passes, and new keys are known within seconds. */
const REFUSED_MS = 120_000;
const LONGEST_PAUSE_MS = 30_000;

/** GitHub answers, and goes on to say no. */
export class AppRefused extends Error {
  override readonly name = "AppRefused";
}

/**
 * @param ask see appSlug
 * @param wait who asks the server meanwhile is answered, see awaitAnswer
 * @returns the app's slug, such as `kodiai`
 * @throws AppRefused when GitHub went on to refuse for `refusedMs`; Error when asking can never succeed, or when nobody wants it any more
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

/** An answer of 4xx, however it comes. */
function isRefusal(error: unknown): error is Error {
  const status = error instanceof Error && "status" in error ? error.status : null;
  return typeof status === "number" && status >= 400 && status < 500;
}
