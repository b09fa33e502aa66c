// The store in a PostgreSQL, for any number of processes: queue and books over connections of their own, memory over others.
import { connectPostgres, openPostgres } from "../adapters/postgres/database.ts";
import { cachedEmbedder } from "../adapters/postgres/embedding-cache.ts";
import { postgresEvidence } from "../adapters/postgres/evidence-shelf.ts";
import { postgresFlaggedCode } from "../adapters/postgres/flagged-code.ts";
import { postgresJobShelf } from "../adapters/postgres/job-shelf.ts";
import type { KeywordSearch } from "../adapters/postgres/keyword-search.ts";
import { keywordThread } from "../adapters/postgres/keyword-thread.ts";
import { postgresMemory } from "../adapters/postgres/memory.ts";
import { postgresConventionMarks, postgresMemoryFigures } from "../adapters/postgres/memory-figures.ts";
import { PARTS } from "../adapters/postgres/migrations.ts";
import { type PostgresRecall, postgresRecall, type RecallLimits } from "../adapters/postgres/recall.ts";
import { postgresRejections } from "../adapters/postgres/rejections.ts";
import { postgresReplays } from "../adapters/postgres/replays.ts";
import { postgresLabels } from "../adapters/postgres/repository-labels.ts";
import { postgresRetrievalLog } from "../adapters/postgres/retrieval-log.ts";
import { postgresRetrievalStatistics } from "../adapters/postgres/retrieval-statistics.ts";
import type { Postgres } from "../adapters/postgres/sql.ts";
import { storedSpaces } from "../adapters/postgres/stored-spaces.ts";
import { postgresWorkFigures } from "../adapters/postgres/work-figures.ts";
import { processMark } from "../adapters/process-mark.ts";
import type { MemoryWarmth } from "../domain/memory-warmth.ts";
import { postgresBooks } from "./postgres-books.ts";
import { openQueueOn } from "./postgres-queue.ts";
import type { Shelf, Store } from "./store.ts";

export interface PostgresStoreSettings {
  /** How long another process may be silent. */
  readonly silentMs?: number | undefined;
  /** Of the search by words, in this process. */
  readonly limits?: Partial<RecallLimits>;
  /** Told what goes wrong in the upkeep of the queue's tables, which goes on by itself. */
  readonly onTrouble?: (error: unknown) => void;
}

/**
 * Opens the store and brings its schema up to date.
 *
 * @param url `postgres://…`
 * @throws StoreUnusable when the address is none, the schema comes from a newer Kodiai, or pgvector is missing; Transient when
 *   the server cannot be reached now
 */
export async function openPostgresStore(url: string, settings: PostgresStoreSettings = {}): Promise<Store> {
  const { queue, inbox, db, close } = await openQueueOn(url, settings.onTrouble ?? (() => {}), settings.silentMs);
  // The schema is up to date by now.
  const patient = connectPostgres(url, { name: "kodiai memory" });
  const shelf = shelfOn(patient, settings.limits, keywordThread(url, settings.limits));
  return {
    queue,
    inbox,
    ...postgresBooks({ quick: db, patient }, processMark()),
    ...shelf,
    ...searchesOn(patient),
    async close() {
      await close();
      await shelf.close();
    },
  };
}

/** Memory and books without a queue, for a command that ends soon. Throws as openPostgresStore does. */
export async function openPostgresShelf(url: string): Promise<Omit<Store, "queue" | "inbox">> {
  const db = await openPostgres(url, PARTS, { connections: 4, name: "kodiai command" });
  return { ...postgresBooks({ quick: db, patient: db }, processMark()), ...shelfOn(db), ...searchesOn(db) };
}

function searchesOn(db: Postgres): Pick<Store, "retrievals" | "statistics" | "jobs" | "work" | "verify"> {
  return {
    retrievals: postgresRetrievalLog(db),
    statistics: postgresRetrievalStatistics(db, Date.now),
    jobs: postgresJobShelf(db),
    work: postgresWorkFigures(db),
    // Its files are the database's own, which has checksums for them.
    verify: () => Promise.resolve([]),
  };
}

/** @param words ranks by words; absent: in this thread */
function shelfOn(db: Postgres, limits: Partial<RecallLimits> = {}, words?: KeywordSearch): Shelf {
  const recall = postgresRecall(db, limits, words);
  return {
    memory: postgresMemory(db),
    evidence: postgresEvidence(db),
    past: { ...postgresRejections(db), ...postgresFlaggedCode(db) },
    replays: postgresReplays(db),
    shown: { ...postgresMemoryFigures(db), ...postgresConventionMarks(db) },
    labels: postgresLabels(db),
    recall,
    memoryProblem: null,
    spaces: () => storedSpaces(db),
    cached: (embedder) => cachedEmbedder(embedder, db, Date.now),
    warm: recall.warm,
    warmth: () => warmthOf(recall),
    async close() {
      await recall.close();
      await db.close();
    },
  };
}

function warmthOf(recall: PostgresRecall): MemoryWarmth {
  const { waiting, ...held } = recall.warmth();
  return { state: waiting > 0 ? "warming" : "warm", ...held };
}
