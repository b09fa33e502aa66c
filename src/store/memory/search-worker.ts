// The search thread: opens memory for reading and answers queries until its port closes. When idle it preloads the most recently
// written repositories.
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { Transient } from "../../domain/errors.ts";
import type { EmbeddingSpace } from "../../domain/memory.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { MemoryFilter, Scope } from "../../domain/retrieval.ts";
import type { ReportDegraded } from "../../ports/memory.ts";
import { type MemorySearch, memorySearch } from "../../search/memory-search.ts";
import { usearchExact } from "../../search/vector-index.ts";
import type { Database } from "../sql.ts";
import { openSqlite } from "../sqlite.ts";
import { memoryError } from "./memory-file.ts";
import { storedRecords } from "./records.ts";
import { storedRows } from "./search-rows.ts";
import type { HeldNow, Reply, Request, ThreadSettings } from "./search-thread.ts";

const settings = workerData as ThreadSettings;

/** `vectorsMissing`: why vector search is unavailable; null when it works. */
type Opened = { readonly db: Database; readonly search: MemorySearch; readonly vectorsMissing: string | null };

let opened: Opened | null = null;
let opening: Promise<Opened> | null = null;
let reading = 0;

parentPort?.on("message", (request: Request | "close") => {
  if (request === "close") void close();
  else void answer(request).then((reply) => parentPort?.postMessage(reply));
});

async function answer({ id, ask, with: given }: Request): Promise<Reply> {
  const degraded: Degraded[] = [];
  const report: ReportDegraded = (part, reason) => void degraded.push({ part, reason: publicText(reason) });
  try {
    // Opened with the first query, so that the caller gets the error.
    opening ??= open();
    opened = await opening;
    const value = await answersOf(opened, report)[ask](...(given as never[]));
    return { id, value, degraded, held: heldNow() };
  } catch (caught) {
    if (opened === null) opening = null;
    const error = memoryError(settings.place, caught);
    const kind = error instanceof RangeError ? "range" : error instanceof Transient ? "passing" : "other";
    const text = error instanceof Error ? error.message : String(error);
    return { id, error: publicText(text), kind, held: heldNow() };
  }
}

/** A function for each query. */
function answersOf(
  { db, search, vectorsMissing }: Opened,
  report: ReportDegraded,
): Readonly<Record<Request["ask"], (...given: never[]) => Promise<unknown>>> {
  return {
    nearest: async (scope: Scope, vectors: Float32Array[], space: EmbeddingSpace, k: number, filter: MemoryFilter) => {
      // The reason names files of this machine; `doctor` shows it.
      if (vectorsMissing !== null) throw new Error("vector search is not available: sqlite-vec could not be loaded");
      return search.nearest(scope, vectors, space, k, filter, report);
    },
    matching: (scope: Scope, texts: string[], k: number, filter: MemoryFilter) =>
      search.matching(scope, texts, k, filter, report),
    records: (scope: Scope, ids: readonly string[]) => db.snapshot((sql) => storedRecords(sql, scope, ids)),
    counts: (scope: Scope) => search.counts(scope, report),
    version: search.version,
    warm: () =>
      search.warm((waiting) => {
        reading = waiting;
        parentPort?.postMessage(heldNow());
      }),
  };
}

async function open(): Promise<Opened> {
  const { place, vectors, ...limits } = settings;
  const opened = (db: Database, vectorsMissing: string | null): Opened => {
    const search = memorySearch(storedRows(db), { ...limits, exact: vectors === false ? null : usearchExact() });
    return { db, search, vectorsMissing };
  };
  if (/^postgres(ql)?:/.test(place)) {
    // Imported on demand, because the driver takes longest to load.
    const { openPostgres } = await import("../postgres.ts");
    return opened(openPostgres(place, { connections: 2, name: "kodiai search" }), null);
  }
  if (!existsSync(place)) throw new Error(`${place} is not there: nothing has been remembered yet.`);
  const extension = vectors === undefined ? "installed" : vectors === false ? undefined : vectors;
  const db = openSqlite(place, { now: Date.now, isReader: true, vectors: extension });
  return opened(db, vectors === false ? "switched off" : db.vectorsMissing);
}

function heldNow(): HeldNow {
  const none = { repositories: 0, rows: 0, bytes: 0, limitBytes: settings.memoryBytes };
  return { ...(opened?.search.held() ?? none), waiting: reading };
}

/** The text appears in reviews: keeps a file's name, but not its path on the server. */
function publicText(text: string): string {
  return text.replaceAll(settings.place, basename(settings.place));
}

async function close(): Promise<void> {
  parentPort?.close();
  await opened?.db.close();
}
