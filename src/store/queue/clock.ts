// queue.db, on the clock of an embedded queue: the wall time when this process opened the file, plus the time since then. Jumps of
// the wall clock do not affect it until the next start.
import { migrate } from "../migrate.ts";
import { openSqlite, type SqliteDatabase, type SqliteSettings } from "../sqlite.ts";
import { keepBeforeUpgrade } from "../upkeep/snapshot.ts";
import { QUEUE_PART } from "./schema.ts";

/**
 * Opens (or creates) queue.db with its schema.
 *
 * @throws StoreUnusable when it comes from a newer Kodiai; Error when it is not a database; Transient on a lock
 */
export async function openQueueFile(path: string, settings: Omit<SqliteSettings, "now"> = {}): Promise<SqliteDatabase> {
  const epoch = Date.now() - upMs();
  const db = openSqlite(path, { ...settings, now: () => epoch + upMs() });
  try {
    await keepBeforeUpgrade(db, QUEUE_PART, path);
    await migrate(db, [QUEUE_PART], path);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Monotonic, in whole milliseconds. */
function upMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
