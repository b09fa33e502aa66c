// Writes to GitHub whose answers were lost and whose jobs have ended: at the start and every minute GitHub is asked what became of them.
import type { Logger } from "pino";
import { Transient } from "../domain/errors.ts";
import type { Orphan, OrphanWrites, Post, Wanted } from "../ports/writes.ts";
import { inRounds, MINUTE_MS, type Rounds } from "./rounds.ts";

/** A sweep; each costs a few requests. */
const MOST = 50;
/** As the path of a write waits. */
const SETTLED_MS = 15_000;

export interface SweepSettings {
  /** What stands on GitHub with the marker. */
  readonly find: (wanted: Wanted, marker: string) => Promise<Post | null>;
  readonly settledMs?: number | undefined;
  readonly log: Logger;
}

export function writeSweeper(writes: OrphanWrites, settings: SweepSettings): Rounds {
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
