// The write-ahead log keeps the bytes of what was removed until it is copied into the file and cut.
import { setTimeout as wait } from "node:timers/promises";
import { Transient } from "../../domain/transient.ts";
import type { Database } from "./database.ts";

const TRIES = 50;
const PAUSE_MS = 100;

/**
 * Copies the log into the file and cuts it to nothing.
 *
 * @throws Transient when a reader kept it for five seconds: call again
 */
export async function truncateLog(db: Database.Database): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (isCut(db)) return;
    await wait(PAUSE_MS);
  }
  throw new Transient("forgotten, but a reader still keeps the old bytes in the write-ahead log");
}

/** Does not wait for readers: that would hold up the event loop. */
function isCut(db: Database.Database): boolean {
  const timeout = Number(db.pragma("busy_timeout", { simple: true }));
  db.pragma("busy_timeout = 0");
  try {
    const [row] = db.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    return row?.busy === 0;
  } finally {
    db.pragma(`busy_timeout = ${timeout}`);
  }
}
