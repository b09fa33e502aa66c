// Where the command line finds what is kept: in a folder, or in the PostgreSQL that DATABASE_URL names. Looking creates nothing.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { memoryOff } from "../adapters/no-memory/memory-off.ts";
import { noMemory } from "../adapters/no-memory/recall.ts";
import { connectPostgres } from "../adapters/postgres/database.ts";
import { postgresRecall } from "../adapters/postgres/recall.ts";
import { postgresReplays } from "../adapters/postgres/replays.ts";
import { postgresRetrievalLog } from "../adapters/postgres/retrieval-log.ts";
import { postgresRetrievalStatistics } from "../adapters/postgres/retrieval-statistics.ts";
import { postgresSpending } from "../adapters/postgres/spending.ts";
import type { Postgres } from "../adapters/postgres/sql.ts";
import { openDatabase } from "../adapters/sqlite/database.ts";
import { QUEUE_MIGRATIONS } from "../adapters/sqlite/queue-schema.ts";
import { sqliteRecall } from "../adapters/sqlite/recall.ts";
import { replaysInFile } from "../adapters/sqlite/replays.ts";
import { sqliteRetrievalLog } from "../adapters/sqlite/retrieval-log.ts";
import { sqliteRetrievalStatistics } from "../adapters/sqlite/retrieval-statistics.ts";
import { sqliteSpending } from "../adapters/sqlite/spending.ts";
import { isDatabase } from "../cli/data-dir.ts";
import type { WritingPorts } from "../flows/review-pull-request.ts";
import type { RetrievalLog, RetrievalStatistics } from "../ports/memory.ts";
import type { SpendingBook } from "../ports/model.ts";
import { withoutSecretsKept } from "../wire.ts";
import { passwordIn } from "./database-password.ts";
import { neverTell } from "./secrets.ts";

/**
 * One search and the process ends: the index is read on the way, as there is nobody else to wait and no next time. Words
 * of half a million memories take about a minute.
 */
export const UNHURRIED = { limits: { coldRows: Number.POSITIVE_INFINITY }, patience: { answerMs: 60_000 } };

/** A command is one process that asks a few things one after the other, and ends without closing anything. */
const FEW = { connections: 3, name: "kodiai command", isLastWord: true } as const;

/** Connections to the database of a place (see storePlace). */
export function databaseAt(place: string): Postgres {
  neverTell(passwordIn(place));
  return connectPostgres(place, FEW);
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
    const retrievals = withoutSecretsKept(postgresRetrievalLog(db), unrecorded);
    return { recall: postgresRecall(db), replays: postgresReplays(db), retrievals };
  }
  const path = join(place, "memory.db");
  const problem = storeProblem(place);
  if (problem !== null) return { recall: memoryOff(problem).recall, replays: null, retrievals: null };
  const recall = existsSync(path) ? sqliteRecall({ path, ...UNHURRIED }) : noMemory();
  return { recall, replays: replaysInFile(path), retrievals: retrievalsIn(place) };
}

/** Where memory is, what retrieval does is written down beside it; each entry opens the file and gives it back. */
function retrievalsIn(folder: string): RetrievalLog | null {
  if (!existsSync(join(folder, "memory.db"))) return null;
  const write: RetrievalLog["write"] = async (entry) => {
    const db = openDatabase(join(folder, "queue.db"), QUEUE_MIGRATIONS);
    try {
      await sqliteRetrievalLog(db).write(entry);
    } finally {
      db.close();
    }
  };
  return withoutSecretsKept({ write }, unrecorded);
}

export function unrecorded(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`kodiai: this retrieval is not in the statistics: ${reason}\n`);
}

/** What was written down of searches. */
export function statisticsAt(place: string): { readonly statistics: RetrievalStatistics; close(): void } {
  if (isDatabase(place)) {
    const db = databaseAt(place);
    return { statistics: postgresRetrievalStatistics(db, Date.now), close: () => void db.close() };
  }
  mustOpen(place);
  const path = join(place, "queue.db");
  const db = openDatabase(existsSync(path) ? path : ":memory:", QUEUE_MIGRATIONS);
  return { statistics: sqliteRetrievalStatistics(db, Date.now), close: () => void db.close() };
}

/** What models cost stands beside the server's queue; where there is none, nothing is counted, and no file is made. */
export function spendingAt(place: string): SpendingBook | null {
  if (isDatabase(place)) return postgresSpending(databaseAt(place));
  const path = join(place, "queue.db");
  return existsSync(path) ? sqliteSpending(openDatabase(path, QUEUE_MIGRATIONS)) : null;
}
