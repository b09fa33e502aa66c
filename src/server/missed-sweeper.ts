// Finds what nobody told us of: at the start, every ten minutes, and when the App reaches more than it did, GitHub's log of deliveries
// is gone through and the open pull requests are looked at. What failed is tried again sooner.
import type { Logger } from "pino";
import { Transient } from "../domain/errors.ts";
import { type RecoverLimits, recoverDeliveries } from "../flows/repository/recover-deliveries.ts";
import { type RecoverPulls, type RecoverRun, recoverPulls } from "../flows/repository/recover-pulls.ts";
import type { DeliveryLog } from "../ports/missed.ts";

/** Other times than the documented ones: for tests. */
export interface MissedTimes {
  /** Between two runs. Whatever GitHub did not send is found within 15 minutes. */
  readonly everyMs: number;
  /** After a run that failed; twice as long after each further one, up to `everyMs`. */
  readonly againMs: number;
  /** For so long a delivery may be on its way. */
  readonly youngMs: number;
}

export type MissedChoice = Partial<MissedTimes> | "off";

const TIMES: MissedTimes = { everyMs: 10 * 60_000, againMs: 60_000, youngMs: 60_000 };
/** At 350 ms each six minutes. */
const MOST_DELIVERIES = 1_000;

/** What is open there may have been opened while nobody told us, and reviews that were given up for it are owed again. */
export const REACHES_MORE: ReadonlySet<string> = new Set([
  "installation.created",
  "installation.new_permissions_accepted",
  "installation.unsuspend",
  "installation_repositories.added",
]);

export interface MissedPorts extends RecoverPulls {
  readonly log: DeliveryLog;
  readonly pause: RecoverLimits["pause"];
}

export interface MissedSweeper {
  /**
   * Look now, or once more when the run that is under way has ended: there may be pull requests that it does not see. What GitHub
   * refused is owed at once.
   */
  wake(): void;
  stop(): Promise<void>;
}

/** Begins at once; a run that takes longer than the time between two is not overtaken by the next. */
export function missedSweeper(given: MissedPorts, log: Logger, times: MissedChoice = {}): MissedSweeper {
  if (times === "off") return { wake: () => {}, stop: () => Promise.resolve() };
  const { everyMs, againMs, youngMs } = { ...TIMES, ...times };
  const stopping = new AbortController();
  const ports = until(stopping.signal, given);
  const limits = { youngMs, most: MOST_DELIVERIES, pause: ports.pause };
  let isStart = true;
  /** When a key or a permission may have become right, by the clock that nothing sets. */
  let permittedAt = performance.now();
  let isWanted = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  /** False when it failed. */
  const attempt = async (failure: string, work: () => Promise<boolean>): Promise<boolean> => {
    try {
      return await work();
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, `${failure}; it is tried again`);
      return false;
    }
  };
  const sweep = async () => {
    const run = { isStart, permittedForMs: () => performance.now() - permittedAt };
    isStart = false;
    const isRead = await attempt("GitHub's log of deliveries could not be read", () => sweepLog(ports, limits, log));
    const isSeen = await attempt("open pull requests could not be looked at", () => sweepPulls(ports, run, log));
    failures = isRead && isSeen ? 0 : failures + 1;
  };
  const sweepWhileWanted = async () => {
    while (isWanted && !stopping.signal.aborted) {
      isWanted = false;
      clearTimeout(timer);
      await sweep();
    }
    running = null;
    if (stopping.signal.aborted) return;
    timer = setTimeout(begin, failures === 0 ? everyMs : Math.min(everyMs, againMs * 2 ** (failures - 1)));
    timer.unref();
  };
  const begin = () => {
    isWanted = true;
    running ??= sweepWhileWanted();
  };
  begin();
  return {
    wake() {
      permittedAt = performance.now();
      begin();
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
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

async function sweepLog({ log: deliveries, store, now }: MissedPorts, limits: RecoverLimits, log: Logger) {
  const { asked, ...done } = await recoverDeliveries(deliveries, store, now(), limits);
  if (asked.length + done.gone + done.left > 0)
    log.warn(
      { ...done, asked: asked.length, some: asked.slice(0, LOGGED) },
      "redelivery of missed deliveries requested",
    );
  return true;
}

/** A run can find hundreds. */
const LOGGED = 20;

/** False when something could not be looked at that may be asked for again soon: not where GitHub wants to be left alone. */
async function sweepPulls(ports: MissedPorts, run: RecoverRun, log: Logger): Promise<boolean> {
  const { repositories, added, unasked } = await recoverPulls(ports, run);
  const failed = unasked.filter(({ error }) => !(error instanceof DOMException));
  for (const { what, error } of failed.slice(0, LOGGED)) log.warn({ what, err: error }, "could not be looked at");
  if (added.length > 0)
    log.warn({ repositories, added: added.length, some: added.slice(0, LOGGED) }, "pull requests with missed events");
  return failed.every(({ error }) => error instanceof Transient && error.notBefore !== null);
}
