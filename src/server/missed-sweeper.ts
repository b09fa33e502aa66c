// Finds what nobody told us of: at the start and every ten minutes GitHub's log of deliveries is gone through, and the open
// pull requests are looked at.
import type { Logger } from "pino";
import { type RecoverLimits, recoverDeliveries } from "../flows/recover-deliveries.ts";
import { type RecoverPulls, recoverPulls } from "../flows/recover-pulls.ts";
import type { DeliveryLog } from "../ports/missed.ts";

/** Other times than the documented ones: for tests. */
export interface MissedTimes {
  /** Between two runs. Whatever GitHub did not send is found within 15 minutes. */
  readonly everyMs: number;
  /** For so long a delivery may be on its way. */
  readonly youngMs: number;
}

export type MissedChoice = Partial<MissedTimes> | "off";

const TIMES: MissedTimes = { everyMs: 10 * 60_000, youngMs: 60_000 };
/** At 350 ms each six minutes. */
const MOST_DELIVERIES = 1_000;

export interface MissedPorts extends RecoverPulls {
  readonly log: DeliveryLog;
  readonly pause: RecoverLimits["pause"];
}

export interface MissedSweeper {
  stop(): Promise<void>;
}

/** Begins at once; a run that takes longer than the time between two is not overtaken by the next. */
export function missedSweeper(given: MissedPorts, log: Logger, times: MissedChoice = {}): MissedSweeper {
  if (times === "off") return { stop: () => Promise.resolve() };
  const { everyMs, youngMs } = { ...TIMES, ...times };
  const stopping = new AbortController();
  const ports = until(stopping.signal, given);
  const limits = { youngMs, most: MOST_DELIVERIES, pause: ports.pause };
  let isStart = true;
  let timer: NodeJS.Timeout | undefined;
  const attempt = async (failure: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, `${failure}; the next run tries again`);
    }
  };
  const sweep = async () => {
    await attempt("GitHub's log of deliveries could not be read", () => sweepLog(ports, limits, log));
    await attempt("open pull requests could not be looked at", () => sweepPulls(ports, isStart, log));
    isStart = false;
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      last = sweep();
    }, everyMs);
    timer.unref();
  };
  let last = sweep();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await last;
    },
  };
}

/** The same ports, which ask GitHub nothing more once the signal is aborted: a run may take minutes. */
function until(signal: AbortSignal, ports: MissedPorts): MissedPorts {
  const unless = <Args extends unknown[], Result>(ask: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      signal.throwIfAborted();
      return ask(...args);
    };
  };
  const { log, pulls } = ports;
  return {
    ...ports,
    log: { page: unless(log.page), redeliver: unless(log.redeliver) },
    pulls: {
      installations: unless(pulls.installations),
      repositories: unless(pulls.repositories),
      open: unless(pulls.open),
    },
  };
}

async function sweepLog({ log: deliveries, book, now }: MissedPorts, limits: RecoverLimits, log: Logger) {
  const { asked, ...done } = await recoverDeliveries(deliveries, book, now(), limits);
  if (asked.length + done.gone + done.left === 0) return;
  log.warn({ ...done, asked: asked.length, some: asked.slice(0, LOGGED) }, "deliveries that never arrived come again");
}

/** A run can find hundreds. */
const LOGGED = 20;

async function sweepPulls(ports: MissedPorts, isStart: boolean, log: Logger) {
  const { repositories, added, unasked } = await recoverPulls(ports, isStart);
  const failed = unasked.filter(({ error }) => !(error instanceof DOMException));
  for (const { what, error } of failed.slice(0, LOGGED)) log.warn({ what, err: error }, "could not be looked at");
  if (added.length === 0) return;
  log.warn({ repositories, added: added.length, some: added.slice(0, LOGGED) }, "pull requests that nobody told us of");
}
