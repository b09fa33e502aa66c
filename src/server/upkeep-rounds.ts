// What a server looks after beside its jobs, as long as it runs: what is kept no longer, its files, lost answers, people's acts.

import { findWritten, type WriteWiring } from "../wire/github.ts";
import type { Store } from "../wire/store.ts";
import type { AppOptions } from "./app-options.ts";
import { expirySweep } from "./expiry-sweep.ts";
import { feedbackSweep } from "./feedback-sweep.ts";
import { integrityWatch } from "./integrity-watch.ts";
import type { Workers } from "./webhook-server.ts";
import { writeSweeper } from "./write-sweeper.ts";

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
