// Joins ports for `kodiai jobs`, which works on the queue beside servers that do.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { postgresJobShelf } from "../adapters/postgres/job-shelf.ts";
import { openDatabase } from "../adapters/sqlite/database.ts";
import { sqliteJobShelf } from "../adapters/sqlite/job-shelf.ts";
import { QUEUE_MIGRATIONS } from "../adapters/sqlite/queue-schema.ts";
import { steadyClock } from "../adapters/sqlite/steady-clock.ts";
import { isDatabase, shownPlace, storePlace } from "../cli/data-dir.ts";
import type { JobsVerbPorts } from "../cli/jobs.ts";
import { databaseAt } from "./cli-store.ts";

/** @param word the folder that `--data-dir` names; where no server ever ran, no file is made */
export function jobsVerbPorts(word: string | undefined): JobsVerbPorts {
  const place = storePlace(word);
  const folder = shownPlace(place);
  if (isDatabase(place)) {
    const db = databaseAt(place);
    return { folder, jobs: postgresJobShelf(db), close: () => void db.close() };
  }
  const path = join(place, "queue.db");
  if (!existsSync(path)) return { folder, jobs: null, close: () => {} };
  const db = openDatabase(path, QUEUE_MIGRATIONS);
  return { folder, jobs: sqliteJobShelf(db, steadyClock(db)), close: () => db.close() };
}
