// Maintenance of a running server: expired rows, integrity, lost responses, feedback, check runs.

import type { Logger } from "pino";
import { Transient } from "../../domain/errors.ts";
import { isoDate } from "../../domain/text/iso-date.ts";
import { sweepChecks } from "../../flows/review/check-run.ts";
import type { Orphan, OrphanWrites } from "../../ports/writes.ts";
import { findWritten, type WriteWiring } from "../../wire/github.ts";
import type { Store } from "../../wire/store.ts";
import type { AppOptions } from "../app-options.ts";
import { DAY_MS, every, MINUTE_MS, type PeriodicTask } from "./periodic-task.ts";

export type Maintenance = ReturnType<typeof startMaintenance>;

export function startMaintenance(
  store: Store,
  github: WriteWiring,
  wakeUpkeep: () => void,
  { log, waits, feedbackAfterMs }: AppOptions,
) {
  const expiring = expirySweep(store, log);
  const watching = integrityWatch(store, log, waits?.verifyMs);
  const looking = feedbackSweep(store, wakeUpkeep, { log, afterMs: feedbackAfterMs });
  const sweeping = writeSweeper(store.orphanWrites, github, { log, waits });
  return {
    /** Problem of the store's files at the last check; null when they are intact. */
    damage: watching.problem,
    notes: () => [expiring.held()].filter((note) => note !== null),
    /** Stops the tasks that add jobs. */
    async stop(): Promise<void> {
      await Promise.all([looking.stop(), expiring.stop(), watching.stop()]);
    },
    /** Stops the tasks that clean up after jobs. */
    tidied: sweeping.stop,
  };
}

// Deletes expired rows: at the start and once a day, unless the clock is implausible.

/** A store in use is rarely idle for longer; a wrong clock is usually off by more. */
const MOST_LEAP_MS = 7 * DAY_MS;

/**
 * More than seven days after the store's last use it deletes nothing: a wrong clock would delete
 * too early. The next start with a right clock, or after another use, resumes.
 */
export function expirySweep({ expire, signs }: Pick<Store, "expire" | "signs">, log: Logger) {
  // Read before this process writes anything, because its own clock may be wrong.
  let known: number | null = null;
  let held: string | null = null;
  const sweep = async () => {
    const now = Date.now();
    try {
      known ??= (await signs.lastUsed()) ?? now;
      held = null;
      if (now - known > MOST_LEAP_MS) {
        const days = Math.floor((now - known) / DAY_MS);
        const [shown, used] = [isoDate(now), isoDate(known)];
        held = `no expired rows are deleted: the clock shows ${shown}, ${days} days after the store was last in use (${used}); set the clock, and start Kodiai again`;
        return log.error(held);
      }
      const deleted = await expire(now);
      known = now;
      if (deleted > 0) log.info({ deleted }, "expired rows deleted");
    } catch (error) {
      log.warn({ err: error }, "expired rows could not be deleted; the next try is tomorrow");
    }
  };
  return {
    ...every(DAY_MS, sweep),
    /** Why nothing is deleted, as a sentence; null when all is well. */
    held: () => held,
  };
}

// Looks up writes whose responses were lost and whose jobs ended: at the start, then every minute.

/** Per sweep; each costs a few requests. */
const MOST = 50;
/** The same as in the write path. */
const SETTLED_MS = 15_000;

function writeSweeper(
  writes: OrphanWrites,
  github: WriteWiring,
  { log, waits }: Pick<AppOptions, "log" | "waits">,
): PeriodicTask {
  async function settleOne(orphan: Orphan): Promise<void> {
    const { wanted, marker, agoMs } = orphan;
    if (agoMs < (waits?.settledMs ?? SETTLED_MS)) return;
    const facts = { kind: wanted.kind, repo: wanted.repo.id, number: wanted.number };
    try {
      const post = await findWritten(github, wanted, marker);
      await writes.settle(orphan, post);
      log.info({ ...facts, found: post !== null }, "write response lost; reconciled with GitHub");
    } catch (error) {
      if (error instanceof Transient) return;
      // It cannot be looked up, as after the App was uninstalled: treated as not created.
      await writes.settle(orphan, null);
      log.warn({ ...facts, err: error }, "a write with a lost response cannot be looked up");
    }
  }

  return every(MINUTE_MS, async () => {
    try {
      for (const orphan of await writes.orphans(MOST)) await settleOne(orphan);
    } catch (error) {
      log.warn({ err: error }, "writes with a lost response could not be swept");
    }
  });
}

