// Finds missed events: at the start, every ten minutes, and when the App reaches more repositories, it reads GitHub's log of
// deliveries and checks the open pull requests. After a failure it retries sooner.
import type { Logger } from "pino";
import { Transient } from "../../domain/errors.ts";
import {
  type MissedPorts,
  type RecoverLimits,
  type RecoverRun,
  recoverDeliveries,
  recoverPulls,
} from "../../flows/repository/recover-pulls.ts";
import { every, type PeriodicTask, unlessAborted } from "./periodic-task.ts";

/** Overrides of the documented times, for tests. */
interface MissedTimes {
  /** Between two runs. Missed events are found within 15 minutes. */
  readonly everyMs: number;
  /** After a failed run; doubles with each further failure, up to `everyMs`. */
  readonly againMs: number;
  /** Younger deliveries may still be on their way. */
  readonly youngMs: number;
}

export type MissedChoice = Partial<MissedTimes> | "off";

const TIMES: MissedTimes = { everyMs: 10 * 60_000, againMs: 60_000, youngMs: 60_000 };
/** Six minutes at 350 ms each. */
const MOST_DELIVERIES = 1_000;

/** After these events, pull requests may be open of which GitHub sent no event, and refused reviews are due again. */
export const REACHES_MORE: ReadonlySet<string> = new Set([
  "installation.created",
  "installation.new_permissions_accepted",
  "installation.unsuspend",
  "installation_repositories.added",
]);

/** The sweep. A request runs it once more after the current run, which may have missed new pull requests, and makes refused reviews due. */
export function missedSweeper(given: MissedPorts, log: Logger, times: MissedChoice = {}): PeriodicTask {
  if (times === "off") return { wake: () => {}, stop: () => Promise.resolve() };
  const { everyMs, againMs, youngMs } = { ...TIMES, ...times };
  const stopping = new AbortController();
  const ports = until(stopping.signal, given);
  const limits = { youngMs, most: MOST_DELIVERIES, pause: ports.pause };
  let isStart = true;
  /** When a key or a permission may have been fixed, on the monotonic clock. */
  let permittedAt = performance.now();
  let failures = 0;
  /** False when it failed. */
  const attempt = async (failure: string, work: () => Promise<boolean>): Promise<boolean> => {
    try {
      return await work();
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, `${failure}; will retry`);
      return false;
    }
  };
  const pauseMs = () => (failures === 0 ? everyMs : Math.min(everyMs, againMs * 2 ** (failures - 1)));
  const task = every(pauseMs, async () => {
    if (stopping.signal.aborted) return;
    const run = { isStart, permittedForMs: () => performance.now() - permittedAt };
    isStart = false;
    const isRead = await attempt("GitHub's log of deliveries could not be read", () => sweepLog(ports, limits, log));
    const isSeen = await attempt("open pull requests could not be checked", () => sweepPulls(ports, run, log));
    failures = isRead && isSeen ? 0 : failures + 1;
  });
  return {
    wake() {
      permittedAt = performance.now();
      task.wake();
    },
    async stop() {
      stopping.abort();
      await task.stop();
    },
  };
}

/** The same ports, which make no requests after the signal: a run may take minutes. */
function until(signal: AbortSignal, ports: MissedPorts): MissedPorts {
  const unless = unlessAborted(signal);
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
  if (asked.length + done.expired + done.left > 0)
    log.warn(
      { ...done, asked: asked.length, some: asked.slice(0, LOGGED) },
      "redelivery of missed deliveries requested",
    );
  return true;
}

/** Entries per log line: a run can find hundreds. */
const LOGGED = 20;

/** False when a check failed that may be retried soon; rate limits do not count. */
async function sweepPulls(ports: MissedPorts, run: RecoverRun, log: Logger): Promise<boolean> {
  const { repositories, added, unasked } = await recoverPulls(ports, run);
  const failed = unasked.filter(({ error }) => !(error instanceof DOMException));
  for (const { what, error } of failed.slice(0, LOGGED)) log.warn({ what, err: error }, "could not be checked");
  if (added.length > 0)
    log.warn({ repositories, added: added.length, some: added.slice(0, LOGGED) }, "pull requests with missed events");
  return failed.every(({ error }) => error instanceof Transient && error.notBefore !== null);
}
