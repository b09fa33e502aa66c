// Counts how long each job holds the main thread. A turn of the event loop belongs to the job whose
// asynchronous context it runs in. A thread beside it (processor-watch.ts) reads the counts,
// because a held main thread can run no timer.
import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { Worker } from "node:worker_threads";
import type { Held } from "../ports.ts";

/** Jobs that can be told apart: more than a process runs. */
const SLOTS = 256;
/** How often the main thread shows that it is not held. */
const BEAT_MS = 250;

/** What a job may take before its process is ended. */
export interface TimeLimits {
  /** Milliseconds of processor time. */
  readonly processorMs: number;
  /** Milliseconds from its start. */
  readonly wallMs: number;
}

/** The memory that both threads see. Slot 0 is no job's. */
export interface SharedTimes {
  /** By slot: milliseconds of its turns that ended. */
  readonly held: Float64Array;
  /** By slot: the id and the token of its job; 0 without one. */
  readonly jobs: Float64Array;
  readonly tokens: Float64Array;
  /** The slot of the current turn, the number of turns so far, and of beats. */
  readonly now: Int32Array;
}

export const CURRENT = 0;
export const TURNS = 1;
export const BEATS = 2;

export interface WatchSettings {
  readonly times: SharedTimes;
  readonly limits: TimeLimits;
  /** The descriptor to which the thread reports, see processor-watch.ts. */
  readonly reportTo: number;
}

/**
 * Counts from here on, for as long as the process lives, and starts the thread that watches.
 *
 * @returns runs a job's work, whose turns count as the job's
 */
export function processorTimes(limits: TimeLimits, reportTo: number) {
  const shared = <Kind>(kind: { new (buffer: SharedArrayBuffer): Kind; BYTES_PER_ELEMENT: number }, length: number) =>
    new kind(new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT));
  const times: SharedTimes = {
    held: shared(Float64Array, SLOTS),
    jobs: shared(Float64Array, SLOTS),
    tokens: shared(Float64Array, SLOTS),
    now: shared(Int32Array, 3),
  };
  const { held, jobs, tokens, now } = times;
  const slots = new AsyncLocalStorage<number>();
  /** The slots of the turns that the current one interrupts. */
  const outer: number[] = [];
  let current = 0;
  let since = performance.now();
  const turnTo = (slot: number) => {
    const at = performance.now();
    held[current] = (held[current] ?? 0) + at - since;
    since = at;
    current = slot;
    now[CURRENT] = slot;
    now[TURNS] = (now[TURNS] ?? 0) + 1;
  };
  const begin = (slot: number) => {
    outer.push(current);
    turnTo(slot);
  };
  const end = () => turnTo(outer.pop() ?? 0);
  createHook({ before: () => begin(slots.getStore() ?? 0), after: end }).enable();
  setInterval(() => {
    now[BEATS] = (now[BEATS] ?? 0) + 1;
  }, BEAT_MS).unref();
  const workerData: WatchSettings = { times, limits, reportTo };
  new Worker(new URL("./processor-watch.ts", import.meta.url), { workerData }).unref();

  let last = 0;
  /** In turn, so that what a job left behind is not counted as the next one's. */
  const freeSlot = (): number => {
    for (let tried = 1; tried < SLOTS; tried += 1) {
      last = (last % (SLOTS - 1)) + 1;
      if (jobs[last] === 0) return last;
    }
    return 0;
  };
  return async <T>({ id, token }: Held, work: () => Promise<T>): Promise<T> => {
    const slot = freeSlot();
    held[slot] = 0;
    tokens[slot] = token;
    jobs[slot] = id;
    begin(slot);
    const working = slots.run(slot, work);
    end();
    try {
      return await working;
    } finally {
      if (slot !== 0) jobs[slot] = 0;
    }
  };
}
