// Joins the verbs that look after a data folder: backups, and what is kept about a person.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BackupPorts } from "../cli/backup.ts";
import { dataDir, isDatabase, storePlace } from "../cli/data-dir.ts";
import type { PersonPorts } from "../cli/person.ts";
import { UsageError } from "../cli/usage.ts";
import { storedMemory } from "../store/memory/memory.ts";
import { openMemoryFile, reclaimFile } from "../store/memory/memory-file.ts";
import { rewriteTables } from "../store/postgres-rewrite.ts";
import { openQueueFile } from "../store/queue/clock.ts";
import { backUpStore } from "../store/upkeep/backup.ts";
import { storedPeople } from "../store/upkeep/people.ts";
import { restoreStore } from "../store/upkeep/restore.ts";
import { appendTombstone } from "../store/upkeep/tombstones.ts";
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
export async function personPorts(word: string | undefined): Promise<PersonPorts> {
  const place = storePlace(word);
  if (isDatabase(place)) {
    const db = databaseAt(place);
    // Another process may be at it: then PostgreSQL does it by itself later.
    const reclaim = () => db.script("VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON)").catch(() => {});
    const { forget } = storedMemory(db, reclaim);
    const people = storedPeople(
      { queue: db, memory: db },
      { nameOf: () => "database", forget, reclaim, rewrite: () => rewriteTables(db) },
    );
    return { ...people, close: () => db.close() };
  }
  const folder = dataDir(word);
  if (!existsSync(join(folder, "queue.db"))) throw new UsageError(`there is no store in ${folder}; see --data-dir`);
  return peopleIn(folder);
}

/** Erasing is recorded for backups that are older than it. */
async function peopleIn(folder: string): Promise<PersonPorts> {
  const queue = await openQueueFile(join(folder, "queue.db"));
  const path = join(folder, "memory.db");
  const memory = existsSync(path) ? await openMemoryFile(path) : null;
  const people = storedPeople(
    { queue, memory },
    {
      nameOf: (of) => `${of}.db`,
      forget: async (repo, ids) =>
        memory === null ? 0 : storedMemory(memory, () => reclaimFile(memory)).forget(repo, ids),
      record: ({ ids, loginHashes }, texts) =>
        appendTombstone(folder, {
          forgot: "person",
          ids: [...ids],
          logins: [...loginHashes],
          texts,
          at: Date.now(),
        }),
      async reclaim() {
        await reclaimFile(queue);
        if (memory !== null) await reclaimFile(memory);
      },
      // Removed text is overwritten at once (see openSqlite).
      rewrite: () => Promise.resolve(null),
    },
  );
  return {
    ...people,
    async close() {
      await queue.close();
      await memory?.close();
    },
  };
}
