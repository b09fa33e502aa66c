// PostgreSQL keeps the bytes of deleted rows until their pages are reused. Rewriting the tables removes them.
import type { RewrittenTables } from "../ports/person.ts";
import type { Database } from "./sql.ts";

/** The planner's statistics contain samples of column values. */
const SAMPLES = "pg_catalog.pg_statistic";

/**
 * Rewrites every table of the store, one after the other, and refreshes the statistics, so that no data file holds a deleted row. A
 * table is locked and needs twice its space meanwhile. The write-ahead log, replicas and dumps are not touched.
 *
 * @throws Transient when the database does not answer; Error without the permission
 */
export async function rewriteTables(db: Database): Promise<RewrittenTables> {
  const tables = await db.all<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname = current_schema() ORDER BY pg_total_relation_size(c.oid), 1`,
  );
  const names = tables.map(({ name }) => name);
  const before = await bytesOf(db, names);
  for (const name of names) await db.script(`VACUUM (FULL, ANALYZE) ${name}`);
  // Old statistics go last. If the user does not own the database, the server only logs a warning.
  await db.script(`VACUUM (FULL) ${SAMPLES}`);
  // The server truncates the old files at once, and removes them with the next checkpoint.
  return { tables: names.length, before, after: await bytesOf(db, names) };
}

async function bytesOf(db: Database, names: readonly string[]): Promise<number> {
  const row = await db.one<{ bytes: number }>(
    "SELECT coalesce(sum(pg_total_relation_size(name::regclass)), 0)::bigint AS bytes FROM unnest($1::text[]) AS name",
    [names],
  );
  return row?.bytes ?? 0;
}
