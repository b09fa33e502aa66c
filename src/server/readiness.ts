// Whether a delivery that came in now could be kept: every reason why not, for an orchestrator that would send it elsewhere.
import { Transient } from "../domain/transient.ts";
import type { Inbox } from "../ports/inbox.ts";

export interface Readiness {
  readonly ready: boolean;
  /** Fragments of sentences; empty when ready. */
  readonly reasons: readonly string[];
}

export interface ReadinessParts {
  readonly inbox: Pick<Inbox, "probe">;
  readonly isDraining: () => boolean;
  /** Milliseconds since the last delivery could not be kept; null when one could since. */
  readonly failedAgo: () => number | null;
  /** What is wrong with the files of the store, as last looked at; null when they are whole. */
  readonly damage: () => string | null;
  /** Bytes in use and the most that the process may use; null where nothing limits it. */
  readonly memory: () => { readonly used: number; readonly most: number | null };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Asked more often, the answer is the last one: each look writes to disk. */
const LOOK_MS = 1_000;
/** As long as the door tries to keep a delivery. */
const LOCKED_MS = 5_000;
/** A row of one number may find room where a delivery does not; then nobody sends one that would show that it has changed. */
const REMEMBERED_MS = 10_000;
const FAILED = "the last delivery could not be kept";
/** Of the memory that the process may use: beyond it the system ends it soon. */
const MOST_MEMORY = 0.95;

/** @returns what answers the question; it never throws */
export function readinessCheck({ inbox, isDraining, failedAgo, damage, memory, now }: ReadinessParts): () => Readiness {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lockedSince: number | null = null;
  let problem: string | null = null;

  function look(): void {
    if (Math.abs(now() - lookedAt) < LOOK_MS) return;
    lookedAt = now();
    const error = probed();
    lockedSince = error instanceof Transient ? (lockedSince ?? lookedAt) : null;
    if (lockedSince === null) problem = error === null ? null : "the store cannot keep anything";
    // Locks of a moment are usual: somebody works with the command line.
    else if (lookedAt - lockedSince >= LOCKED_MS) problem = "the store is locked";
  }

  function probed(): unknown {
    try {
      inbox.probe(now());
      return null;
    } catch (error) {
      return error;
    }
  }

  return () => {
    look();
    const { used, most } = memory();
    const reasons = [
      ...(isDraining() ? ["the process is stopping"] : []),
      ...(problem === null ? [] : [problem]),
      ...[damage() ?? []].flat(),
      ...(problem === null && (failedAgo() ?? REMEMBERED_MS) < REMEMBERED_MS ? [FAILED] : []),
      ...(most !== null && used > most * MOST_MEMORY ? ["the memory that the process may use is nearly all used"] : []),
    ];
    return { ready: reasons.length === 0, reasons };
  };
}
