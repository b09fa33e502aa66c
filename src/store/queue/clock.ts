// The clock of an embedded queue: the wall time when this machine first used the file since boot, plus the time since then. All
// processes of the machine agree on it, and jumps of the wall clock do not affect it.
import { bootId } from "../../adapters/process-mark.ts";
import { migrate } from "../migrate.ts";
import type { Database, Sql } from "../sql.ts";
import { openSqlite, type SqliteDatabase, type SqliteSettings } from "../sqlite.ts";
import { insert, oneValue } from "../statement.ts";
import { keepBeforeUpgrade } from "../upkeep/snapshot.ts";
import { QUEUE_PART } from "./schema.ts";

/**
 * Opens (or creates) queue.db with its schema, on a monotonic clock.
 *
 * @throws StoreUnusable when it comes from a newer Kodiai; Error when it is not a database; Transient on a lock
 */
export async function openQueueFile(path: string, settings: Omit<SqliteSettings, "now"> = {}): Promise<SqliteDatabase> {
  // Until the reference time is read from the file.
  let now = Date.now;
  const db = openSqlite(path, { ...settings, now: () => now() });
  try {
    await keepBeforeUpgrade(db, QUEUE_PART, path);
    await migrate(db, [QUEUE_PART], path);
    const epoch = await epochOf(db, bootId());
    now = () => epoch + upMs();
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Whole epoch milliseconds at the boot. If the system has no boot id, each process starts from the wall clock. */
async function epochOf(db: Database, boot: string | null): Promise<number> {
  const now = Date.now() - upMs();
  if (boot === null) return now;
  const known = (sql: Sql) => oneValue<number>(sql, "SELECT epoch FROM boots WHERE id = $1", [boot]);
  const epoch = await known(db);
  if (epoch !== null) return epoch;
  return db.transaction(async (tx) => {
    await tx.run("DELETE FROM boots WHERE id <> $1", [boot]);
    await insert(tx, "boots", { id: boot, epoch: now }, "ON CONFLICT DO NOTHING");
    return (await known(tx)) ?? now;
  });
}

/** Since the machine started: the same for all of its processes on Linux. */
function upMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
