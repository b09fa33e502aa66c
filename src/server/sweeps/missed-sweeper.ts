// Finds missed events: at the start, every ten minutes, and when the App reaches more repositories,
// it checks open pull requests and their comments. After a failure it retries sooner.
import type { Logger } from "pino";
import { Transient } from "../../domain/errors.ts";
import { type RecoverPulls, type RecoverRun, recoverPulls } from "../../flows/repository/recover-pulls.ts";
import { every, type PeriodicTask, unlessAborted } from "./periodic-task.ts";

interface MissedTimes {
  /** Between two runs. Missed events are found within 15 minutes. */
  readonly everyMs: number;
  /** After a failed run; doubles with each further failure, up to `everyMs`. */
  readonly againMs: number;
}

export type MissedChoice = Partial<MissedTimes> | "off";

const TIMES: MissedTimes = { everyMs: 10 * 60_000, againMs: 60_000 };

/** After these events pull requests may be open without an event, and refused reviews are due. */
export const REACHES_MORE: ReadonlySet<string> = new Set([
  "installation.created",
  "installation.new_permissions_accepted",
  "installation.unsuspend",
  "installation_repositories.added",
]);

export interface MissedSweeper extends PeriodicTask {
  /** A review was parked whose last attempt took `ranForMs`. */
  parked(ranForMs: number): void;
}

/** A request runs it once more after the current run, and makes refused reviews due. */
export function missedSweeper(given: RecoverPulls, log: Logger, times: MissedChoice = {}): MissedSweeper {
  if (times === "off") return { wake: () => {}, parked: () => {}, stop: () => Promise.resolve() };
  const { everyMs, againMs } = { ...TIMES, ...times };
  const stopping = new AbortController();
  const ports = until(stopping.signal, given);
  let isStart = true;
  /** When a key or a permission may have been fixed, on the monotonic clock. */
  let permittedAt = performance.now();
  let failures = 0;
  const pauseMs = () => (failures === 0 ? everyMs : Math.min(everyMs, againMs * 2 ** (failures - 1)));
  const task = every(pauseMs, async () => {
    if (stopping.signal.aborted) return;
    const run = { isStart, permittedForMs: () => performance.now() - permittedAt };
    isStart = false;
    const isSeen = await sweepPulls(ports, run, log).catch((error: unknown) => {
      if (!stopping.signal.aborted) log.warn({ err: error }, "open pull requests could not be checked; will retry");
      return false;
    });
    failures = isSeen ? 0 : failures + 1;
  });
  return {
    wake() {
      permittedAt = performance.now();
      task.wake();
    },
    parked(ranForMs) {
      // It may be refused by permissions that changed while it ran, after the run they asked for.
      if (performance.now() - ranForMs < permittedAt) task.wake();
    },
    async stop() {
      stopping.abort();
      await task.stop();
    },
  };
}

/** The same ports, which make no requests after the signal: a run may take minutes. */
function until(signal: AbortSignal, ports: RecoverPulls): RecoverPulls {
  const unless = unlessAborted(signal);
  const { pulls } = ports;
  return {
    ...ports,
    pulls: {
      installations: unless(pulls.installations),
      repositories: unless(pulls.repositories),
      open: unless(pulls.open),
      comments: unless(pulls.comments),
    },
  };
}

/** Entries per log line: a run can find hundreds. */
const LOGGED = 20;

/** False when a check failed that may be retried soon; rate limits do not count. */
async function sweepPulls(ports: RecoverPulls, run: RecoverRun, log: Logger): Promise<boolean> {
  const { repositories, added, commands, unasked } = await recoverPulls(ports, run);
  const failed = unasked.filter(({ error }) => !(error instanceof DOMException));
  for (const { what, error } of failed.slice(0, LOGGED)) log.warn({ what, err: error }, "could not be checked");
  if (added.length + commands > 0)
    log.warn(
      { repositories, commands, added: added.length, some: added.slice(0, LOGGED) },
      "pull requests with missed events",
    );
  return failed.every(({ error }) => error instanceof Transient && error.notBefore !== null);
}
