// The search thread as the main thread sees it: questions go in, answers come out or time is up, and a thread that ends is started
// again.
import { Worker } from "node:worker_threads";
import { Transient } from "../../domain/errors.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { ReportDegraded } from "../../ports/memory.ts";
import type { Held, SearchSettings } from "../../search/memory-search.ts";

/** What the thread is started with. */
export interface ThreadSettings extends Omit<SearchSettings, "exact"> {
  /** A file of SQLite, or `postgres://…`; its schema is up to date. */
  readonly place: string;
  /** Another file of sqlite-vec than the installed one; false for neither sqlite-vec nor usearch. Only for tests. */
  readonly vectors?: { readonly file: string } | false;
}

/** One question, by the name of what is asked. */
export interface Request {
  readonly id: number;
  readonly ask: string;
  readonly with: readonly unknown[];
}

/** The answer to the question of the same id. `range`: the question itself was wrong; `passing`: another try may succeed. */
export type Reply = { readonly id: number; readonly held: HeldNow } & (
  | { readonly value: unknown; readonly degraded: readonly Degraded[] }
  | { readonly error: string; readonly kind: "range" | "passing" | "other" }
);

/** What the thread holds, and how many repositories it still wants to read unasked. */
export interface HeldNow extends Held {
  readonly waiting: number;
}

/** Milliseconds. */
export interface SearchPatience {
  /** A question that takes longer is given up; `warm` is not. Null waits for as long as it takes: for measurements. */
  readonly answerMs: number | null;
  /** A thread that has answered nothing for so long after that is ended; the next question starts another. */
  readonly stuckMs: number;
  /** How long a thread that ended twice without one answer stays down. */
  readonly downMs: number;
}

/**
 * A warm search takes 10–60 ms (bench/retrieval.ts), a slow disk or a busy machine tenfold: what takes 5 s will not be done in 6,
 * and a review is worth more than its memory. A thread that is only slow has half a minute to come back.
 */
export const PATIENCE: SearchPatience = { answerMs: 5_000, stuckMs: 30_000, downMs: 60_000 };

export interface SearchThread {
  /** Fails with RangeError when the question was wrong, else with Transient or Error. */
  ask(request: Omit<Request, "id">, tell?: ReportDegraded): Promise<unknown>;
  /** As it last reported; null when the thread does not run or has reported nothing yet. */
  held(): HeldNow | null;
  close(): Promise<void>;
}

/** Ends in a row without one answer after which the thread stays down for a while. */
const MOST_ENDS = 2;

/** @param program what runs in the thread, and answers with a Reply */
export function searchThread(program: URL, settings: ThreadSettings, patience: SearchPatience): SearchThread {
  let running: RunningThread | null = null;
  let closed = false;
  let endsInRow = 0;
  let downUntil = 0;
  const start = (): RunningThread => {
    const started = runningThread(program, settings, patience, {
      onAnswer: () => {
        endsInRow = 0;
      },
      onEnd: () => {
        if (running === started) running = null;
        endsInRow += 1;
        if (endsInRow >= MOST_ENDS) downUntil = performance.now() + patience.downMs;
      },
    });
    return started;
  };
  return {
    held: () => running?.held() ?? null,
    ask(request, tell) {
      if (closed) return Promise.reject(new Error("memory search is closed"));
      if (performance.now() < downUntil)
        return Promise.reject(new Error("the search thread ended twice and stays down for a while"));
      running ??= start();
      return running.ask(request, tell);
    },
    async close() {
      closed = true;
      await running?.close();
    },
  };
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly tell: ReportDegraded | undefined;
}

type RunningThread = SearchThread;

function runningThread(
  program: URL,
  settings: ThreadSettings,
  patience: SearchPatience,
  { onAnswer, onEnd }: { readonly onAnswer: () => void; readonly onEnd: () => void },
): RunningThread {
  const worker = new Worker(program, { workerData: settings });
  const waiting = new Map<number, Waiting>();
  /** Given up, and not answered since: the thread is still at one of them. */
  const overdue = new Set<number>();
  let held: HeldNow | null = null;
  let stuck: NodeJS.Timeout | undefined;
  let serial = 0;
  let cause = "";
  let hasEnded = false;

  const end = (why: string): void => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(stuck);
    onEnd();
    for (const one of waiting.values()) one.reject(new Error(`the search thread ended${why}`));
    waiting.clear();
  };
  const giveUp = (id: number): void => {
    const late = waiting.get(id);
    waiting.delete(id);
    overdue.add(id);
    late?.reject(new Error(`timed out: no answer within ${patience.answerMs} ms`));
    if (waiting.size === 0) worker.unref();
    stuck ??= setTimeout(() => {
      end(": it was stuck");
      void worker.terminate();
    }, patience.stuckMs).unref();
  };
  worker.on("message", (message: Reply | HeldNow) => {
    if (!("id" in message)) {
      held = message;
      return;
    }
    held = message.held;
    onAnswer();
    clearTimeout(stuck);
    stuck = undefined;
    overdue.delete(message.id);
    settle(waiting, message);
    if (waiting.size === 0) worker.unref();
  });
  worker.on("error", (error) => {
    cause = `: ${error instanceof Error ? error.message : String(error)}`;
  });
  worker.on("exit", () => end(cause));

  return {
    held: () => held,
    ask(request, tell) {
      if (overdue.size > 0)
        return Promise.reject(new Error("timed out: the search thread is still at an earlier question"));
      worker.ref();
      const id = serial++;
      const asked = new Promise((resolve, reject) => waiting.set(id, { resolve, reject, tell }));
      worker.postMessage({ id, ...request });
      if (patience.answerMs === null || request.ask === "warm") return asked;
      const timer = setTimeout(() => giveUp(id), patience.answerMs);
      return asked.finally(() => clearTimeout(timer));
    },
    async close() {
      worker.ref();
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      worker.postMessage("close");
      // A thread that does not listen is not waited for.
      if (overdue.size > 0) await worker.terminate();
      else await ended;
    },
  };
}

function settle(waiting: Map<number, Waiting>, reply: Reply): void {
  const one = waiting.get(reply.id);
  waiting.delete(reply.id);
  if (one === undefined) return;
  if ("error" in reply) {
    const { error, kind } = reply;
    one.reject(kind === "range" ? new RangeError(error) : kind === "passing" ? new Transient(error) : new Error(error));
    return;
  }
  for (const { part, reason } of reply.degraded) one.tell?.(part, reason);
  one.resolve(reply.value);
}
