// Opens all that Kodiai keeps and joins it to ports: embedded in two files of a data folder, or in a PostgreSQL for any number of
// processes.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BlobCache, blobCache } from "../adapters/blob-cache.ts";
import { memoryOff } from "../adapters/no-memory/memory-off.ts";
import { processMark } from "../adapters/process-mark.ts";
import { DatabaseRefuses, StoreUnusable, Transient } from "../domain/errors.ts";
import type { MemoryWarmth } from "../domain/memory/index-state.ts";
import type { EmbeddingSpace } from "../domain/memory.ts";
import type { CheckStore, ProgressStore } from "../ports/checks.ts";
import type { AnswerStore, ReviewRecords } from "../ports/conversation.ts";
import type { ConventionMarks, MemoryFigures, WorkFigures } from "../ports/dashboard.ts";
import type { EvidenceStore } from "../ports/feedback.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { JobAdmin } from "../ports/jobs.ts";
import type {
  Embedder,
  Memory,
  Recall,
  Replays,
  RepositoryLabels,
  RetrievalLog,
  RetrievalStatistics,
} from "../ports/memory.ts";
import type { FlaggedCode, PastCode, PastRejections, Rejecting } from "../ports/rejections.ts";
import type { WriteStore } from "../ports/writes.ts";
import type { AnyJob, Lease, Ledger, Queue, Traces } from "../ports.ts";
import { usearchExact } from "../search/vector-index.ts";
import { onDamage } from "../store/damage.ts";
import { expireRows } from "../store/expire.ts";
import { storedTraces } from "../store/forget-repository.ts";
import { cachedEmbedder } from "../store/memory/embedding-cache.ts";
import { storedEvidence } from "../store/memory/evidence.ts";
import { storedMemory } from "../store/memory/memory.ts";
import { type MemoryFacts, memoryFacts } from "../store/memory/memory-facts.ts";
import { openMemoryFile, reclaimFile } from "../store/memory/memory-file.ts";
import { type RecallSettings, threadRecall } from "../store/memory/recall.ts";
import { storedRejections } from "../store/memory/rejections.ts";
import {
  remembersAnything,
  storedConventionMarks,
  storedFigures,
  storedLabels,
  storedReplays,
  storedSpaces,
} from "../store/memory/repositories.ts";
import { MEMORY_PART } from "../store/memory/schema.ts";
import { migrate } from "../store/migrate.ts";
import { ownerOnlyFolder } from "../store/owner-only.ts";
import { openPostgres } from "../store/postgres.ts";
import { postgresListener } from "../store/postgres-listener.ts";
import { openQueueFile } from "../store/queue/clock.ts";
import { storedInbox } from "../store/queue/deliveries.ts";
import { storedJobAdmin } from "../store/queue/job-admin.ts";
import { storedMissedEvents } from "../store/queue/missed-events.ts";
import { storedEndedSessions, storedMoments } from "../store/queue/moments.ts";
import { storedQueue } from "../store/queue/queue.ts";
import { QUEUE_PART } from "../store/queue/schema.ts";
import { storedChecks, storedPushWaits } from "../store/reviews/checks.ts";
import { storedAnswers, storedDecisions } from "../store/reviews/conversation.ts";
import { storedHistory, storedIntroductions, storedLooks } from "../store/reviews/follow-up.ts";
import { storedProgress } from "../store/reviews/progress.ts";
import { storedRetrievalStatistics, storedRetrievals } from "../store/reviews/retrievals.ts";
import { storedReplies, storedReviews } from "../store/reviews/reviews.ts";
import { storedSigns } from "../store/reviews/signs.ts";
import { storedSpending } from "../store/reviews/spending.ts";
import { storedWorkFigures } from "../store/reviews/work-figures.ts";
import { storedInstallationPace, storedOrphanWrites, storedWrites } from "../store/reviews/writes.ts";
import type { Database } from "../store/sql.ts";
import { checkFiles, type FileProblem } from "../store/upkeep/check-files.ts";
import { refuseHalfMoved } from "../store/upkeep/move.ts";
import { removeOldCopies } from "../store/upkeep/schema-copies.ts";
import { checkFile } from "../store/upkeep/store-files.ts";
import { appendTombstone } from "../store/upkeep/tombstones.ts";
import { passwordIn, registerSecrets } from "./secrets.ts";

export type { MemoryFacts };

