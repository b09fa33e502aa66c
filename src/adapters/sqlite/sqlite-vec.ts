// The extension that compares vectors inside SQLite. It is native code for a few platforms: where it is missing, search
// goes on by words.
import { createRequire } from "node:module";
import type { Database } from "./database.ts";

/**
 * Loads sqlite-vec into a connection.
 *
 * @param path the file of the extension; null takes the installed package's
 * @returns null when it is there, else why not: the words may name files of this machine
 */
export function loadSqliteVec(db: Database.Database, path: string | null): string | null {
  try {
    // Not an import: a package that is not installed would end the thread instead of costing the vectors.
    if (path === null) (createRequire(import.meta.url)("sqlite-vec") as typeof import("sqlite-vec")).load(db);
    else db.loadExtension(path);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
