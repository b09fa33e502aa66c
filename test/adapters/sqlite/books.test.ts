import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { sqliteQueue } from "../../../src/adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { sqliteBooks } from "../../../src/wire/sqlite-books.ts";
import { bookContracts } from "../contracts/books.ts";

const dataDir = mkdtempSync(join(tmpdir(), "kodiai-books-"));
afterAll(() => rmSync(dataDir, { recursive: true }));

bookContracts("the SQLite store", async () => {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  let at = 0;
  return {
    queue: sqliteQueue(db),
    books: sqliteBooks(db, { dataDir, clock: () => at, process: null }),
    pass(ms) {
      at += ms;
    },
  };
});