/** What is remembered. */
export interface Remembered {
  readonly memory: Memory;
  /** What people did about findings, and the outcomes that follow. */
  readonly evidence: EvidenceStore;
  /** What was declined, and the code that findings were about; null where memory could not be opened. */
  readonly past: (PastRejections & Rejecting & PastCode & FlaggedCode) | null;
  /** What replays came to; null where memory could not be opened. */
  readonly replays: Replays | null;
  /** Repositories of which something is remembered. */
  readonly labels: RepositoryLabels;
  /** Searches in a thread of its own, so that webhooks and reviews go on. */
  readonly recall: Recall;
  /** For the dashboard; null where memory could not be opened. */
  readonly shown: (MemoryFigures & ConventionMarks) | null;
  /** Which embedders the vectors in memory come from, with how many each. */
  spaces(): Promise<readonly (EmbeddingSpace & { readonly vectors: number })[]>;
  /** Why there is no memory, for the operator; null when there is one. */
  readonly memoryProblem: Error | null;
  /** The embedder, with the vectors of its queries kept for a day. */
  cached(embedder: Embedder): Embedder;
  /** Reads into memory what will be searched, in the background. Rejects with why it cannot be read. */
  warm(): Promise<void>;
  /** How far that has come. */
  warmth(): MemoryWarmth;
}

/** All that Kodiai keeps. */
export interface Store extends Records, Remembered {
  readonly queue: Queue;
  /** Where deliveries come in. */
  readonly inbox: Inbox;
  /** As it is: what is written must be without secrets (see safeRetrievals). */
  readonly retrievals: RetrievalLog;
  /** Read again each time. */
  readonly statistics: RetrievalStatistics;
  /** Jobs from outside. */
  readonly jobs: JobAdmin;
  /** For the dashboard. */
  readonly work: WorkFigures;
  /** Blobs of snapshots; null where this process has no folder for them. */
  readonly blobs: BlobCache | null;
  /** Reads all that is stored, beside everything else. Rejects when it could not be found out. */
  verify(unwanted: AbortSignal): Promise<readonly FileProblem[]>;
  /** Called with the code of each error by which a database says that its data is damaged. @returns ends that */
  onDamage(found: (code: string) => void): () => void;
  close(): Promise<void>;
}

/** Smaller than the documented limits, or worse than real life: for tests of what fails. */
export interface MemorySettings extends Omit<RecallSettings, "place"> {
  readonly mostPages?: number;
  /** Read both files wholly before they are used, as a server does when it starts: about a second per gigabyte. */
  readonly isChecked?: boolean;
}

export interface StoreSettings extends MemorySettings {
  /** How long another process on the same store may be silent. */
  readonly silentMs?: number | undefined;
  /** For a command, which ends soon: few connections, and time for the search to read the index on its way. */
  readonly isCommand?: boolean;
  /**
   * Takes from other users what rights they have to the folder, and is called with the reason why they keep some. Absent: the
   * folder is left as it is, since a command may be pointed at any; the files in it are closed either way.
   */
  readonly onExposed?: (reason: string) => void;
  /** Where files are kept that no database holds; absent: the place of the store, if that is a folder. */
  readonly dataDir?: string;
}

/** A command searches once and ends: there is no next time for which the index could be read. */
const UNHURRIED_MS = 60_000;

/** True for the address of a PostgreSQL, false for a folder. */
export function isDatabase(place: string): boolean {
  return /^postgres(ql)?:/.test(place);
}

/**
 * Opens (or creates) the store. A memory that cannot be opened costs the memory: see `memoryProblem`.
 *
 * @param place a data folder, or `postgres://…`
 * @throws StoreUnusable when it is damaged, comes from a newer Kodiai, or the address is none; Transient when the server cannot be
 *   reached now; Error when the folder cannot be written
 */
export async function openStore(place: string, { dataDir, ...settings }: StoreSettings = {}): Promise<Store> {
  const folder = isDatabase(place) ? dataDir : place;
  const store = await (isDatabase(place) ? openDatabaseStore(place, settings) : openFolder(place, settings));
  return folder === undefined ? { ...store, blobs: null } : withBlobs(store, blobCache(folder));
}

/** What was read of repositories goes when its time is over, and with its repository. */
function withBlobs(store: Omit<Store, "blobs">, blobs: BlobCache): Store {
  const { traces } = store;
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
  };
}

async function openFolder(folder: string, settings: StoreSettings): Promise<Omit<Store, "blobs">> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const exposed = settings.onExposed === undefined ? null : ownerOnlyFolder(folder);
  if (exposed !== null) settings.onExposed?.(exposed);
  const path = join(folder, "queue.db");
  if (settings.isChecked === true) checkFile(path, QUEUE_PART);
  const db = await openQueueFile(path);
  const reclaim = () => reclaimFile(db);
  const remembered = await openMemory(join(folder, "memory.db"), settings);
  const records = recordsOn(db, { process: processMark(), reclaim });
  return {
    ...queueOn(db, settings),
    ...records,
    expire: async (now) => (await records.expire(now)) + removeOldCopies(folder, now),
    traces: withTombstones(records.traces, folder),
    ...remembered,
    verify: (unwanted) => checkFiles(folder, unwanted),
    onDamage,
    async close() {
      await remembered.close();
      await db.script("PRAGMA wal_checkpoint(TRUNCATE)");
      await db.close();
    },
  };
}

