// The main thread's side of the search thread: sends queries, enforces timeouts, and restarts a crashed thread.
import { Worker } from "node:worker_threads";
import { Transient } from "../../domain/errors.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { ReportDegraded } from "../../ports/memory.ts";
import type { Held, SearchSettings } from "../../search/memory-search.ts";

export interface ThreadSettings extends Omit<SearchSettings, "exact"> {
  /** A SQLite file, or `postgres://…`, with the current schema. */
  readonly place: string;
  /** Another sqlite-vec file than the installed one; false disables sqlite-vec and usearch. In tests only. */
  readonly vectors?: { readonly file: string } | false;
}

/** One query, by method name. */
export interface Request {
  readonly id: number;
  readonly ask: "nearest" | "matching" | "records" | "counts" | "version" | "warm";
  readonly with: readonly unknown[];
}

/** The answer to the query with the same id. `range`: the query was invalid; `passing`: a retry may succeed. */
export type Reply = { readonly id: number; readonly held: HeldNow } & (
  | { readonly value: unknown; readonly degraded: readonly Degraded[] }
  | { readonly error: string; readonly kind: "range" | "passing" | "other" }
);

/** What the thread holds in memory, and how many repositories it still has to preload. */
export interface HeldNow extends Held {
  readonly waiting: number;
}

/** Milliseconds. */
export interface SearchPatience {
  /** Timeout of a query, not of `warm`. Null disables it, for measurements. */
  readonly answerMs: number | null;
  /** A thread without any answer for so long after a timeout is terminated; the next query starts another. */
  readonly stuckMs: number;
  /** How long the thread stays down after two crashes without an answer. */
  readonly downMs: number;
}

/**
 * A warm search takes 10–60 ms (bench/retrieval.ts), ten times that on a slow disk or a busy machine: a search of 5 s will not end
 * in 6, and a review without memory is better than none. A slow thread has half a minute to recover.
 */
export const PATIENCE: SearchPatience = { answerMs: 5_000, stuckMs: 30_000, downMs: 60_000 };

interface SearchThread {
  /** Fails with RangeError for an invalid query, otherwise with Transient or Error. */
  ask(request: Omit<Request, "id">, report?: ReportDegraded): Promise<unknown>;
  /** The last report; null when the thread does not run or has not reported yet. */
  held(): HeldNow | null;
  close(): Promise<void>;
}

/** Consecutive crashes without an answer after which the thread stays down for a while. */
const MOST_CRASHES = 2;

/** @param program what runs in the thread, and answers with a Reply */
export function searchThread(program: URL, settings: ThreadSettings, patience: SearchPatience): SearchThread {
  let running: SearchThread | null = null;
  let closed = false;
  let endsInRow = 0;
  let downUntil = 0;
  const onAnswer = () => {
    endsInRow = 0;
  };
  const onEnd = () => {
    running = null;
    endsInRow += 1;
    if (endsInRow >= MOST_CRASHES) downUntil = performance.now() + patience.downMs;
  };
  return {
    held: () => running?.held() ?? null,
    async ask(request, report) {
      if (closed) throw new Error("memory search is closed");
      if (performance.now() < downUntil) throw new Error("the search thread ended twice and stays down for a while");
      running ??= startedThread(program, settings, patience, { onAnswer, onEnd });
      return running.ask(request, report);
    },
    async close() {
      closed = true;
      await running?.close();
    },
  };
}

type Waiting = Omit<PromiseWithResolvers<unknown>, "promise"> & { readonly report: ReportDegraded | undefined };

function startedThread(
  program: URL,
  settings: ThreadSettings,
  patience: SearchPatience,
  { onAnswer, onEnd }: { readonly onAnswer: () => void; readonly onEnd: () => void },
): SearchThread {
  const worker = new Worker(program, { workerData: settings });
  const waiting = new Map<number, Waiting>();
  /** Timed out, and still unanswered. */
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
    async ask(request, report) {
      if (overdue.size > 0) throw new Error("timed out: the search thread is still at an earlier question");
      worker.ref();
      const id = serial++;
      const { promise: asked, ...settles } = Promise.withResolvers<unknown>();
      waiting.set(id, { ...settles, report });
      worker.postMessage({ id, ...request });
      if (patience.answerMs === null || request.ask === "warm") return asked;
      const timer = setTimeout(() => giveUp(id), patience.answerMs);
      return asked.finally(() => clearTimeout(timer));
    },
    async close() {
      worker.ref();
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      worker.postMessage("close");
      // A stuck thread is terminated at once.
      if (overdue.size > 0) await worker.terminate();
      else await ended;
    },
  };
}

function settle(waiting: Map<number, Waiting>, reply: Reply): void {
  const one = waiting.get(reply.id);
  waiting.delete(reply.id);
  if ("error" in reply) {
    const Failure = FAILURES[reply.kind];
    one?.reject(new Failure(reply.error));
    return;
  }
  for (const { part, reason } of reply.degraded) one?.report?.(part, reason);
  one?.resolve(reply.value);
}

const FAILURES = { range: RangeError, passing: Transient, other: Error } as const;
