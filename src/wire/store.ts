// Opens the files of a data folder and joins them to ports: the queue with its ledger in one, memory in another.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { memoryOff } from "../adapters/no-memory/memory-off.ts";
import { processMark } from "../adapters/process-mark.ts";
import { checkFiles, type FileProblem } from "../adapters/sqlite/check-files.ts";
import { openDatabase } from "../adapters/sqlite/database.ts";
import { cachedEmbedder } from "../adapters/sqlite/embedding-cache.ts";
import { sqliteEvidence } from "../adapters/sqlite/evidence-shelf.ts";
import { sqliteInbox } from "../adapters/sqlite/inbox.ts";
import { sqliteJobShelf } from "../adapters/sqlite/job-shelf.ts";
import { sqliteMemory } from "../adapters/sqlite/memory.ts";
import { sqliteConventionMarks, sqliteMemoryFigures } from "../adapters/sqlite/memory-figures.ts";
import { openMemory, remembersAnything } from "../adapters/sqlite/memory-file.ts";
import { MEMORY_MIGRATIONS } from "../adapters/sqlite/memory-schema.ts";
import { ownerOnlyFolder } from "../adapters/sqlite/owner-only.ts";
import { sqliteQueue } from "../adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "../adapters/sqlite/queue-schema.ts";
import { type RecallSettings, type SqliteRecall, sqliteRecall } from "../adapters/sqlite/recall.ts";
import { sqliteFlaggedCode, sqliteRejections } from "../adapters/sqlite/rejections.ts";
import { sqliteReplays } from "../adapters/sqlite/replays.ts";
import { sqliteLabels } from "../adapters/sqlite/repository-label.ts";
import { sqliteRetrievalLog } from "../adapters/sqlite/retrieval-log.ts";
import { sqliteRetrievalStatistics } from "../adapters/sqlite/retrieval-statistics.ts";
import { steadyClock } from "../adapters/sqlite/steady-clock.ts";
import { checkFile } from "../adapters/sqlite/store-files.ts";
import { storedSpaces } from "../adapters/sqlite/stored-spaces.ts";
import { sqliteWorkFigures } from "../adapters/sqlite/work-figures.ts";
import type { EmbeddingSpace } from "../domain/memory.ts";
import type { MemoryWarmth } from "../domain/memory-warmth.ts";
import type { ConventionMarks, MemoryFigures, WorkFigures } from "../ports/dashboard.ts";
import type { EvidenceShelf } from "../ports/feedback.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { JobShelf } from "../ports/jobs.ts";
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
import type { Queue } from "../ports.ts";
import type { Books } from "./books.ts";
import { sqliteBooks } from "./sqlite-books.ts";

/** Repositories so large that bits go first in a search, and how many of them have all their bits. */
export interface ByBits {
  readonly repositories: number;
  readonly ready: number;
}

/** What is remembered. */
export interface Shelf {
  readonly memory: Memory;
  /** What people did about findings, and the outcomes that follow. */
  readonly evidence: EvidenceShelf;
  /** What was declined, and the code that was spoken about; null where memory could not be opened. */
  readonly past: (PastRejections & Rejecting & PastCode & FlaggedCode) | null;
  /** What replays came to; null where memory could not be opened. */
  readonly replays: Replays | null;
  /** Repositories that something is remembered of. */
  readonly labels: RepositoryLabels;
  /** Searches in threads of its own, so that webhooks and reviews go on. */
  readonly recall: Recall;
  /** For the dashboard; null where memory could not be opened. */
  readonly shown: (MemoryFigures & ConventionMarks) | null;
  /** Which embedders the vectors in memory come from, with how many each. */
  spaces(): Promise<readonly (EmbeddingSpace & { readonly vectors: number; readonly byBits?: ByBits })[]>;
  /** Why there is no memory, for the operator; null when there is one. */
  readonly memoryProblem: Error | null;
  /** The embedder, with the vectors of its queries kept for a day. */
  cached(embedder: Embedder): Embedder;
  /** Reads into memory what will be searched, in the background. Rejects with why it cannot be read. */
  warm(): Promise<void>;
  /** How far that has come. */
  warmth(): MemoryWarmth;
  close(): Promise<void>;
}

