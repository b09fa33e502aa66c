import type { Statement } from "better-sqlite3";
import type { Database } from "./database.ts";

const statements = new WeakMap<Database.Database, Map<string, Statement>>();

/**
 * A statement, compiled once for each connection and text: compiling takes longer than many a search runs. Texts must be
 * few (built from parts, never from values), and each text must always be used in the same way (`pluck`, `raw`).
 */
export function prepared(db: Database.Database, sql: string): Statement {
  const known = statements.get(db) ?? new Map<string, Statement>();
  statements.set(db, known);
  const statement = known.get(sql) ?? db.prepare(sql);
  known.set(sql, statement);
  return statement;
}
