// Periodic maintenance of a running server: expired rows, integrity checks, lost write responses, and feedback.

import type { Logger } from "pino";
import { Transient } from "../../domain/errors.ts";
import type { Orphan, OrphanWrites, Post, Wanted } from "../../ports/writes.ts";
import { findWritten, type WriteWiring } from "../../wire/github.ts";
import type { Store } from "../../wire/store.ts";
import type { Workers } from "../../worker.ts";
import type { AppOptions } from "../app-options.ts";
import { feedbackSweep } from "./feedback-sweep.ts";
import { integrityWatch } from "./integrity-watch.ts";
import { DAY_MS, every, MINUTE_MS, type PeriodicTask } from "./periodic-task.ts";

export type Maintenance = ReturnType<typeof startMaintenance>;

export function startMaintenance(
  store: Store,
  github: WriteWiring,
  workers: Workers,
  { log, waits, feedbackAfterMs }: AppOptions,
) {
  const expiring = expirySweep(store, log);
  const watching = integrityWatch(store, log, waits?.verifyMs);
  const looking = feedbackSweep(store, () => workers.upkeep.wake(), { log, afterMs: feedbackAfterMs });
  const sweeping = writeSweeper(store.orphanWrites, {
    find: (wanted, marker) => findWritten(github, wanted, marker),
    settledMs: waits?.settledMs,
    log,
  });
  return {
    /** Problem of the store's files at the last check; null when they are intact. */
    damage: watching.problem,
    /** Further notes for the operator, as sentences. */
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
 * If the clock is more than seven days after the store's last use, this process deletes nothing: a machine with a wrong clock would
 * delete data too early. Once the clock is right, or the store was used again, the next start resumes.
 */
export function expirySweep({ expire, signs }: Pick<Store, "expire" | "signs">, log: Logger) {
  // Read before this process writes anything, because its own clock may be wrong.
  let known: number | null = null;
  let held: string | null = null;
  const sweep = async () => {
    const now = Date.now();
    try {
      known ??= (await signs.lastUsed()) ?? now;
      held = now - known > MOST_LEAP_MS ? leapt(now, known) : null;
      if (held !== null) return log.error(held);
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

function leapt(now: number, known: number): string {
  const days = Math.floor((now - known) / DAY_MS);
  const [shown, used] = [now, known].map((at) => new Date(at).toISOString().slice(0, 10));
  return `no expired rows are deleted: the clock shows ${shown}, ${days} days after the store was last in use (${used}); set the clock, and start Kodiai again`;
}

// Looks up writes whose responses were lost and whose jobs have ended: at the start and every minute.

/** Per sweep; each costs a few requests. */
const MOST = 50;
/** The same as in the write path. */
const SETTLED_MS = 15_000;

interface SweepSettings {
  /** Finds the post with the marker on GitHub. */
  readonly find: (wanted: Wanted, marker: string) => Promise<Post | null>;
  readonly settledMs?: number | undefined;
  readonly log: Logger;
}

function writeSweeper(writes: OrphanWrites, settings: SweepSettings): PeriodicTask {
  const { log } = settings;
  const sweep = async () => {
    try {
      for (const orphan of await writes.orphans(MOST)) await settleOne(orphan, writes, settings);
    } catch (error) {
      log.warn({ err: error }, "writes with a lost response could not be swept");
    }
  };
  return every(MINUTE_MS, sweep);
}

async function settleOne(
  orphan: Orphan,
  writes: OrphanWrites,
  { find, settledMs = SETTLED_MS, log }: SweepSettings,
): Promise<void> {
  const { wanted, marker, agoMs } = orphan;
  if (agoMs < settledMs) return;
  const facts = { kind: wanted.kind, repo: wanted.repo.id, number: wanted.number };
  try {
    const post = await find(wanted, marker);
    await writes.settle(orphan, post);
    log.info({ ...facts, found: post !== null }, "write response lost; reconciled with GitHub");
  } catch (error) {
    if (error instanceof Transient) return;
    // It can no longer be looked up, for example because the App was uninstalled: treat it as not created.
    await writes.settle(orphan, null);
    log.warn({ ...facts, err: error }, "a write with a lost response cannot be looked up");
  }
}
