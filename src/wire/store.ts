// Opens the store: two SQLite files of a data folder, or a PostgreSQL for any number of processes.

import { join } from "node:path";
import { type BlobCache, blobCache } from "../adapters/blob-cache.ts";
import { memoryOff } from "../adapters/no-memory/no-memory.ts";
import { processMark } from "../adapters/process-mark.ts";
import { DatabaseRefuses, StoreUnusable, Transient } from "../domain/errors.ts";
import { repoKey } from "../domain/memory.ts";
import { isDatabase, makeDataFolder } from "../environment/data-dir.ts";
import type { Embedder } from "../ports/memory.ts";
import type { AnyJob, Lease } from "../ports.ts";
import { usearchExact } from "../search/vector-index.ts";
import { onDamage } from "../store/damage.ts";
import { expireRows } from "../store/expire.ts";
import { storedTraces } from "../store/forget-repository.ts";
import { cachedEmbedder } from "../store/memory/embedding-cache.ts";
import { storedEvidence } from "../store/memory/evidence.ts";
import { openMemoryFile, reclaimFile } from "../store/memory/memory-file.ts";
import { type RecallSettings, storedRecall } from "../store/memory/recall.ts";
import { storedRejections } from "../store/memory/rejections.ts";
import { storedFigures, storedLabels, storedSpaces } from "../store/memory/repositories.ts";
import { MEMORY_PART } from "../store/memory/schema.ts";
import { storedMemory } from "../store/memory/stored-memory.ts";
import { migrate } from "../store/migrate.ts";
import { ownerOnlyFolder } from "../store/owner-only.ts";
import { clockEpoch, openQueueFile } from "../store/queue/clock.ts";
import { storedInbox } from "../store/queue/deliveries.ts";
import { storedJobAdmin } from "../store/queue/job-admin.ts";
import { storedMissedEvents } from "../store/queue/missed-events.ts";
import { storedEndedSessions, storedMoments } from "../store/queue/moments.ts";
import { storedQueue } from "../store/queue/queue.ts";
import { QUEUE_PART } from "../store/queue/schema.ts";
import { storedChecks, storedPushWaits } from "../store/reviews/checks.ts";
import { storedAnswers, storedDecisions } from "../store/reviews/conversation.ts";
import { storedFeedback, storedHistory, storedIntroductions } from "../store/reviews/follow-up.ts";
import { storedRetrievalStatistics, storedRetrievals } from "../store/reviews/retrievals.ts";
import { storedModelLessons, storedReplies, storedReviews } from "../store/reviews/reviews.ts";
import { storedSpending } from "../store/reviews/spending.ts";
import { storedSigns, storedWorkFigures } from "../store/reviews/work-figures.ts";
import { storedInstallationPace, storedOrphanWrites, storedWrites } from "../store/reviews/writes.ts";
import type { Database } from "../store/sql.ts";
import type { SqliteSettings } from "../store/sqlite.ts";
import { checkFiles, type FileProblem } from "../store/upkeep/check-files.ts";
import { type PersonStore, storedPeople } from "../store/upkeep/people.ts";
import { removeOldCopies } from "../store/upkeep/snapshot.ts";
import { checkFile } from "../store/upkeep/store-files.ts";
import { appendTombstone } from "../store/upkeep/tombstones.ts";
import { passwordIn, registerSecrets } from "./secrets.ts";

type OpenMemory = ReturnType<typeof rememberedOn>;
/** Null when memory could not be opened. */
type Lost = "past" | "shown";
type Remembered = Omit<OpenMemory, Lost> & { readonly [Part in Lost]: OpenMemory[Part] | null };

export interface Store extends Records, ReturnType<typeof queueOn>, Remembered {
  readonly people: PersonStore;
  /** Of the queue's clock, for the worker process; a database has a clock of its own. */
  readonly epoch: number;
  /** Cached blobs of snapshots; null without a folder for them. */
  readonly blobs: BlobCache | null;
  /** Checks the integrity of the whole store in the background. Rejects when the check fails. */
  verify(unwanted: AbortSignal): Promise<readonly FileProblem[]>;
  /** Subscribes to error codes that report damaged data. @returns unsubscribes */
  onDamage(found: (code: string) => void): () => void;
}

