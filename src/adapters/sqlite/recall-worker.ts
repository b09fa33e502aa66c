// The search thread: opens the memory for reading and answers one question after another until its port closes.
import { parentPort, workerData } from "node:worker_threads";
import { inWords } from "./memory-file.ts";
import type { Reply, Request, SearchSettings } from "./recall-protocol.ts";
import { type MemorySearch, openSearch } from "./search-memory.ts";

const settings = workerData as SearchSettings;
let search: MemorySearch | null = null;

parentPort?.on("message", (request: Request | "close") => {
  if (request === "close") {
    search?.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(answer(request));
});

function answer(request: Request): Reply {
  try {
    // Opened on the first question, so that a file that cannot be opened is told to somebody.
    search ??= openSearch(settings.path, settings.limits);
    const method = search[request.ask] as (...args: readonly unknown[]) => unknown;
    return { id: request.id, value: method(...request.with) };
  } catch (caught) {
    const error = inWords(settings.path, caught);
    const text = error instanceof Error ? error.message : String(error);
    return { id: request.id, error: text, range: error instanceof RangeError };
  }
}
