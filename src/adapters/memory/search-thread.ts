// One search thread as the main thread sees it: questions go in, answers come out or time is up, and a thread that ends is
// started again.
import { Worker } from "node:worker_threads";
import { Transient } from "../../domain/transient.ts";
import type { TellDegraded } from "../../ports/memory.ts";
import type { Progress, Reply, Request } from "./thread-protocol.ts";

/** `Warmth`: what the thread tells of how much it holds. */
export interface SearchThread<Warmth> {
  ask(request: Omit<Request, "id">, tell?: TellDegraded): Promise<unknown>;
  waiting(): number;
  /** What it last told of itself; null when it does not run or has told nothing yet. */
  warmth(): Warmth | null;
  close(): Promise<void>;
}

/** Milliseconds. */
export interface SearchPatience {
  /** A question that takes longer is given up; `warm` is not. Null waits for ever: for measurements. */
  readonly answerMs: number | null;
  /** A thread that has answered nothing for so long after that is ended; the next question starts another. */
  readonly stuckMs: number;
  /** How long a thread that ended twice without one answer stays down. */
  readonly downMs: number;
}

/**
 * A warm search takes 10–60 ms (bench/retrieval.ts), a slow disk or a busy machine tenfold: what takes 5 s will not be
 * done in 6, and a review is worth more than its memory. A thread that is only slow has half a minute to come back.
 */
export const PATIENCE: SearchPatience = { answerMs: 5_000, stuckMs: 30_000, downMs: 60_000 };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly tell: TellDegraded | undefined;
}

/** Ends in a row without one answer after which the thread stays down for a while. */
const MOST_ENDS = 2;

/**
 * @param program what runs in the thread, and answers as thread-protocol.ts says
 * @param data what it is started with
 */
export function searchThread<Warmth>(program: URL, data: unknown, patience: SearchPatience): SearchThread<Warmth> {
  let running: RunningThread<Warmth> | null = null;
  let closed = false;
  let endsInRow = 0;
  let downUntil = 0;

  const start = (): RunningThread<Warmth> => {
    const started = runningThread<Warmth>(program, data, patience, {
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
    waiting: () => running?.waiting() ?? 0,
    warmth: () => running?.warmth() ?? null,
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

interface RunningThread<Warmth> {
  ask(request: Omit<Request, "id">, tell: TellDegraded | undefined): Promise<unknown>;
  waiting(): number;
  warmth(): Warmth | null;
  close(): Promise<void>;
}

function runningThread<Warmth>(
  program: URL,
  data: unknown,
  patience: SearchPatience,
  { onAnswer, onEnd }: { readonly onAnswer: () => void; readonly onEnd: () => void },
): RunningThread<Warmth> {
  const worker = new Worker(program, { workerData: data });
  const waiting = new Map<number, Waiting>();
  /** Given up on, and not answered since: the thread is still at one of them, and whoever asks waits behind it. */
  const overdue = new Set<number>();
  let warmth: Warmth | null = null;
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
  worker.on("message", (message: Reply | Progress<Warmth>) => {
    if ("warmth" in message) {
      warmth = message.warmth;
      return;
    }
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
    waiting: () => waiting.size,
    warmth: () => warmth,
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
    one.reject(asError(reply));
    return;
  }
  for (const { part, reason } of reply.degraded) one.tell?.(part, reason);
  one.resolve(reply.value);
}

function asError({ error, kind }: Extract<Reply, { readonly error: string }>): Error {
  if (kind === "range") return new RangeError(error);
  return kind === "passing" ? new Transient(error) : new Error(error);
}
