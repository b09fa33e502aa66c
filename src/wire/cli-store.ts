// Where the command line finds what is kept: in a folder, or in the PostgreSQL that DATABASE_URL names. Looking creates nothing.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { memoryOff } from "../adapters/no-memory/memory-off.ts";
import { noMemory } from "../adapters/no-memory/recall.ts";
import { isDatabase } from "../cli/data-dir.ts";
import type { WritingPorts } from "../flows/review/review-ports.ts";
import type { Replays, RetrievalLog, RetrievalStatistics } from "../ports/memory.ts";
import type { SpendingBook } from "../ports/model.ts";
import { threadRecall } from "../store/memory/recall.ts";
import { storedReplays } from "../store/memory/repositories.ts";
import { openPostgres } from "../store/postgres.ts";
import { openQueueFile } from "../store/queue/clock.ts";
import { storedRetrievalStatistics, storedRetrievals } from "../store/reviews/retrievals.ts";
import { storedSpending } from "../store/reviews/spending.ts";
import type { Database } from "../store/sql.ts";
import { openSqlite } from "../store/sqlite.ts";
import { withoutSecretsKept } from "../wire.ts";
import { passwordIn } from "./database-password.ts";
import { neverTell } from "./secrets.ts";

/** A command searches once and ends: there is no next time for which the index could be read. */
const PATIENCE = { answerMs: 60_000 };

/** A command is one process that asks a few things one after the other, and ends without closing anything. */
const FEW = { connections: 3, name: "kodiai command", isLastWord: true } as const;

/** Connections to the database of a place (see storePlace). */
export function databaseAt(place: string): Database {
  neverTell(passwordIn(place));
  return openPostgres(place, FEW);
}

/**
 * Why the store at a place cannot be opened; null where it can, and where there is none yet. One line, which names no path:
 * it stands in reviews.
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

/** @throws Error where the store at a place cannot be opened */
export function mustOpen(place: string): void {
  const problem = storeProblem(place);
  if (problem !== null) throw new Error(`${place}: ${problem}`);
}

/** What a local review reads of what was remembered and writes down of its searches; nothing where there is nothing yet. */
export function rememberedAt(place: string): Pick<WritingPorts, "recall" | "replays" | "retrievals"> {
  if (isDatabase(place)) {
    const db = databaseAt(place);
    const retrievals = withoutSecretsKept(storedRetrievals(db), unrecorded);
    return { recall: threadRecall({ place, patience: PATIENCE }), replays: storedReplays(db), retrievals };
  }
  const path = join(place, "memory.db");
  const problem = storeProblem(place);
  if (problem !== null) return { recall: memoryOff(problem).recall, replays: null, retrievals: null };
  const recall = existsSync(path) ? threadRecall({ place: path, patience: PATIENCE }) : noMemory();
  return { recall, replays: replaysInFile(path), retrievals: retrievalsIn(place) };
}

/** Of a file that is only read: null when it is not there or cannot be read. */
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

/** Where memory is, what retrieval does is recorded beside it; each entry opens the file and closes it. */
function retrievalsIn(folder: string): RetrievalLog | null {
  if (!existsSync(join(folder, "memory.db"))) return null;
  const write: RetrievalLog["write"] = async (entry) => {
    const db = await openQueueFile(join(folder, "queue.db"));
    await storedRetrievals(db)
      .write(entry)
      .finally(() => db.close());
  };
  return withoutSecretsKept({ write }, unrecorded);
}

export function unrecorded(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`kodiai: this retrieval is not in the statistics: ${reason}\n`);
}

/** What was recorded of searches. */
export async function statisticsAt(
  place: string,
): Promise<{ readonly statistics: RetrievalStatistics; close(): Promise<void> }> {
  if (!isDatabase(place)) mustOpen(place);
  const path = join(place, "queue.db");
  const db = isDatabase(place) ? databaseAt(place) : await openQueueFile(existsSync(path) ? path : ":memory:");
  return { statistics: storedRetrievalStatistics(db, Date.now), close: () => db.close() };
}

/** What models cost is kept beside the server's queue; where there is none, nothing is counted, and no file is made. */
export async function spendingAt(place: string): Promise<SpendingBook | null> {
  if (isDatabase(place)) return storedSpending(databaseAt(place));
  const path = join(place, "queue.db");
  return existsSync(path) ? storedSpending(await openQueueFile(path)) : null;
}
