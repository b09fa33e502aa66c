// Whether a delivery that came in now could be kept: every reason why not, for an orchestrator that would send it elsewhere.
import { Transient } from "../domain/errors.ts";
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
/** Whoever asks waits no longer for the store than this: probes of orchestrators give up after a second. */
const ANSWER_MS = 500;
/** As long as the door tries to keep a delivery. */
const LOCKED_MS = 5_000;
/** A row of one number may find room where a delivery does not; then nobody sends one that would show that it has changed. */
const REMEMBERED_MS = 10_000;
const FAILED = "the last delivery could not be kept";
/** Of the memory that the process may use: beyond it the system ends it soon. */
const MOST_MEMORY = 0.95;

/** @returns what answers the question; it never rejects */
export function readinessCheck({
  inbox,
  isDraining,
  failedAgo,
  damage,
  memory,
  now,
}: ReadinessParts): () => Promise<Readiness> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lockedSince: number | null = null;
  let problem: string | null = null;
  let looking: Promise<void> | null = null;

  function look(): Promise<void> {
    if (looking === null && Math.abs(now() - lookedAt) >= LOOK_MS) {
      lookedAt = now();
      looking = probe().finally(() => {
        looking = null;
      });
    }
    return looking ?? Promise.resolve();
  }

  async function probe(): Promise<void> {
    const error = await probed();
    lockedSince = error instanceof Transient ? (lockedSince ?? lookedAt) : null;
    if (lockedSince === null) problem = error === null ? null : "the store cannot keep anything";
    // Locks of a moment are usual: somebody works with the command line.
    else if (lookedAt - lockedSince >= LOCKED_MS) problem = waitReason(error);
  }

  async function probed(): Promise<unknown> {
    try {
      await inbox.probe(now());
      return null;
    } catch (error) {
      return error;
    }
  }

  function storeProblem(): string | null {
    if (problem !== null) return problem;
    // It neither answers nor refuses.
    if (looking !== null && now() - lookedAt >= LOCKED_MS) return "the store does not answer";
    return (failedAgo() ?? REMEMBERED_MS) < REMEMBERED_MS ? FAILED : null;
  }

  return async () => {
    await atMost(ANSWER_MS, look());
    const { used, most } = memory();
    const inStore = storeProblem();
    const reasons = [
      ...(isDraining() ? ["the process is stopping"] : []),
      ...(inStore === null ? [] : [inStore]),
      ...[damage() ?? []].flat(),
      ...(most !== null && used > most * MOST_MEMORY ? ["the memory that the process may use is nearly all used"] : []),
    ];
    return { ready: reasons.length === 0, reasons };
  };
}

/** A file is locked by another process; a database says what it lacks. */
function waitReason(error: unknown): string {
  const said = error instanceof Error ? error.message : "";
  return said === "" || /locked/.test(said) ? "the store is locked" : `the store cannot be asked: ${said}`;
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
