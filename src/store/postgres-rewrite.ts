// PostgreSQL leaves the bytes of removed rows where they were until their pages are used again. Writing the tables again removes them.
import type { RewrittenTables } from "../ports/person.ts";
import type { Database } from "./sql.ts";

/** What the planner knows of columns are samples of their values. */
const SAMPLES = "pg_catalog.pg_statistic";

/**
 * Writes every table of the store again, one after the other, and takes the samples of their values again: then no data file holds
 * a removed row. A table is locked while it is written, and needs as much room again for so long. What the server has sent to its
 * write-ahead log, to replicas and into dumps is not touched.
 *
 * @throws Transient when the database cannot be asked; Error when its user may not
 */
export async function rewriteTables(db: Database): Promise<RewrittenTables> {
  const tables = await db.all<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname = current_schema() ORDER BY pg_total_relation_size(c.oid), 1`,
  );
  const names = tables.map(({ name }) => name);
  const before = await bytesOf(db, names);
  for (const name of names) await db.script(`VACUUM (FULL, ANALYZE) ${name}`);
  // Its old rows go last. A user who does not own the database gets a warning from the server, in its log.
  await db.script(`VACUUM (FULL) ${SAMPLES}`);
  // Files that are no longer used are cut to nothing at once, and removed with the next checkpoint.
  return { tables: names.length, before, after: await bytesOf(db, names) };
}

async function bytesOf(db: Database, names: readonly string[]): Promise<number> {
  const row = await db.one<{ bytes: number }>(
    "SELECT coalesce(sum(pg_total_relation_size(name::regclass)), 0)::bigint AS bytes FROM unnest($1::text[]) AS name",
    [names],
  );
  return row?.bytes ?? 0;
}
