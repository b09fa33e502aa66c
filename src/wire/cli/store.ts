// The store for the command line, in a folder or in DATABASE_URL's PostgreSQL, and the verbs that maintain it. Reading creates
// nothing.

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { blobCache } from "../../adapters/blob-cache.ts";
import { memoryOff } from "../../adapters/no-memory/memory-off.ts";
import { noMemory } from "../../adapters/no-memory/recall.ts";
import { dataDir, isDatabase, shownPlace, storePlace } from "../../cli/data-dir.ts";
import { UsageError } from "../../cli/usage.ts";
import { StoreUnusable } from "../../domain/errors.ts";
import type { WritingPorts } from "../../flows/review/review-ports.ts";
import type { Replays, RetrievalLog, RetrievalStatistics } from "../../ports/memory.ts";
import type { SpendingStore } from "../../ports/model.ts";
import type { MoveStore } from "../../ports/move.ts";
import type { PersonStore } from "../../ports/person.ts";
import { storedMemory } from "../../store/memory/memory.ts";
import { openMemoryFile, reclaimFile } from "../../store/memory/memory-file.ts";
import { threadRecall } from "../../store/memory/recall.ts";
import { storedReplays } from "../../store/memory/repositories.ts";
import { MEMORY_PART } from "../../store/memory/schema.ts";
import { migrate } from "../../store/migrate.ts";
import { openPostgres } from "../../store/postgres.ts";
import { openQueueFile } from "../../store/queue/clock.ts";
import { storedJobAdmin } from "../../store/queue/job-admin.ts";
import { QUEUE_PART } from "../../store/queue/schema.ts";
import { storedRetrievalStatistics, storedRetrievals } from "../../store/reviews/retrievals.ts";
import { storedSpending } from "../../store/reviews/spending.ts";
import type { Database } from "../../store/sql.ts";
import { openSqlite } from "../../store/sqlite.ts";
import { backUpStore } from "../../store/upkeep/backup.ts";
import { moveStore } from "../../store/upkeep/move.ts";
import { storedPeople } from "../../store/upkeep/people.ts";
import { restoreStore } from "../../store/upkeep/restore.ts";
import { appendTombstone } from "../../store/upkeep/tombstones.ts";
import { passwordIn, registerSecrets, safeRetrievals } from "../secrets.ts";

/** A command searches only once, so its one search must wait for the index. */
const PATIENCE = { answerMs: 60_000 };

/** A command makes a few queries in sequence, and exits without closing connections. */
const FEW = { connections: 3, name: "kodiai command", isLastWord: true } as const;

/** Connections to a database (see storePlace). */
function databaseAt(place: string): Database {
  registerSecrets(passwordIn(place));
  return openPostgres(place, FEW);
}

/**
 * Why the store cannot be opened; null when it can, or does not exist yet. One line without paths, because reviews show it.
 */
export function storeProblem(place: string): string | null {
  if (isDatabase(place)) return null;
  try {
    if (statSync(place, { throwIfNoEntry: false })?.isDirectory() === false) return "the data folder is not a folder";
    for (const name of ["memory.db", "queue.db"]) {
      const path = join(place, name);
      if (statSync(path, { throwIfNoEntry: false }) !== undefined) accessSync(path, constants.R_OK);
    }
    return null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "it cannot be read";
    return `the store could not be opened (${code})`;
  }
}

/** @throws Error when the store cannot be opened */
export function mustOpen(place: string): void {
  const problem = storeProblem(place);
  if (problem !== null) throw new Error(`${place}: ${problem}`);
}

/** Memory and the retrieval log for a local review; empty when there is no store yet. */
export function rememberedAt(place: string): Pick<WritingPorts, "recall" | "replays" | "retrievals"> {
  if (isDatabase(place)) {
    const db = databaseAt(place);
    const retrievals = safeRetrievals(storedRetrievals(db), unrecorded);
    return { recall: threadRecall({ place, patience: PATIENCE }), replays: storedReplays(db), retrievals };
  }
  const path = join(place, "memory.db");
  const problem = storeProblem(place);
  if (problem !== null) return { recall: memoryOff(problem).recall, replays: null, retrievals: null };
  const recall = existsSync(path) ? threadRecall({ place: path, patience: PATIENCE }) : noMemory();
  return { recall, replays: replaysInFile(path), retrievals: retrievalsIn(place) };
}

/** Reads a file; null when it is missing or unreadable. */
function replaysInFile(path: string): Pick<Replays, "of"> {
  return {
    async of(repo) {
      if (!existsSync(path)) return null;
      try {
        const db = openSqlite(path, { now: Date.now, isReader: true });
        return await storedReplays(db)
          .of(repo)
          .finally(() => db.close());
      } catch {
        return null;
      }
    },
  };
}

