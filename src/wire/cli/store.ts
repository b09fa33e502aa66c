// The store for the command line, and the verbs that maintain it. Reading creates nothing.

import { accessSync, constants, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { memoryOff } from "../../adapters/no-memory/no-memory.ts";
import { UsageError } from "../../config/usage-error.ts";
import { StoreUnusable } from "../../domain/errors.ts";
import { dataDir, dataDirIfAny, isDatabase, isDataFolder, storePlace } from "../../environment/data-dir.ts";
import type { WritingPorts } from "../../flows/review/review-ports.ts";
import { openMemoryFile } from "../../store/memory/memory-file.ts";
import { MEMORY_PART } from "../../store/memory/schema.ts";
import { migrate } from "../../store/migrate.ts";
import { openQueueFile } from "../../store/queue/clock.ts";
import { QUEUE_PART } from "../../store/queue/schema.ts";
import { backUpStore } from "../../store/upkeep/backup.ts";
import { moveStore, type ReportMoved } from "../../store/upkeep/move.ts";
import { restoreStore } from "../../store/upkeep/restore.ts";
import { STORE_FILES } from "../../store/upkeep/store-files.ts";
import { safeRetrievals } from "../secrets.ts";
import { openStore, type Store } from "../store.ts";

/** Whether there is a store at a place. Throws when its folder or a file in it cannot be read. */
export function isStoreAt(place: string): boolean {
  if (isDatabase(place)) return true;
  if (!isDataFolder(place)) return false;
  const files = STORE_FILES.map(({ name }) => join(place, name)).filter((path) => existsSync(path));
  for (const path of files) accessSync(path, constants.R_OK);
  return files.length > 0;
}

/** Null while there is no store; creates none. Throws as isStoreAt and openStore do. */
export async function openForReading(place: string): Promise<Store | null> {
  return isStoreAt(place) ? openStore(place, { isCommand: true, dataDir: dataDirIfAny(undefined) }) : null;
}

export type Remembered = Pick<WritingPorts, "recall" | "retrievals"> &
  Partial<Pick<Store, "spending" | "labels" | "modelLessons">>;

/** What a local review needs; null while there is no store. One that does not open degrades it. */
export async function rememberedAt(place: string): Promise<Remembered | null> {
  try {
    const store = await openForReading(place);
    return store && { ...store, retrievals: safeRetrievals(store.retrievals, unrecorded) };
  } catch (error) {
    const { recall } = memoryOff(error instanceof Error ? error.message : "the store could not be opened");
    return { recall, retrievals: null };
  }
}

export function unrecorded(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`kodiai: this retrieval is not in the statistics: ${reason}\n`);
}

/** Both throw StoreUnusable with what the operator can do. */
export function backupPorts(word: string | undefined) {
  if (isDatabase(storePlace(word))) {
    throw new UsageError("DATABASE_URL names a PostgreSQL: back it up and restore it with its own tools, as pg_dump");
  }
  const folder = dataDir(word);
  return {
    folder,
    backUp: (to: string) => backUpStore(folder, to, Date.now()),
    restore: (from: string) => restoreStore(from, folder, Date.now()),
  };
}

/** @throws UsageError without a store; Error when memory does not open: much would be left out */
export async function personPorts(word: string | undefined): Promise<Store["people"] & Pick<Store, "close">> {
  const store = await openForReading(storePlace(word));
  if (store === null) throw new UsageError(`there is no store in ${dataDir(word)}; see --data-dir`);
  if (store.memoryProblem !== null) throw store.memoryProblem;
  return { ...store.people, close: store.close };
}

/**
 * @param to the URL; undefined for DATABASE_URL, which keeps it out of the process list
 * @throws StoreUnusable if there is no store, or the address is invalid; UsageError
 */
export async function openMigration(from: string, to: string | undefined) {
  const named = /^sqlite:\/\/(.+)$/.exec(from)?.[1];
  if (named === undefined) throw new UsageError("the store that is read is named sqlite://DIR");
  const url = to ?? process.env.DATABASE_URL;
  if (url === undefined) throw new UsageError("say where to: postgres://…, or set DATABASE_URL");
  const folder = resolve(named);
  for (const name of ["queue.db", "memory.db"])
    if (!existsSync(join(folder, name))) throw new StoreUnusable(`There is no ${name} in ${folder}.`);
  const queue = await openQueueFile(join(folder, "queue.db"));
  const memory = await openMemoryFile(join(folder, "memory.db"));
  const { openPostgres } = await import("../../store/postgres.ts");
  // A page is read in one short statement; all is on disk before the migration ends.
  const target = openPostgres(url, { lockMs: 10_000, connections: 2, name: "kodiai migrate" });
  const close = async () => {
    for (const db of [queue, memory, target]) await db.close();
  };
  try {
    await migrate(target, [MEMORY_PART, QUEUE_PART], "DATABASE_URL");
    const move = (report: ReportMoved) => moveStore({ queue, memory }, target, report);
    return { folder, move, close };
  } catch (error) {
    await close();
    throw error;
  }
}
