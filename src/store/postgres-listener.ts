// Receives PostgreSQL notifications on a connection of its own, which it reopens after a failure.
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

/** Listens to one channel of a database, in the background. */
export interface NotificationListener {
  /**
   * Call it once.
   *
   * @param onNotified called with each payload
   * @param onListening called each time it starts to listen: earlier notifications may be lost
   */
  listen(channel: string, onNotified: (payload: string) => void, onListening: () => void): void;
  close(): Promise<void>;
}

/** How often the connection is checked. */
const CHECK_MS = 10_000;
/** Timeout of a check, and of connecting. */
const ANSWER_MS = 5_000;
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 10_000;

/** @param url as for openPostgres */
export function postgresListener(url: string): NotificationListener {
  const closing = new AbortController();
  let listening: Promise<void> = Promise.resolve();
  return {
    listen(channel, onNotified, onListening) {
      const listen = () => listenOnce(url, channel, { onNotified, onListening }, closing.signal);
      listening = keepListening(listen, closing.signal);
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
    pauseMs = performance.now() - began > CHECK_MS ? FIRST_PAUSE_MS : Math.min(MOST_PAUSE_MS, pauseMs * 2);
    await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

interface Handlers {
  readonly onNotified: (payload: string) => void;
  readonly onListening: () => void;
}

/** Resolves when the connection breaks; rejects when it cannot be opened. */
async function listenOnce(url: string, channel: string, handlers: Handlers, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "kodiai listener",
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
  });
  const broken = new AbortController();
  const isOver = AbortSignal.any([signal, broken.signal]);
  // Never removed, because an unhandled error event would crash the process.
  client.on("error", () => broken.abort());
  client.on("end", () => broken.abort());
  client.on("notification", ({ payload }) => payload !== undefined && handlers.onNotified(payload));
  try {
    await client.connect();
    await client.query(`LISTEN "${channel}"`);
    handlers.onListening();
    while (!isOver.aborted) {
      await wait(CHECK_MS, undefined, { signal: isOver, ref: false }).catch(() => {});
      if (!isOver.aborted) await client.query("SELECT 1");
    }
  } finally {
    void client.end().catch(() => {});
  }
}