/** The retrieval log beside memory; each entry opens and closes the file. */
function retrievalsIn(folder: string): RetrievalLog | null {
  if (!existsSync(join(folder, "memory.db"))) return null;
  const write: RetrievalLog["write"] = async (entry) => {
    const db = await openQueueFile(join(folder, "queue.db"));
    await storedRetrievals(db)
      .write(entry)
      .finally(() => db.close());
  };
  return safeRetrievals({ write }, unrecorded);
}

export function unrecorded(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`kodiai: this retrieval is not in the statistics: ${reason}\n`);
}

/** Statistics of recorded searches. */
export async function statisticsAt(
  place: string,
): Promise<{ readonly statistics: RetrievalStatistics; close(): Promise<void> }> {
  if (!isDatabase(place)) mustOpen(place);
  const path = join(place, "queue.db");
  const db = isDatabase(place) ? databaseAt(place) : await openQueueFile(existsSync(path) ? path : ":memory:");
  return { statistics: storedRetrievalStatistics(db, Date.now), close: () => db.close() };
}

/** Spending is stored beside the server's queue; without one nothing is counted, and no file is created. */
export async function spendingAt(place: string): Promise<SpendingStore | null> {
  if (isDatabase(place)) return storedSpending(databaseAt(place));
  const path = join(place, "queue.db");
  return existsSync(path) ? storedSpending(await openQueueFile(path)) : null;
}

/** @param word the folder of `--data-dir`; if no server ever used it, no file is created */
export async function jobsVerbPorts(word: string | undefined) {
  const place = storePlace(word);
  const path = join(place, "queue.db");
  const db = isDatabase(place) ? databaseAt(place) : existsSync(path) ? await openQueueFile(path) : null;
  return { folder: shownPlace(place), jobs: db && storedJobAdmin(db), close: async () => db?.close() };
}

/** Ports of `kodiai backup` and `kodiai restore`. Both throw StoreUnusable with what the operator can do. */
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

interface PersonPorts extends PersonStore {
  close(): Promise<void>;
}

/**
 * Ports of `kodiai export-data` and `kodiai erase`.
 *
 * @throws UsageError without a store; creates no file
 */
export async function personPorts(word: string | undefined): Promise<PersonPorts> {
  const ports = await booksOf(word);
  const blobs = blobCache(dataDir(word));
  return {
    ...ports,
    // Cached code may name the person. It is fetched from GitHub again when needed.
    erase: async (person, texts) => {
      await blobs.clear();
      return ports.erase(person, texts);
    },
  };
}

async function booksOf(word: string | undefined): Promise<PersonPorts> {
  const place = storePlace(word);
  if (isDatabase(place)) {
    const db = databaseAt(place);
    // Another process may be vacuuming; then autovacuum does it later.
    const reclaim = () => db.script("VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON)").catch(() => {});
    const { forget } = storedMemory(db, reclaim);
    const people = storedPeople({ queue: db, memory: db }, { nameOf: () => "database", forget, reclaim });
    return { ...people, close: () => db.close() };
  }
  const folder = dataDir(word);
  if (!existsSync(join(folder, "queue.db"))) throw new UsageError(`there is no store in ${folder}; see --data-dir`);
  return peopleIn(folder);
}

/** Records the erasure, so that a restore of an older backup repeats it. */
async function peopleIn(folder: string): Promise<PersonPorts> {
  const queue = await openQueueFile(join(folder, "queue.db"));
  const path = join(folder, "memory.db");
  const memory = existsSync(path) ? await openMemoryFile(path) : null;
  const people = storedPeople(
    { queue, memory },
    {
      nameOf: (of) => `${of}.db`,
      forget: async (repo, ids) =>
        memory === null ? 0 : storedMemory(memory, () => reclaimFile(memory)).forget(repo, ids),
      record: ({ ids, loginHashes }, texts) =>
        appendTombstone(folder, {
          forgot: "person",
          ids: [...ids],
          logins: [...loginHashes],
          texts,
          at: Date.now(),
        }),
      // Deleted text is overwritten at once (see openSqlite).
      async reclaim() {
        await reclaimFile(queue);
        if (memory !== null) await reclaimFile(memory);
      },
    },
  );
  return {
    ...people,
    async close() {
      await queue.close();
      await memory?.close();
    },
  };
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
  // A page is read in one short statement; all is on disk before the migration ends.
  const target = openPostgres(url, { lockMs: 10_000, connections: 2, name: "kodiai migrate" });
  const close = async () => {
    for (const db of [queue, memory, target]) await db.close();
  };
  try {
    await migrate(target, [MEMORY_PART, QUEUE_PART], "DATABASE_URL");
    const move: MoveStore = (report) => moveStore({ queue, memory }, target, report);
    return { folder, move, close };
  } catch (error) {
    await close();
    throw error;
  }
}
