import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteJobShelf } from "../../../src/adapters/sqlite/job-shelf.ts";
import { sqliteQueue } from "../../../src/adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { jobShelfContract } from "../contracts/job-shelf.ts";

jobShelfContract("the SQLite job shelf", async () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  return { queue: sqliteQueue(db), shelf: sqliteJobShelf(db, () => 1_000) };
});
