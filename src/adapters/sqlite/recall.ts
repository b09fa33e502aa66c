// Recall from the main thread: every question goes to a search thread and is waited for, so that webhooks and reviews go on.
import { availableParallelism, totalmem } from "node:os";
import type { Scope } from "../../domain/retrieval.ts";
import type { Recall, TellDegraded } from "../../ports/memory.ts";
import { matchingTogether } from "../memory/matching-together.ts";
import { memoryFor } from "../memory/memory-for.ts";
import { nearestTogether } from "../memory/nearest-together.ts";
import { type PackedHits, unpackHits } from "../memory/packed-hits.ts";
import { PATIENCE, type SearchPatience, searchThread } from "../memory/search-thread.ts";
import { type RecordRow, readRecord } from "./read-record.ts";
import type { Request, SearchSettings } from "./recall-protocol.ts";
import { DEFAULT_LIMITS, type SearchLimits } from "./search-memory.ts";
import type { SearchPart, Warmth } from "./warm-up.ts";

export interface RecallSettings {
  /** memory.db, which `openMemory` has brought up to date. */
  readonly path: string;
  /**
   * Search threads that each hold their own copy of what they keep in memory. Absent: one for vectors and one for words, where
   * there are two processors.
   */
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
  /** Of the threads, as they last told; null when none runs. */
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
  const limits = { ...DEFAULT_LIMITS, memoryBytes: memoryFor(totalmem()), ...settings.limits };
  const program = settings.program ?? new URL("./recall-worker.ts", import.meta.url);
  const patience = { ...PATIENCE, ...settings.patience };
  const started = (part: SearchPart) => {
    const data: SearchSettings = {
      path: settings.path,
      limits: { ...limits, part, memoryBytes: limits.memoryBytes * SHARES[part] },
    };
    return searchThread<Warmth>(program, data, patience);
  };
  const isApart = settings.workers === undefined && availableParallelism() > 1;
  const forWords = isApart
    ? [started("words")]
    : Array.from({ length: Math.max(1, settings.workers ?? 1) }, () => started("all"));
  const forVectors = isApart ? [started("vectors")] : forWords;
  const threads = new Set([...forWords, ...forVectors]);
  const ask = <T>(request: Omit<Request, "id">, tell?: TellDegraded): Promise<T> => {
    const able = request.ask === "nearestAll" ? forVectors : forWords;
    const idlest = able.reduce((least, thread) => (thread.waiting() < least.waiting() ? thread : least));
    return idlest.ask(request, tell) as Promise<T>;
  };
  /** By each thread that is free a part of them: what is told twice as fast is waited for half as long. */
  const recordRows = async (scope: Scope, wanted: readonly string[]): Promise<RecordRow[]> => {
    const ids = [...new Set(wanted)];
    const free = [...threads].filter((thread) => thread.waiting() === 0);
    if (free.length < 2 || ids.length < free.length * FEWEST_EACH) return ask({ ask: "records", with: [scope, ids] });
    const each = Math.ceil(ids.length / free.length);
    const parts = free.map((thread, at) => {
      const request: Omit<Request, "id"> = { ask: "records", with: [scope, ids.slice(at * each, (at + 1) * each)] };
      // A thread that is down has no say in what the others find.
      return thread.ask(request).catch(() => ask(request));
    });
    return ((await Promise.all(parts)) as RecordRow[][]).flat();
  };
  return {
    nearest: nearestTogether(async (question, tell) =>
      unpackHits(await ask<PackedHits>({ ask: "nearestAll", with: question }, tell), (id, distance) => ({
        id,
        distance,
      })),
    ),
    matching: matchingTogether(async (question, tell) =>
      unpackHits(await ask<PackedHits>({ ask: "matchingAll", with: question }, tell), (id, score) => ({ id, score })),
    ),
    records: async (scope, ids) => (await recordRows(scope, ids)).map(readRecord),
    counts: (...args) => ask({ ask: "counts", with: args }),
    version: (...args) => ask({ ask: "version", with: args }),
    async warm() {
      await Promise.all([...threads].map((thread) => thread.ask({ ask: "warm", with: [] })));
    },
    warmth: () => together([...threads].flatMap((thread) => thread.warmth() ?? [])),
    async close() {
      await Promise.all([...threads].map((thread) => thread.close()));
    },
  };
}

/** Records that are worth asking another thread for: a question there and back takes .3 ms, as long as some thirty of them. */
const FEWEST_EACH = 30;

/** Of all threads: what waits in any, the most rows that one holds, all the bytes. */
function together(told: readonly Warmth[]): Warmth | null {
  if (told.length === 0) return null;
  const most = (of: (one: Warmth) => number) => Math.max(...told.map(of));
  const sum = (of: (one: Warmth) => number) => told.reduce((all, one) => all + of(one), 0);
  return {
    waiting: most(({ waiting }) => waiting),
    repositories: most(({ repositories }) => repositories),
    rows: most(({ rows }) => rows),
    bytes: sum(({ bytes }) => bytes),
    limitBytes: sum(({ limitBytes }) => limitBytes),
  };
}

/** Of the memory that is given for searching: postings are three quarters of what a row without its vector takes. */
const SHARES: Readonly<Record<SearchPart, number>> = { all: 1, words: 0.6, vectors: 0.4 };