// Reads the whole store once a day, and when a database reports damaged data: bit rot is silent.

/** @param everyMs other than a day in tests only */
export function integrityWatch(
  { verify, onDamage }: Pick<Store, "verify" | "onDamage">,
  log: Logger,
  everyMs = DAY_MS,
) {
  const stopping = new AbortController();
  let problem: string | null = null;
  let reported: string | null = null;
  // The files were checked when they were opened.
  let isFirst = true;
  const check = async () => {
    const isWanted = !isFirst && !stopping.signal.aborted;
    isFirst = false;
    if (!isWanted) return;
    const code = reported;
    reported = null;
    try {
      const began = performance.now();
      const inFiles = await verify(stopping.signal);
      const ms = Math.round(performance.now() - began);
      // Kodiai cannot read PostgreSQL's files: it repeats what PostgreSQL found since the last
      // check.
      const remedy = "See the log of PostgreSQL, and restore a backup of the database.";
      const inDatabase = { name: "the database", message: `PostgreSQL reports damaged data (${code}). ${remedy}` };
      const found = inFiles.length === 0 && code?.startsWith("XX") ? [inDatabase] : inFiles;
      for (const { message } of found) log.error({ ms }, message);
      if (found.length === 0) log.info({ ms }, "the store is intact");
      problem = found.length === 0 ? null : `${found.map(({ name }) => name).join(" and ")} is damaged: see the log`;
    } catch (error) {
      if (!stopping.signal.aborted)
        log.warn({ err: error }, "the store could not be checked; the next try is tomorrow");
    }
  };
  const task = every(everyMs, check);
  const ignore = onDamage((code) => {
    const isKnown = reported !== null || problem !== null;
    reported = code;
    if (isKnown) return;
    log.error({ code }, "a database reports damaged data: checking the whole store");
    task.wake();
  });
  return {
    problem: () => problem,
    async stop(): Promise<void> {
      ignore();
      stopping.abort();
      await task.stop();
    },
  };
}

// Checks for feedback that sends no webhook, such as reactions: every five minutes it enqueues the
// pull requests that were last checked more than an hour ago.

const SWEEP_MS = 5 * MINUTE_MS;
/** Reactions are not urgent, and each check costs a few of GitHub's 5,000 requests per hour. */
const AFTER_MS = 60 * 60_000;
/** Pull requests per sweep, hence 600 per hour. */
const MOST_CHECKS = 50;

function feedbackSweep(
  { feedback, queue, memoryProblem }: Pick<Store, "feedback" | "queue" | "memoryProblem">,
  wake: () => void,
  { log, afterMs = AFTER_MS }: { readonly log: Logger; readonly afterMs?: number | undefined },
): PeriodicTask {
  return every(SWEEP_MS, async () => {
    // Feedback needs memory.
    if (memoryProblem !== null) return;
    try {
      const now = Date.now();
      const due = await feedback.due(now, afterMs, MOST_CHECKS);
      for (const job of due) await queue.add(job, now);
      if (due.length > 0) wake();
    } catch (error) {
      log.warn({ err: error }, "feedback sweep failed; the next sweep retries");
    }
  });
}

const REFUSED_MS = 60 * MINUTE_MS;

/**
 * Ends check runs whose jobs are over: every minute, and when it is woken. Refused ones are retried
 * every hour, and as soon as the App reaches more, for 7 days.
 */
export function checkSweeper(
  { checks }: Pick<Store, "checks">,
  checksOf: Parameters<typeof sweepChecks>[1],
  log: Logger,
) {
  /** Key of a pull request → until when to skip it, on the monotonic clock. */
  const refusing = new Map<string, number>();
  const sweep = async () => {
    const steady = performance.now();
    for (const [id, until] of refusing) if (until <= steady) refusing.delete(id);
    try {
      const untried = new Set(refusing.keys());
      for (const { error, ...one } of await sweepChecks(checks, checksOf, Date.now(), untried)) {
        log.warn({ ...one, err: error }, "left-over check run ended");
        if (one.outcome === "refused") refusing.set(one.key, steady + REFUSED_MS);
      }
    } catch (error) {
      log.error({ err: error }, "check runs could not be swept");
    }
  };
  const task = every(MINUTE_MS, sweep);
  return {
    ...task,
    /** Includes those that were refused. */
    wakeAll(): void {
      refusing.clear();
      task.wake();
    },
  };
}
