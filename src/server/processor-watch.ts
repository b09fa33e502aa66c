// The thread beside a worker's main thread. It tells the server that the process lives, and which
// job took too much time; the server then ends the process. Without a server it ends it itself.
import { writeSync } from "node:fs";
import { isMainThread, workerData } from "node:worker_threads";
import type { Held } from "../ports.ts";
import { endGroup } from "./end-group.ts";
import { BEATS, CURRENT, type SharedTimes, TURNS, type WatchSettings } from "./processor-times.ts";

/** One line of JSON; an empty line says that the process lives. */
export interface Overrun {
  /** Null: the main thread is held, and not by a job. */
  readonly job: Held | null;
  readonly reason: string;
}

const TICK_MS = 250;
/** The server records what was reported and ends the process; a database may take that long. */
const OBEYED_MS = 15_000;

if (!isMainThread) watch(workerData as WatchSettings);

function watch({ times, limits: { processorMs, wallMs }, reportTo }: WatchSettings): void {
  const charge = charges(times);
  /** By slot: the job that was last seen there, and since when. */
  const begun = new Map<number, { readonly id: number; readonly token: number; readonly at: number; ms: number }>();
  let beats = 0;
  let blockedMs = 0;
  let reportedAt: number | null = null;

  setInterval(() => {
    const at = performance.now();
    if (reportedAt !== null && at - reportedAt > OBEYED_MS) endGroup(process.pid);
    const { bySlot, processMs } = charge();
    blockedMs = times.now[BEATS] === beats ? blockedMs + processMs : 0;
    beats = times.now[BEATS] ?? 0;
    const found = reportedAt === null ? (ofJobs(at, bySlot) ?? ofThread()) : null;
    if (found !== null) reportedAt = at;
    say(reportTo, found === null ? "" : JSON.stringify(found));
  }, TICK_MS);

  function ofJobs(at: number, bySlot: ReadonlyMap<number, number>): Overrun | null {
    for (let slot = 1; slot < times.jobs.length; slot += 1) {
      const [id = 0, token = 0] = [times.jobs[slot], times.tokens[slot]];
      if (id === 0) {
        begun.delete(slot);
        continue;
      }
      const known = begun.get(slot);
      const job = known?.id === id && known.token === token ? known : { id, token, at, ms: 0 };
      begun.set(slot, job);
      job.ms += bySlot.get(slot) ?? 0;
      const held = { id, token };
      if (job.ms > processorMs)
        return { job: held, reason: `it took more than ${processorMs / 1_000} s of processor time` };
      if (at - job.at > wallMs) return { job: held, reason: `it was not done after ${Math.round(wallMs / 1_000)} s` };
    }
    return null;
  }

  function ofThread(): Overrun | null {
    return blockedMs > 2 * processorMs ? { job: null, reason: "its main thread was held, and not by a job" } : null;
  }
}

/**
 * Processor time since the last call, in milliseconds: of the process, and by slot. A turn took at
 * most its time on the clock; the time of the whole process shows how much less on a busy machine.
 */
function charges({ held, now }: SharedTimes) {
  let usage = process.cpuUsage();
  let at = performance.now();
  let seen = held.slice();
  let turns = now[TURNS];
  /** Of the current turn, if it was counted before its end. */
  let early = { slot: 0, ms: 0 };
  return () => {
    const { user, system } = process.cpuUsage(usage);
    usage = process.cpuUsage();
    const elapsed = performance.now() - at;
    at += elapsed;
    const processMs = (user + system) / 1_000;
    const bySlot = new Map<number, number>();
    const [current = 0, count] = [now[CURRENT], now[TURNS]];
    const ended = held.slice();
    const isSameTurn = count === turns;
    if (isSameTurn) bySlot.set(current, elapsed);
    else
      for (let slot = 1; slot < ended.length; slot += 1) {
        const ms = (ended[slot] ?? 0) - (seen[slot] ?? 0) - (early.slot === slot ? early.ms : 0);
        if (ms > 0) bySlot.set(slot, ms);
      }
    early = isSameTurn ? { slot: current, ms: elapsed + (early.slot === current ? early.ms : 0) } : { slot: 0, ms: 0 };
    seen = ended;
    turns = count;
    bySlot.delete(0);
    const sum = bySlot.values().reduce((all, ms) => all + ms, 0);
    const share = sum === 0 ? 0 : Math.min(1, processMs / sum);
    return { processMs, bySlot: new Map([...bySlot].map(([slot, ms]) => [slot, ms * share])) };
  };
}

function say(reportTo: number, line: string): void {
  try {
    writeSync(reportTo, `${line}\n`);
  } catch (error) {
    // A pipe that is full: the server is busy.
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") endGroup(process.pid);
  }
}
