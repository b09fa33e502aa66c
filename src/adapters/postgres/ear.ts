// Hears what the database notifies of: one connection of its own, made anew whenever it breaks or answers no more.
//
// pg-boss can listen too, but takes every listener off a connection that it gives up: an error that is said on it last has nobody who hears it, and ends the process.
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

export interface Ear {
  close(): Promise<void>;
}

const LOOK_MS = 10_000;
/** Of a look, and of all that makes a connection. */
const ANSWER_MS = 5_000;
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 10_000;

/**
 * Listens from now on, in the background.
 *
 * @param onHeard told what is said
 * @param onListening told each time it begins to listen: what was said before is not known
 */
export function openEar(url: string, channel: string, onHeard: (said: string) => void, onListening: () => void): Ear {
  const over = new AbortController();
  const { signal } = over;

  /** Until the connection breaks. Throws when there is none. */
  async function listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      application_name: "kodiai ear",
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
    const broken = new AbortController();
    const isOver = AbortSignal.any([signal, broken.signal]);
    // Never taken off.
    client.on("error", () => broken.abort());
    client.on("end", () => broken.abort());
    client.on("notification", ({ payload }) => payload !== undefined && onHeard(payload));
    try {
      await client.connect();
      await client.query(`LISTEN "${channel}"`);
      onListening();
      while (!isOver.aborted) {
        await wait(LOOK_MS, undefined, { signal: isOver, ref: false }).catch(() => {});
        if (!isOver.aborted) await client.query("SELECT 1");
      }
    } finally {
      void client.end().catch(() => {});
    }
  }

  async function listenOn(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const began = performance.now();
      await listen().catch(() => {});
      pauseMs = performance.now() - began > LOOK_MS ? FIRST_PAUSE_MS : Math.min(MOST_PAUSE_MS, pauseMs * 2);
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  const listening = listenOn();
  return {
    async close() {
      over.abort();
      await listening;
    },
  };
}
