// What a server looks after beside its jobs, as long as it runs: what is kept no longer, its files, lost answers, people's acts.

import type { Logger } from "pino";
import { Transient } from "../domain/errors.ts";
import type { Orphan, OrphanWrites, Post, Wanted } from "../ports/writes.ts";
import { findWritten, type WriteWiring } from "../wire/github.ts";
import type { Store } from "../wire/store.ts";
import type { Workers } from "../worker.ts";
import type { AppOptions } from "./app-options.ts";
import { feedbackSweep } from "./feedback-sweep.ts";
import { integrityWatch } from "./integrity-watch.ts";
import { DAY_MS, inRounds, MINUTE_MS, type Rounds } from "./rounds.ts";

export interface UpkeepRounds {
  /** Of the files of the store, as last looked at; null when they are whole. */
  damage(): string | null;
  /** What else whoever runs Kodiai should know, as sentences. */
  notes(): readonly string[];
  /** Ends what gives the workers something to do. */
  stop(): Promise<void>;
  /** Ends what tidies up behind them. */
  tidied(): Promise<void>;
}

export function upkeepRounds(
  store: Store,
  github: WriteWiring,
  workers: Workers,
  { log, waits, feedbackAfterMs }: AppOptions,
): UpkeepRounds {
  const expiring = expirySweep(store, log);
  const watching = integrityWatch(store, log, waits?.verifyMs);
  const looking = feedbackSweep(store, () => workers.upkeep.wake(), { log, afterMs: feedbackAfterMs });
  const sweeping = writeSweeper(store.orphanWrites, {
    find: (wanted, marker) => findWritten(github, wanted, marker),
    settledMs: waits?.settledMs,
    log,
  });
  return {
    damage: watching.problem,
    notes: () => [expiring.held()].filter((note) => note !== null),
    async stop() {
      await Promise.all([looking.stop(), expiring.stop(), watching.stop()]);
    },
    tidied: sweeping.stop,
  };
}

// Removes what is kept no longer: at the start and once a day, unless the clock cannot be right.

/** A store that was in use is not left alone for longer without somebody noticing; a clock that is wrong is off by more. */
const MOST_LEAP_MS = 7 * DAY_MS;

interface ExpirySweep extends Rounds {
  /** Why nothing is removed, as a sentence; null when all is well. */
  held(): string | null;
}

/**
 * Where the clock shows a time more than seven days after the store was last in use, nothing is removed by this process: a machine
 * that starts with a wrong clock would delete what its users want to keep. Once its clock is right, or the store was in use
 * again, the next start goes on.
 */
export function expirySweep({ expire, signs }: Pick<Store, "expire" | "signs">, log: Logger): ExpirySweep {
  // As it was before this process wrote anything: what is written by a wrong clock proves nothing.
  let known: number | null = null;
  let held: string | null = null;
  const sweep = async () => {
    const now = Date.now();
    try {
      known ??= (await signs.lastUsed()) ?? now;
      held = now - known > MOST_LEAP_MS ? leapt(now, known) : null;
      if (held !== null) return log.error(held);
      const gone = await expire(now);
      known = now;
      if (gone > 0) log.info({ gone }, "what is kept no longer was removed");
    } catch (error) {
      log.warn({ err: error }, "what is kept no longer could not be removed; tomorrow it is tried again");
    }
  };
  return { ...inRounds(DAY_MS, sweep), held: () => held };
}

function leapt(now: number, known: number): string {
  const days = Math.floor((now - known) / DAY_MS);
  const [shown, used] = [now, known].map((at) => new Date(at).toISOString().slice(0, 10));
  return `nothing old is removed: the clock shows ${shown}, ${days} days after the store was last in use (${used}); set the clock, and start Kodiai again`;
}

// Writes to GitHub whose answers were lost and whose jobs have ended: at the start and every minute GitHub is asked what became of them.

/** A sweep; each costs a few requests. */
const MOST = 50;
/** As the path of a write waits. */
const SETTLED_MS = 15_000;

interface SweepSettings {
  /** What stands on GitHub with the marker. */
  readonly find: (wanted: Wanted, marker: string) => Promise<Post | null>;
  readonly settledMs?: number | undefined;
  readonly log: Logger;
}

function writeSweeper(writes: OrphanWrites, settings: SweepSettings): Rounds {
  const { log } = settings;
  const sweep = async () => {
    try {
      for (const orphan of await writes.orphans(MOST)) await settleOne(orphan, writes, settings);
    } catch (error) {
      log.warn({ err: error }, "writes without an outcome could not be swept");
    }
  };
  return inRounds(MINUTE_MS, sweep);
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
    log.info({ ...facts, found: post !== null }, "a write without an outcome was looked up");
  } catch (error) {
    if (error instanceof Transient) return;
    // Nobody can look any more, as after the app was taken off: it is as good as not there.
    await writes.settle(orphan, null);
    log.warn({ ...facts, err: error }, "a write without an outcome cannot be looked up");
  }
}
