// The thread that ranks by words: asks the database, holds what it reads, and answers until its port closes.
import { parentPort, workerData } from "node:worker_threads";
import type { Degraded } from "../../domain/outcome.ts";
import { Transient } from "../../domain/transient.ts";
import type { Progress, Reply, Request } from "../memory/thread-protocol.ts";
import { connectPostgres } from "./database.ts";
import { type KeywordSearch, type KeywordWarmth, keywordSearch } from "./keyword-search.ts";
import type { KeywordSettings } from "./keyword-thread.ts";

/** A question holds one connection for as long as it takes, what is read ahead another. */
const CONNECTIONS = 4;
/** How often it is told how far reading has come; milliseconds. */
const TELL_MS = 500;

const { url, limits } = workerData as KeywordSettings;
const db = connectPostgres(url, { connections: CONNECTIONS, name: "kodiai words" });
const search = keywordSearch(db, limits);
const telling = setInterval(tellProgress, TELL_MS).unref();

parentPort?.on("message", (request: Request | "close") => {
  if (request === "close") void close();
  else void answer(request).then((reply) => tell(reply));
});

async function answer({ id, ask, with: given }: Request): Promise<Reply> {
  const degraded: Degraded[] = [];
  try {
    if (ask === "warm") return { id, value: await search.warm(), degraded };
    const [scope, texts, k, filter] = given as Parameters<KeywordSearch["matchingAll"]>;
    const value = await search.matchingAll(scope, texts, k, filter, (part, reason) => degraded.push({ part, reason }));
    return { id, value, degraded };
  } catch (error) {
    const kind = error instanceof RangeError ? "range" : error instanceof Transient ? "passing" : "other";
    return { id, error: error instanceof Error ? error.message : String(error), kind };
  }
}

function tell(reply: Reply): void {
  tellProgress();
  parentPort?.postMessage(reply);
}

function tellProgress(): void {
  const progress: Progress<KeywordWarmth> = { warmth: search.warmth() };
  parentPort?.postMessage(progress);
}

async function close(): Promise<void> {
  clearInterval(telling);
  parentPort?.close();
  await db.close();
}