/** `mostPages` and `vectors` are other than the documented ones in tests only. */
export interface StoreSettings extends RecallSettings, Pick<SqliteSettings, "mostPages" | "vectors"> {
  /** Checks both files completely before use, as a server does: about a second per gigabyte. */
  readonly isChecked?: boolean;
  /** A process without a heartbeat for so long is taken for dead. */
  readonly silentMs?: number | undefined;
  /** The name of this process among those of the queue; absent: a new one. */
  readonly instance?: string;
  /** See Store.epoch; absent: by the wall clock. */
  readonly epoch?: number;
  /** For a command, which ends soon: few connections. */
  readonly isCommand?: boolean;
  /**
   * When set, other users lose their permissions on the folder, or this is called with why they
   * keep some. Absent: the folder stays as it is, because a command may use any; its files are
   * restricted either way.
   */
  readonly onExposed?: (reason: string) => void;
  /** Folder for files outside the database; null or absent: the store's own, if it is a folder. */
  readonly dataDir?: string | null;
}

/**
 * Opens (or creates) the store. If only memory cannot be opened, see `memoryProblem`.
 *
 * @param place a data folder, or `postgres://…`
 * @throws StoreUnusable when it is damaged or from a newer Kodiai, or the URL is invalid; Transient
 *   when the server cannot be reached; Error when the folder cannot be written
 */
export async function openStore(place: string, { dataDir, ...settings }: StoreSettings = {}): Promise<Store> {
  const folder = isDatabase(place) ? (dataDir ?? null) : place;
  const store = await (isDatabase(place) ? openDatabaseStore(place, settings) : openFolder(place, settings));
  return folder === null ? { ...store, blobs: null } : withBlobs(store, blobCache(folder));
}

/** Cached blobs go with their repository, and with any person: code may name people. */
function withBlobs(store: Omit<Store, "blobs">, blobs: BlobCache): Store {
  const { traces, people } = store;
  return {
    ...store,
    blobs,
    expire: async (now) => (await store.expire(now)) + (await blobs.expire(now)),
    traces: {
      ...traces,
      async forgetRepository(repo) {
        await blobs.forget(repo);
        return traces.forgetRepository(repo);
      },
    },
    people: {
      ...people,
      async erase(person, texts) {
        await blobs.clear();
        return people.erase(person, texts);
      },
    },
  };
}

async function openFolder(folder: string, settings: StoreSettings): Promise<Omit<Store, "blobs">> {
  makeDataFolder(folder);
  const exposed = settings.onExposed === undefined ? null : ownerOnlyFolder(folder);
  if (exposed !== null) settings.onExposed?.(exposed);
  const path = join(folder, "queue.db");
  if (settings.isChecked === true) checkFile(path, QUEUE_PART);
  const { epoch = clockEpoch() } = settings;
  const db = await openQueueFile(path, epoch);
  const reclaim = () => reclaimFile(db);
  const { memoryDb, ...remembered } = await openMemory(join(folder, "memory.db"), settings);
  const records = recordsOn(db, processMark(), reclaim);
  const people = storedPeople(
    { queue: db, memory: memoryDb },
    {
      nameOf: (of) => `${of}.db`,
      forget: remembered.memory.forget,
      // A restore of an older backup repeats the erasure.
      record: ({ ids, loginHashes }, texts) =>
        appendTombstone(folder, { forgot: "person", ids: [...ids], logins: [...loginHashes], texts, at: Date.now() }),
      // Deleted text is overwritten at once (see openSqlite).
      async reclaim() {
        await reclaim();
        if (memoryDb !== null) await reclaimFile(memoryDb);
      },
    },
  );
  return {
    ...queueOn(db, settings),
    ...records,
    expire: async (now) => (await records.expire(now)) + removeOldCopies(folder, now),
    traces: {
      ...records.traces,
      async forgetRepository(repo) {
        // Before the removal, so that an older backup cannot bring the data back.
        appendTombstone(folder, { forgot: "repository", key: repoKey(repo), at: Date.now() });
        return records.traces.forgetRepository(repo);
      },
    },
    ...remembered,
    people,
    epoch,
    verify: (unwanted) => checkFiles(folder, unwanted),
    onDamage,
    async close() {
      await remembered.close();
      await db.script("PRAGMA wal_checkpoint(TRUNCATE)");
      await db.close();
    },
  };
}