/** All that Kodiai keeps: embedded, in two files of the data folder; or in a PostgreSQL (see openPostgresStore). */
export interface Store extends Books, Shelf {
  readonly queue: Queue;
  /** Where deliveries come in. */
  readonly inbox: Inbox;
  /** As it is: what is written must be without secrets (see withoutSecretsKept). */
  readonly retrievals: RetrievalLog;
  /** Read anew each time. */
  readonly statistics: RetrievalStatistics;
  /** Jobs from outside. */
  readonly jobs: JobShelf;
  /** For the dashboard. */
  readonly work: WorkFigures;
  /** Reads all that is stored, beside everything else. Rejects when it could not be found out. */
  verify(unwanted: AbortSignal): Promise<readonly FileProblem[]>;
}

/** Smaller than the documented limits, or worse than real life: for tests of what fails. */
export interface MemorySettings extends Omit<RecallSettings, "path"> {
  readonly mostPages?: number;
  /** Read both files wholly before they are used, as a server does when it starts: about a second per gigabyte. */
  readonly isChecked?: boolean;
}

export interface StoreSettings extends MemorySettings {
  /** How long another process on the same files may be silent. */
  readonly silentMs?: number | undefined;
  /**
   * Takes from other users what rights they have to the folder, and is told why they keep some. Absent: the folder is left
   * as it is, since a command line may be pointed at any; the files in it are closed either way.
   */
  readonly onExposed?: (reason: string) => void;
}

/**
 * Opens (or creates) the embedded store in `dataDir`. A memory that cannot be opened costs the memory: see `memoryProblem`.
 *
 * @throws StoreUnusable when the queue is damaged or comes from a newer Kodiai; Error when the folder cannot be written
 */
export function openStore(dataDir: string, { silentMs, onExposed, ...settings }: StoreSettings = {}): Store {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const exposed = onExposed === undefined ? null : ownerOnlyFolder(dataDir);
  if (exposed !== null) onExposed?.(exposed);
  const path = join(dataDir, "queue.db");
  if (settings.isChecked === true) checkFile(path, QUEUE_MIGRATIONS);
  const db = openDatabase(path, QUEUE_MIGRATIONS);
  const shelf = openShelf(join(dataDir, "memory.db"), settings);
  const clock = steadyClock(db);
  const skew = () => clock() - Date.now();
  // Never in the future: the clock on the wall may have been set back since the delivery was received.
  const keptAt = (at: number) => Math.min(at + skew(), clock());
  const process = processMark();
  const patience = silentMs === undefined ? {} : { silentMs };
  return {
    queue: sqliteQueue(db, { process, skew, keptAt, ...patience }),
    inbox: sqliteInbox(db, keptAt),
    ...sqliteBooks(db, { dataDir, clock, process }),
    verify: (unwanted) => checkFiles(dataDir, unwanted),
    ...shelf,
    retrievals: sqliteRetrievalLog(db),
    statistics: sqliteRetrievalStatistics(db, Date.now),
    jobs: sqliteJobShelf(db, clock),
    work: sqliteWorkFigures(db),
    async close() {
      await shelf.close();
      // The last connection does this by itself, but a command line may have the file open.
      db.pragma("wal_checkpoint(TRUNCATE)");
      db.close();
    },
  };
}

function openShelf(path: string, { mostPages, isChecked, ...settings }: MemorySettings): Shelf {
  try {
    if (isChecked === true) checkFile(path, MEMORY_MIGRATIONS);
    const db = openMemory(path, mostPages ?? null);
    const memory = sqliteMemory(db);
    const recall = sqliteRecall({ ...settings, path });
    return {
      memory,
      evidence: sqliteEvidence(db),
      past: { ...sqliteRejections(db), ...sqliteFlaggedCode(db) },
      replays: sqliteReplays(db),
      shown: { ...sqliteMemoryFigures(db), ...sqliteConventionMarks(db) },
      labels: sqliteLabels(db),
      recall,
      memoryProblem: null,
      spaces: async () => storedSpaces(db),
      cached: (embedder) => cachedEmbedder(embedder, db, Date.now),
      // Whoever remembers nothing yet gives no memory of the machine to search threads.
      warm: async () => (remembersAnything(db) ? recall.warm() : undefined),
      warmth: () => warmthOf(recall),
      async close() {
        await recall.close();
        db.close();
      },
    };
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error));
    return {
      ...memoryOff("memory.db could not be opened; `kodiai doctor` tells why"),
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

function warmthOf(recall: SqliteRecall): MemoryWarmth {
  const told = recall.warmth();
  if (told === null) return { state: "cold", repositories: 0, rows: 0 };
  const { waiting, repositories, rows, bytes, limitBytes } = told;
  return { state: waiting > 0 ? "warming" : "warm", repositories, rows, bytes, limitBytes };
}
