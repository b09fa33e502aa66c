// queue.db, on the clock of an embedded queue: the wall time when the server opened the file, plus
// the time since. Jumps of the wall clock do not affect it until the next start.
import { migrate } from "../migrate.ts";
import { openSqlite, type SqliteDatabase } from "../sqlite.ts";
import { keepBeforeUpgrade } from "../upkeep/snapshot.ts";
import { QUEUE_PART } from "./schema.ts";

/**
 * Opens (or creates) queue.db with its schema.
 *
 * @param epoch see clockEpoch; a worker takes its server's, so that both agree when a job is due
 * @throws StoreUnusable for one of a newer Kodiai; Error for no database; Transient on a lock
 */
export async function openQueueFile(path: string, epoch: number = clockEpoch()): Promise<SqliteDatabase> {
  const db = openSqlite(path, { now: () => epoch + upMs() });
  try {
    await keepBeforeUpgrade(db, QUEUE_PART, path);
    await migrate(db, [QUEUE_PART], path);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The wall time, in epoch milliseconds, at which the machine's monotonic clock was 0. */
export function clockEpoch(): number {
  return Date.now() - upMs();
}

/** Monotonic, in whole milliseconds; the same in all processes of a machine. */
function upMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
