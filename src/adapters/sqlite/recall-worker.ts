// The search thread: opens the memory for reading and answers one question after another until its port closes. Between
// questions it reads into memory what will be asked for.
import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { Degraded } from "../../domain/outcome.ts";
import { packHits } from "../memory/packed-hits.ts";
import type { Progress, Reply } from "../memory/thread-protocol.ts";
import { inWords } from "./memory-file.ts";
import type { Request, SearchSettings } from "./recall-protocol.ts";
import { type MemorySearch, openSearch } from "./search-memory.ts";
import type { Warmth } from "./warm-up.ts";

const settings = workerData as SearchSettings;
let search: MemorySearch | null = null;
let degraded: Degraded[] = [];
let isReading = false;
/** Asked to warm up, which is answered when nothing is left to read. */
const warming: number[] = [];

parentPort?.on("message", (request: Request | "close") => {
  if (request === "close") {
    tellWarm();
    search?.close();
    search = null;
    parentPort?.close();
    return;
  }
  const reply = answer(request);
  if (request.ask !== "warm") parentPort?.postMessage(reply);
  else warmLater(reply);
  readSoon();
});

function answer(request: Request): Reply {
  degraded = [];
  try {
    // Opened on the first question, so that a file that cannot be opened is told to somebody.
    search ??= openSearch(settings.path, settings.limits, (part, reason) => {
      degraded.push({ part, reason: publicText(reason) });
    });
    return { id: request.id, value: toldOf(search, request), degraded };
  } catch (caught) {
    const error = inWords(settings.path, caught);
    const text = error instanceof Error ? error.message : String(error);
    return { id: request.id, error: publicText(text), kind: error instanceof RangeError ? "range" : "other" };
  }
}

/** As `sqliteRecall` reads it: many hits are packed. */
function toldOf(search: MemorySearch, request: Request): unknown {
  if (request.ask === "nearestAll") return packHits(search.nearestAll(...request.with), ({ distance }) => distance);
  if (request.ask === "matchingAll") return packHits(search.matchingAll(...request.with), ({ score }) => score);
  const method = search[request.ask] as (...args: readonly unknown[]) => unknown;
  return method(...request.with);
}

function warmLater(reply: Reply): void {
  tellProgress();
  if ("error" in reply) parentPort?.postMessage(reply);
  else warming.push(reply.id);
  if (search?.warmth().waiting === 0) tellWarm();
}

function tellWarm(): void {
  for (const id of warming.splice(0)) {
    const reply: Reply = { id, value: search?.warmth(), degraded: [] };
    parentPort?.postMessage(reply);
  }
}

/** Everybody who can read a review reads this: the file's name, not where the server keeps it. */
function publicText(text: string): string {
  return text.replaceAll(settings.path, basename(settings.path));
}

/** One piece after the questions that wait by now, and so on until nothing is left. */
function readSoon(): void {
  if (isReading || search === null || search.warmth().waiting === 0) return;
  isReading = true;
  setImmediate(() => {
    isReading = false;
    if (search === null) return;
    try {
      search.readMore();
    } catch {
      // Whoever asks for it is told: the same rows are read on the way to an answer.
    }
    tellProgress();
    if (search.warmth().waiting === 0) tellWarm();
    readSoon();
  });
}

function tellProgress(): void {
  if (search === null) return;
  const progress: Progress<Warmth> = { warmth: search.warmth() };
  parentPort?.postMessage(progress);
}
