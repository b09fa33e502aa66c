// Recall on the main thread: it sends every query to the search thread, so that webhooks and reviews are not blocked.
import { totalmem } from "node:os";
import type { MemoryWarmth } from "../../domain/memory/index-state.ts";
import type { MemoryCounts } from "../../domain/retrieval.ts";
import type { Recall, ReportDegraded } from "../../ports/memory.ts";
import { ROWS_IN_DATABASE } from "../../search/memory-search.ts";
import { PATIENCE, type Request, type SearchPatience, searchThread, type ThreadSettings } from "./search-thread.ts";

export interface RecallSettings extends Partial<ThreadSettings> {
  /** A SQLite file, or `postgres://…`, with the current schema. */
  readonly place: string;
  readonly patience?: Partial<SearchPatience>;
  /** Whether anything is remembered, also of other repositories. Until then no thread is started to count nothing. */
  readonly remembersAnything?: () => Promise<boolean>;
  /** Another program for the thread; in tests only. */
  readonly program?: URL;
}

export interface ThreadRecall extends Recall {
  /** Loads the most recently written repositories in the background. Fails like a query, but has no time limit. */
  warm(): Promise<void>;
  warmth(): MemoryWarmth;
  close(): Promise<void>;
}

const NOTHING: MemoryCounts = { total: 0, byLanguage: new Map(), byCorpus: new Map(), byOutcome: new Map() };

/**
 * Recall over a search thread, which starts with the first query and does not keep the process alive.
 *
 * An invalid query fails with RangeError; others with Transient or Error: memory cannot be opened, sqlite-vec is missing (`nearest`
 * only), the thread crashed, or the query timed out. The next query restarts a crashed thread; after two crashes without an answer it
 * stays down for a while.
 */
export function threadRecall({
  place,
  patience,
  program,
  vectors,
  remembersAnything,
  ...given
}: RecallSettings): ThreadRecall {
  // An eighth of the machine's memory, at least 256 MB and at most 2 GB: a million memories take 1.7 GB.
  const { memoryBytes = Math.min(2e9, Math.max(256e6, totalmem() / 8)), rowsInDatabase = ROWS_IN_DATABASE } = given;
  const settings = { place, memoryBytes, rowsInDatabase, ...(vectors === undefined ? {} : { vectors }) };
  const worker = program ?? new URL("./search-worker.ts", import.meta.url);
  const thread = searchThread(worker, settings, { ...PATIENCE, ...patience });
  const ask = <T>(name: Request["ask"], given: readonly unknown[], report?: ReportDegraded) =>
    thread.ask({ ask: name, with: given }, report) as Promise<T>;
  let isClosed = false;
  let isNeeded = remembersAnything === undefined;
  /** A failure is the thread's to report. */
  const hasMemories = async () => {
    isNeeded ||= (await remembersAnything?.().catch(() => true)) ?? true;
    return isNeeded;
  };
  return {
    nearest: (scope, vectors, space, k, filter, report) => ask("nearest", [scope, vectors, space, k, filter], report),
    matching: (scope, texts, k, filter, report) => ask("matching", [scope, texts, k, filter], report),
    records: (scope, ids) => ask("records", [scope, ids]),
    counts: async (scope) => ((await hasMemories()) ? ask("counts", [scope]) : NOTHING),
    version: async (repo) => ((await hasMemories()) ? ask("version", [repo]) : 0),
    async warm() {
      try {
        if (await hasMemories()) await ask("warm", []);
      } catch (error) {
        // An interruption by close is not a failure of memory.
        if (!isClosed) throw error;
      }
    },
    warmth() {
      const held = thread.held();
      if (held === null) return { state: "cold", repositories: 0, rows: 0 };
      const { waiting, ...rest } = held;
      return { state: waiting > 0 ? "warming" : "warm", ...rest };
    },
    close() {
      isClosed = true;
      return thread.close();
    },
  };
}
