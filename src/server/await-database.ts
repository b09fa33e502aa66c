// A database that does not answer yet is waited for: machines of one installation start in any order, and a database that is restarted
// takes half a minute.
import { Transient } from "../domain/errors.ts";
import { awaitAnswer, type Wait } from "./await-answer.ts";

/** A database that is started, restarted or failed over is there in less; an orchestrator that sees the end tries again. */
const MOST_MS = 120_000;
const LONGEST_PAUSE_MS = 8_000;

/**
 * Returns when the database answers; see awaitAnswer.
 *
 * @param ask rejects with Transient where another try may find it, with anything else where it will not
 * @throws what `ask` threw: at once what is not Transient, else the last one after `mostMs`, or when nobody wants it any more
 */
export async function awaitDatabase(
  ask: () => Promise<void>,
  { mostMs = MOST_MS, ...wait }: Wait & { readonly mostMs?: number },
): Promise<void> {
  const patienceMs = (error: unknown) => (error instanceof Transient ? mostMs : null);
  await awaitAnswer({ name: "the database", ask, patienceMs, longestPauseMs: LONGEST_PAUSE_MS }, wait);
}
