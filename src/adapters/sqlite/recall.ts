// Recall from the main thread: every question goes to a search thread and is waited for, so that webhooks and reviews go on.
import type { Recall, TellDegraded } from "../../ports/memory.ts";
import { matchingTogether } from "../memory/matching-together.ts";
import { nearestTogether } from "../memory/nearest-together.ts";
import type { Request, SearchSettings } from "./recall-protocol.ts";
import { DEFAULT_LIMITS, type SearchLimits } from "./search-memory.ts";
import { PATIENCE, type SearchPatience, searchThread } from "./search-thread.ts";
import type { Warmth } from "./warm-up.ts";

export interface RecallSettings {
  /** memory.db, which `openMemory` has brought up to date. */
  readonly path: string;
  /** Search threads; each holds its own copy of what it keeps in memory. */
  readonly workers?: number;
  readonly limits?: Partial<SearchLimits>;
  readonly patience?: Partial<SearchPatience>;
  /** Another program for the thread: only for tests of how its end is survived. */
  readonly program?: URL;
}

export interface SqliteRecall extends Recall {
  /**
   * Starts the threads and has them read what was written to last, in the background: done when all that is wanted is
   * read, or the search closed. Fails like any question, but takes as long as it takes.
   */
  warm(): Promise<void>;
  /** Of the first thread, as it last told; null when it does not run. */
  warmth(): Warmth | null;
  close(): Promise<void>;
}

/**
 * Recall over threads of its own. Threads start with the first question and do not keep the process alive.
 *
 * A question fails with RangeError when it was wrong, else with Error: the memory cannot be opened, sqlite-vec is
 * missing (`nearest` only), the thread ended under it, or time was up. A thread that ended is started again for the next
 * question; after two ends without one answer it stays down for a while.
 */
export function sqliteRecall(settings: RecallSettings): SqliteRecall {
  const data: SearchSettings = { path: settings.path, limits: { ...DEFAULT_LIMITS, ...settings.limits } };
  const program = settings.program ?? new URL("./recall-worker.ts", import.meta.url);
  const patience = { ...PATIENCE, ...settings.patience };
  const threads = Array.from({ length: Math.max(1, settings.workers ?? 1) }, () =>
    searchThread(program, data, patience),
  );
  const ask = <T>(request: Omit<Request, "id">, tell?: TellDegraded): Promise<T> => {
    const idlest = threads.reduce((least, thread) => (thread.waiting() < least.waiting() ? thread : least));
    return idlest.ask(request, tell) as Promise<T>;
  };
  return {
    nearest: nearestTogether((question, tell) => ask({ ask: "nearestAll", with: question }, tell)),
    matching: matchingTogether((question, tell) => ask({ ask: "matchingAll", with: question }, tell)),
    records: (...args) => ask({ ask: "records", with: args }),
    counts: (...args) => ask({ ask: "counts", with: args }),
    version: (...args) => ask({ ask: "version", with: args }),
    async warm() {
      await Promise.all(threads.map((thread) => thread.ask({ ask: "warm", with: [] })));
    },
    warmth: () => threads[0]?.warmth() ?? null,
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
