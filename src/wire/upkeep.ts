// Joins the verbs that look after a data folder: backups, and what is kept about a person.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { postgresPersonBooks } from "../adapters/postgres/person-books.ts";
import { backUpStore } from "../adapters/sqlite/backup.ts";
import { sqlitePersonBooks } from "../adapters/sqlite/person-books.ts";
import { restoreStore } from "../adapters/sqlite/restore.ts";
import type { BackupPorts } from "../cli/backup.ts";
import { dataDir, isDatabase, storePlace } from "../cli/data-dir.ts";
import type { PersonPorts } from "../cli/person.ts";
import { UsageError } from "../cli/usage.ts";
import { databaseAt } from "./cli-store.ts";

/** What `kodiai backup` and `kodiai restore` need. */
export function backupPorts(word: string | undefined): BackupPorts {
  if (isDatabase(storePlace(word))) {
    throw new UsageError("DATABASE_URL names a PostgreSQL: back it up and restore it with its own tools, as pg_dump");
  }
  const folder = dataDir(word);
  return {
    folder,
    backUp: (to) => backUpStore(folder, to, Date.now()),
    restore: (from) => restoreStore(from, folder, Date.now()),
  };
}

/**
 * What `kodiai export-data` and `kodiai erase` need.
 *
 * @throws UsageError where there is no store: looking creates no file
 */
export function personPorts(word: string | undefined): PersonPorts {
  const place = storePlace(word);
  if (isDatabase(place)) {
    const db = databaseAt(place);
    return { ...postgresPersonBooks(db), close: () => void db.close() };
  }
  const folder = dataDir(word);
  if (!existsSync(join(folder, "queue.db"))) throw new UsageError(`there is no store in ${folder}; see --data-dir`);
  return sqlitePersonBooks(folder, Date.now);
}