function queueOn(db: Database, { silentMs, instance }: StoreSettings) {
  return {
    queue: storedQueue(db, {
      process: processMark(),
      ...(silentMs === undefined ? {} : { silentMs }),
      ...(instance === undefined ? {} : { instance }),
    }),
    inbox: storedInbox(db),
    /** Without redaction: write only redacted entries (see safeRetrievals). */
    retrievals: storedRetrievals(db),
    /** Not cached. */
    statistics: storedRetrievalStatistics(db, Date.now),
    jobs: storedJobAdmin(db),
    work: storedWorkFigures(db),
  };
}

async function openMemory(
  path: string,
  settings: StoreSettings,
): Promise<Remembered & { readonly memoryDb: Database | null }> {
  try {
    if (settings.isChecked === true) checkFile(path, MEMORY_PART);
    const { mostPages, vectors = "installed" } = settings;
    const db = await openMemoryFile(path, { mostPages, vectors });
    return { ...rememberedOn(db, db.vectorsMissing, () => reclaimFile(db), settings), memoryDb: db };
  } catch (error) {
    return {
      ...memoryOff("memory.db could not be opened; run `kodiai doctor` for the cause"),
      past: null,
      shown: null,
      memoryProblem: error instanceof Error ? error : new Error(String(error)),
      vectorsMissing: null,
      spaces: () => Promise.resolve([]),
      cached: (embedder) => embedder,
      close: () => Promise.resolve(),
      memoryDb: null,
    };
  }
}

function rememberedOn(
  db: Database,
  vectorsMissing: string | null,
  reclaim: () => Promise<void>,
  settings: StoreSettings,
) {
  return {
    memory: storedMemory(db, reclaim),
    evidence: storedEvidence(db),
    past: storedRejections(db),
    labels: storedLabels(db),
    recall: storedRecall(db, vectorsMissing, settings),
    shown: storedFigures(db),
    /** Why memory could not be opened, for the operator; null when it is open. */
    memoryProblem: null as Error | null,
    /** Why the database cannot compare vectors; null when it can. */
    vectorsMissing,
    spaces: () => storedSpaces(db),
    cached: (embedder: Embedder) => cachedEmbedder(embedder, db, Date.now),
    close: db.close,
  };
}

/**
 * GitHub's timeout of a delivery is 10 s, and a process that was silent for 20 s loses its jobs:
 * these statements must fail well before that, to be retried on another connection.
 */
const QUICK = {
  connections: 8,
  name: "kodiai queue",
  statementMs: 5_000,
  lockMs: 3_000,
  silentMs: 10_000,
} as const;

/** A command makes a few queries in sequence, and exits without closing connections. */
const COMMAND = { connections: 4, name: "kodiai command", isLastWord: true } as const;

