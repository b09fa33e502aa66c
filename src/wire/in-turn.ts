// Long work of the main thread makes room for whoever else waits: not after each small step, which costs more than it gives,
// but once it has held the thread for a while.
import { setImmediate as turn } from "node:timers/promises";

/** Milliseconds: with a step on top that began just before, still well under what a webhook notices. */
const HELD_MS = 2;

/**
 * @returns settles at once until the thread has been held for so long since others had their turn, and then when they had it;
 *   one for the whole process, since it is one thread that is held
 */
export function inTurn(heldMs: number = HELD_MS): () => Promise<void> {
  let since = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - since < heldMs) return;
    await turn();
    since = performance.now();
  };
}
