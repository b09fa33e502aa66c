// Recall from the main thread: every question goes to a search thread and is waited for, so that webhooks and reviews go on.
import { Worker } from "node:worker_threads";
import type { Recall } from "../../ports-memory.ts";
import { nearestTogether } from "./nearest-together.ts";
import type { Reply, Request, SearchSettings } from "./recall-protocol.ts";
import { DEFAULT_LIMITS, type SearchLimits } from "./search-memory.ts";

export interface RecallSettings {
  /** memory.db, which `openMemory` has brought up to date. */
  readonly path: string;
  /** Search threads; each holds its own copy of what it keeps in memory. */
  readonly workers?: number;
  readonly limits?: Partial<SearchLimits>;
  /** Another program for the thread: only for tests of how its end is survived. */
  readonly program?: URL;
}

/**
 * Recall over threads of its own. Threads start with the first question and do not keep the process alive.
 *
 * A question fails with RangeError when it was wrong, else with Error: the memory cannot be opened, sqlite-vec is
 * missing (`nearest` only), or the thread ended under it. A thread that ended is started again for the next question;
 * one that ended without ever having answered is started again once.
 */
export function sqliteRecall(settings: RecallSettings): Recall & { close(): Promise<void> } {
  const data: SearchSettings = { path: settings.path, limits: { ...DEFAULT_LIMITS, ...settings.limits } };
  const program = settings.program ?? new URL("./recall-worker.ts", import.meta.url);
  const threads = Array.from({ length: Math.max(1, settings.workers ?? 1) }, () => searchThread(program, data));
  const ask = <T>(request: Omit<Request, "id">): Promise<T> => {
    const idlest = threads.reduce((least, thread) => (thread.waiting() < least.waiting() ? thread : least));
    return idlest.ask(request) as Promise<T>;
  };
  return {
    nearest: nearestTogether((...args) => ask({ ask: "nearestAll", with: args })),
    matching: (...args) => ask({ ask: "matching", with: args }),
    records: (...args) => ask({ ask: "records", with: args }),
    counts: (...args) => ask({ ask: "counts", with: args }),
    version: (...args) => ask({ ask: "version", with: args }),
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface SearchThread {
  ask(request: Omit<Request, "id">): Promise<unknown>;
  waiting(): number;
  close(): Promise<void>;
}

/** Ends in a row without one answer after which the thread stays down. */
const MOST_ENDS = 2;

function searchThread(program: URL, data: SearchSettings): SearchThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let closed = false;
  let serial = 0;
  let endsInRow = 0;

  const start = (): Worker => {
    const started = new Worker(program, { workerData: data });
    let cause = "";
    started.on("message", (reply: Reply) => {
      endsInRow = 0;
      settle(waiting, reply);
      if (waiting.size === 0) started.unref();
    });
    started.on("error", (error) => {
      cause = `: ${error instanceof Error ? error.message : String(error)}`;
    });
    started.on("exit", () => {
      if (worker === started) worker = null;
      endsInRow += 1;
      for (const one of waiting.values()) one.reject(new Error(`the search thread ended${cause}`));
      waiting.clear();
    });
    return started;
  };

  return {
    waiting: () => waiting.size,
    ask(request) {
      if (closed) return Promise.reject(new Error("memory search is closed"));
      if (endsInRow >= MOST_ENDS) return Promise.reject(new Error("the search thread ended twice and stays down"));
      worker ??= start();
      worker.ref();
      const id = serial++;
      const asked = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
      worker.postMessage({ id, ...request });
      return asked;
    },
    async close() {
      closed = true;
      if (worker === null) return;
      const ending = worker;
      ending.ref();
      const ended = new Promise((resolve) => ending.once("exit", resolve));
      ending.postMessage("close");
      await ended;
    },
  };
}

function settle(waiting: Map<number, Waiting>, reply: Reply): void {
  const one = waiting.get(reply.id);
  waiting.delete(reply.id);
  if (one === undefined) return;
  if (!("error" in reply)) one.resolve(reply.value);
  else one.reject(reply.range ? new RangeError(reply.error) : new Error(reply.error));
}