async function openDatabaseStore(url: string, settings: StoreSettings): Promise<Omit<Store, "blobs">> {
  const isCommand = settings.isCommand === true;
  // Imported on demand, as in prepareDatabase: a store in files needs no driver.
  const { openPostgres } = await import("../store/postgres.ts");
  await prepareDatabase(url);
  const db = openPostgres(url, isCommand ? COMMAND : QUICK);
  // Memory and maintenance use connections of their own, so that no search delays a delivery.
  const patient = isCommand ? db : openPostgres(url, { name: "kodiai memory" });
  const reclaim = (tables: readonly string[]) => vacuum(patient, tables);
  const remembered = rememberedOn(patient, null, () => reclaim(MEMORY_TABLES), settings);
  return {
    ...queueOn(db, settings),
    ...recordsOn(db, processMark(), reclaim, patient),
    ...remembered,
    people: storedPeople(
      { queue: patient, memory: patient },
      {
        nameOf: () => "database",
        forget: remembered.memory.forget,
        // Its backups are PostgreSQL's own.
        record: () => undefined,
        reclaim: () => reclaim([]),
      },
    ),
    epoch: 0,
    // PostgreSQL checks its own files, with checksums.
    verify: () => Promise.resolve([]),
    onDamage,
    async close() {
      await remembered.close();
      if (!isCommand) await db.close();
    },
  };
}

/** On a connection with longer timeouts, because another process may be running a long step. */
async function prepareDatabase(url: string): Promise<void> {
  const { openPostgres } = await import("../store/postgres.ts");
  const db = openPostgres(url, { connections: 1, name: "kodiai schema", lockMs: 60_000, statementMs: 60_000 });
  try {
    await migrate(db, [MEMORY_PART, QUEUE_PART], "DATABASE_URL");
  } finally {
    await db.close();
  }
}

const MEMORY_TABLES = ["records", "contents", "terms", "vectors", "evidence", "flagged", "embeddings"];

/** Removes dead rows of tables (of all, if none is named); see docs/data.md for their bytes. */
async function vacuum(db: Database, tables: readonly string[]): Promise<void> {
  // Another process may be vacuuming; then autovacuum does it later.
  await db.script(`VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON) ${tables.join(", ")}`).catch(() => {});
}

export type Records = ReturnType<typeof recordsOn>;

/** @param patient for removals: on PostgreSQL a connection with longer timeouts */
export function recordsOn(
  db: Database,
  process: string | null,
  reclaim: (tables: readonly string[]) => Promise<void>,
  patient: Database = db,
) {
  /** Records of one job, written only while it is held; null for sweeps, which have no job. */
  const held = (lease: Lease<AnyJob> | null) => ({
    ledger: storedReviews(db, lease),
    answers: storedAnswers(db, lease),
    checks: storedChecks(db, lease),
    writes: storedWrites(db, lease, lease?.job.key ?? ""),
  });
  return {
    held,
    ...held(null),
    orphanWrites: storedOrphanWrites(db),
    pace: storedInstallationPace(db, process),
    decisions: storedDecisions(db),
    traces: storedTraces(patient, reclaim),
    waits: storedPushWaits(db),
    feedback: storedFeedback(db),
    missed: storedMissedEvents(db),
    signs: storedSigns(patient),
    /** Deletes expired rows; returns how many. `now` is epoch milliseconds. */
    expire: (now: number): Promise<number> => expireRows(patient, now),
    /** When a backup was last restored, in epoch milliseconds; null when none was. */
    restoredAt: (): Promise<number | null> => storedMoments(db).at("restored"),
    spending: storedSpending(db),
    replies: storedReplies(db),
    modelLessons: storedModelLessons(db),
    history: storedHistory(db),
    endedSessions: storedEndedSessions(db),
    introductions: storedIntroductions(db),
  };
}

/** @throws Transient when it does not answer; DatabaseRefuses when URL or server must be fixed */
export async function databaseAnswers(url: string): Promise<void> {
  registerSecrets(passwordIn(url));
  const { openPostgres } = await import("../store/postgres.ts");
  const db = openPostgres(url, { connections: 1, name: "kodiai start", statementMs: 5_000 });
  try {
    await db.one("SELECT 1");
  } catch (error) {
    if (error instanceof Transient || error instanceof StoreUnusable || error instanceof DatabaseRefuses) throw error;
    throw new DatabaseRefuses(`the database refuses: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await db.close();
  }
}

/** False if usearch has no build for this machine: then the database compares all vectors. */
export function comparesInMemory(): boolean {
  return usearchExact() !== null;
}