/** What is forgotten is recorded first: an older backup must not bring it back. */
function withTombstones(traces: Traces, folder: string): Traces {
  return {
    ...traces,
    async forgetRepository(repo) {
      appendTombstone(folder, { forgot: "repository", key: `${repo.host}/${repo.id}`, at: Date.now() });
      return traces.forgetRepository(repo);
    },
  };
}

function queueOn(db: Database, { silentMs }: StoreSettings, listener?: ReturnType<typeof postgresListener>) {
  return {
    queue: storedQueue(db, {
      process: processMark(),
      ...(silentMs === undefined ? {} : { silentMs }),
      ...(listener === undefined ? {} : { listener }),
    }),
    inbox: storedInbox(db),
    retrievals: storedRetrievals(db),
    statistics: storedRetrievalStatistics(db, Date.now),
    jobs: storedJobAdmin(db),
    work: storedWorkFigures(db),
  };
}

async function openMemory(path: string, settings: StoreSettings): Promise<Remembered & { close(): Promise<void> }> {
  try {
    if (settings.isChecked === true) checkFile(path, MEMORY_PART);
    const db = await openMemoryFile(path, settings.mostPages);
    return rememberedOn(db, path, () => reclaimFile(db), settings);
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error));
    return {
      ...memoryOff("memory.db could not be opened; run `kodiai doctor` for the cause"),
      past: null,
      replays: null,
      shown: null,
      memoryProblem: problem,
      spaces: () => Promise.resolve([]),
      cached: (embedder) => embedder,
      warm: () => Promise.resolve(),
      warmth: () => ({ state: "off", repositories: 0, rows: 0 }),
      close: () => Promise.resolve(),
    };
  }
}

function rememberedOn(
  db: Database,
  place: string,
  reclaim: () => Promise<void>,
  { mostPages: _, isChecked: __, silentMs: ___, isCommand, onExposed: ____, dataDir: _____, ...search }: StoreSettings,
): Remembered & { close(): Promise<void> } {
  const patience = { ...(isCommand === true ? { answerMs: UNHURRIED_MS } : {}), ...search.patience };
  const recall = threadRecall({ ...search, place, patience });
  return {
    memory: storedMemory(db, reclaim),
    evidence: storedEvidence(db),
    past: storedRejections(db),
    replays: storedReplays(db),
    labels: storedLabels(db),
    recall,
    shown: { ...storedFigures(db), ...storedConventionMarks(db) },
    memoryProblem: null,
    spaces: () => storedSpaces(db),
    cached: (embedder) => cachedEmbedder(embedder, db, Date.now),
    // An empty memory needs no thread.
    warm: async () => ((await remembersAnything(db)) ? recall.warm() : undefined),
    warmth: recall.warmth,
    async close() {
      await recall.close();
      await db.close();
    },
  };
}

/**
 * GitHub gives up on a delivery after 10 s, and a process that was silent for 20 s has lost its jobs: what is asked here is answered
 * in well under that, or asked again on another connection.
 */
const QUICK = {
  connections: 8,
  name: "kodiai queue",
  statementMs: 5_000,
  lockMs: 3_000,
  silentMs: 10_000,
  pipelines: true,
} as const;

/** A command is one process that asks a few things one after the other, and ends without closing anything. */
const COMMAND = { connections: 4, name: "kodiai command", isLastWord: true } as const;

async function openDatabaseStore(url: string, settings: StoreSettings): Promise<Omit<Store, "blobs">> {
  const isCommand = settings.isCommand === true;
  await prepareDatabase(url);
  const db = openPostgres(url, isCommand ? COMMAND : QUICK);
  // Memory and upkeep take their time on connections of their own, so that no search keeps a delivery waiting.
  const patient = isCommand ? db : openPostgres(url, { name: "kodiai memory" });
  const listener = isCommand ? undefined : postgresListener(url);
  const reclaim = (tables: readonly string[]) => vacuum(patient, tables);
  const remembered = rememberedOn(patient, url, () => reclaim(MEMORY_TABLES), settings);
  return {
    ...queueOn(db, settings, listener),
    ...recordsOn(db, { patient, process: processMark(), reclaim }),
    ...remembered,
    // Its files are the database's own, which has checksums for them.
    verify: () => Promise.resolve([]),
    onDamage,
    async close() {
      await listener?.close();
      await remembered.close();
      if (!isCommand) await db.close();
    },
  };
}

