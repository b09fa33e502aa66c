// Hears what PostgreSQL notifies of: one connection of its own, made again whenever it breaks or answers no more.
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

/** Listens to one channel of a database, in the background. */
export interface NotificationListener {
  /**
   * Once.
   *
   * @param onNotified called with each payload
   * @param onListening called each time it begins to listen: what was announced before is not known
   */
  listen(channel: string, onNotified: (payload: string) => void, onListening: () => void): void;
  close(): Promise<void>;
}

/** How often the connection is asked whether it is still one. */
const LOOK_MS = 10_000;
/** Of a look, and of all that makes a connection. */
const ANSWER_MS = 5_000;
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 10_000;

/** @param url as for openPostgres */
export function postgresListener(url: string): NotificationListener {
  const closing = new AbortController();
  let listening: Promise<void> = Promise.resolve();
  return {
    listen(channel, onNotified, onListening) {
      listening = keepListening(
        () => listenOnce(url, channel, { onNotified, onListening }, closing.signal),
        closing.signal,
      );
    },
    async close() {
      closing.abort();
      await listening;
    },
  };
}

async function keepListening(listen: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const began = performance.now();
    await listen().catch(() => {});
    pauseMs = performance.now() - began > LOOK_MS ? FIRST_PAUSE_MS : Math.min(MOST_PAUSE_MS, pauseMs * 2);
    await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

interface Told {
  readonly onNotified: (payload: string) => void;
  readonly onListening: () => void;
}

/** Until the connection breaks. Rejects when there is none. */
async function listenOnce(url: string, channel: string, told: Told, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "kodiai listener",
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
  });
  const broken = new AbortController();
  const isOver = AbortSignal.any([signal, broken.signal]);
  // Never taken off: an error that nothing listens to ends the process.
  client.on("error", () => broken.abort());
  client.on("end", () => broken.abort());
  client.on("notification", ({ payload }) => payload !== undefined && told.onNotified(payload));
  try {
    await client.connect();
    await client.query(`LISTEN "${channel}"`);
    told.onListening();
    while (!isOver.aborted) {
      await wait(LOOK_MS, undefined, { signal: isOver, ref: false }).catch(() => {});
      if (!isOver.aborted) await client.query("SELECT 1");
    }
  } finally {
    void client.end().catch(() => {});
  }
}
