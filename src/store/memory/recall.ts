// Recall over an open memory: the search, and the records that it names.
import { totalmem } from "node:os";
import type { Recall } from "../../ports/memory.ts";
import { memorySearch, ROWS_IN_DATABASE } from "../../search/memory-search.ts";
import { usearchExact } from "../../search/vector-index.ts";
import type { Database } from "../sql.ts";
import { storedRecords } from "./records.ts";
import { storedRows } from "./search-rows.ts";

/** Other than the documented limits: the operator's, or of a test. */
export interface RecallSettings {
  readonly memoryBytes?: number;
  readonly rowsInDatabase?: number;
}

/**
 * An invalid query fails with RangeError, others with Transient or Error.
 *
 * @param vectorsMissing why the database cannot compare vectors; null when it can
 */
export function storedRecall(db: Database, vectorsMissing: string | null, settings: RecallSettings = {}): Recall {
  // An eighth of the machine's, 256 MB to 2 GB: a million memories take 1.7 GB.
  const { memoryBytes = Math.min(2e9, Math.max(256e6, totalmem() / 8)), rowsInDatabase = ROWS_IN_DATABASE } = settings;
  const search = memorySearch(storedRows(db), { memoryBytes, rowsInDatabase, exact: usearchExact() });
  return {
    ...search,
    off: null,
    async nearest(...query) {
      // The reason names files of this machine; `doctor` shows it.
      if (vectorsMissing !== null) throw new Error("vector search is not available: sqlite-vec could not be loaded");
      return search.nearest(...query);
    },
    records: (scope, ids) => db.snapshot((sql) => storedRecords(sql, scope, ids)),
  };
}