/** Over a connection with more patience: another process may be in the middle of a long step. */
async function prepareDatabase(url: string): Promise<void> {
  const db = openPostgres(url, { connections: 1, name: "kodiai schema", lockMs: 60_000, statementMs: 60_000 });
  try {
    await migrate(db, [MEMORY_PART, QUEUE_PART], "DATABASE_URL");
    await refuseHalfMoved(db);
  } finally {
    await db.close();
  }
}

const MEMORY_TABLES = ["records", "contents", "terms", "vectors", "evidence", "flagged", "embeddings"];

/** Dead rows are taken out of tables and indexes; their bytes are overwritten as pages are used again (see docs/data.md). */
async function vacuum(db: Database, tables: readonly string[]): Promise<void> {
  // Another process may be at it: then PostgreSQL does it by itself later.
  await db.script(`VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON) ${tables.join(", ")}`).catch(() => {});
}

/** What one job writes: only as long as it is held. */
export interface HeldRecords {
  readonly ledger: Ledger & ReviewRecords;
  readonly answers: AnswerStore;
  readonly checks: CheckStore;
  readonly progress: ProgressStore;
  readonly writes: WriteStore;
}

export type Records = ReturnType<typeof recordsOn>;

export interface RecordsSettings {
  /** For forgetting, and removing what is old: on PostgreSQL with more time than others have. Absent: the same. */
  readonly patient?: Database;
  /** See processMark. */
  readonly process: string | null;
  /** Gives the space of deleted rows of these tables back. */
  readonly reclaim: (tables: readonly string[]) => Promise<void>;
}

export function recordsOn(db: Database, { patient = db, process, reclaim }: RecordsSettings) {
  return {
    /** The records of one job; null is no job's: for sweeps. */
    held: (lease: Lease<AnyJob> | null): HeldRecords => ({
      ledger: storedReviews(db, lease),
      answers: storedAnswers(db, lease),
      checks: storedChecks(db, lease),
      progress: storedProgress(db, lease),
      writes: storedWrites(db, { held: lease, key: lease?.job.key ?? "" }),
    }),
    /** Writes to GitHub whose jobs ended before their outcome was known. */
    orphanWrites: storedOrphanWrites(db),
    /** What each installation asks of us. */
    pace: storedInstallationPace(db, process),
    ledger: storedReviews(db),
    /** What people decided about pull requests. */
    decisions: storedDecisions(db),
    /** Answers that were given. */
    answers: storedAnswers(db),
    /** Everything that is kept of a repository beside its memory. */
    traces: storedTraces(patient, reclaim),
    /** Check runs that were begun. */
    checks: storedChecks(db),
    /** Summaries that say that a review is being written. */
    progress: storedProgress(db),
    /** How long pushes wait. */
    waits: storedPushWaits(db),
    /** When pull requests were looked at for what people did about findings. */
    looks: storedLooks(db),
    /** What was received, asked for again and reviewed. */
    missed: storedMissedEvents(db),
    /** How the work proceeds. */
    signs: storedSigns(patient),
    /** Removes what is kept no longer; returns how much. Epoch milliseconds. */
    expire: (now: number): Promise<number> => expireRows(patient, now),
    /** When a backup was last restored, in epoch milliseconds; null when none was. */
    restoredAt: (): Promise<number | null> => storedMoments(db).at("restored"),
    /** What models cost. */
    book: storedSpending(db),
    /** Answers of the model to reviews that are not written yet. */
    replies: storedReplies(db),
    /** Where imports of past reviews are. */
    history: storedHistory(db),
    /** Sessions of the dashboard that were logged out of. */
    endedSessions: storedEndedSessions(db),
    /** Which reviews say what memory there is. */
    introductions: storedIntroductions(db),
  };
}

/** @throws Transient when it cannot be asked now; DatabaseRefuses when the address or the server must be fixed first */
export async function databaseAnswers(url: string): Promise<void> {
  registerSecrets(passwordIn(url));
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

/** What stands in the memory of a data folder; null when it has none. Looking creates no file. */
export async function memoryIn(dataDir: string): Promise<MemoryFacts | null> {
  const path = join(dataDir, "memory.db");
  return existsSync(path) ? memoryFacts(path) : null;
}

/** False where usearch has no build for this machine: then the database compares vectors, however many there are. */
export function comparesInMemory(): boolean {
  return usearchExact() !== null;
}
