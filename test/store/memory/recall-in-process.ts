// Recall without a thread: for a database that no other connection can reach, and where many short-lived ones are wanted.
import type { Recall } from "../../../src/ports/memory.ts";
import { memorySearch } from "../../../src/search/memory-search.ts";
import { usearchExact } from "../../../src/search/vector-index.ts";
import { storedRecords } from "../../../src/store/memory/records.ts";
import { storedRows } from "../../../src/store/memory/search-rows.ts";
import type { Database } from "../../../src/store/sql.ts";
import { openSqlite } from "../../../src/store/sqlite.ts";
import type { TestDatabase } from "../databases.ts";

export function recallInProcess(db: Database, rowsInDatabase: number, memoryBytes = 256e6): Recall {
  const search = memorySearch(storedRows(db), { memoryBytes, rowsInDatabase, exact: usearchExact() });
  const silent = () => {};
  return {
    nearest: async (scope, vectors, space, k, filter, tell) =>
      search.nearest(scope, vectors, space, k, filter, tell ?? silent),
    matching: async (scope, texts, k, filter, tell) => search.matching(scope, texts, k, filter, tell ?? silent),
    records: async (scope, ids) => storedRecords(db, scope, ids),
    counts: async (scope) => search.counts(scope, silent),
    version: (repo) => search.version(repo),
  };
}

/** A database as the search thread opens it: a file is read by another connection, with sqlite-vec. */
export function searchable({ db, place }: Pick<TestDatabase, "db" | "place">): Database {
  if (place === null || place.startsWith("postgres")) return { ...db, close: () => Promise.resolve() };
  return openSqlite(place, { now: Date.now, isReader: true, vectors: "installed" });
}
