// Brings the schema up to date: numbered steps that only go forward, each part of the schema counted for itself.
import { StoreUnusable } from "../../domain/store-unusable.ts";
import type { Postgres, Sql } from "./sql.ts";

/** One part of the schema: its steps are run once each, in order. Append only: a released step is never edited. */
export interface MigrationPart {
  /** `memory`, `books`: under this name its steps are counted. */
  readonly part: string;
  readonly steps: readonly string[];
}

/** Names the lock under which schemas are changed: any number that nobody else uses. */
const LOCK = 7_165_204_331;

/**
 * Runs the steps that are missing, all or none. Of several processes that start at once one does it, the others wait.
 *
 * @throws StoreUnusable when the database has steps that this Kodiai does not know, or a step needs what the server lacks
 */
export async function migrate(db: Postgres, parts: readonly MigrationPart[]): Promise<void> {
  // Nothing to do takes no lock: another process may be in the middle of a long step.
  if (missing(parts, await versions(db)).length === 0) return;
  try {
    await db.transaction((sql) => runMissing(sql, parts));
  } catch (error) {
    const lacks = error instanceof Error ? lacking(error) : null;
    throw lacks === null ? error : new StoreUnusable(`DATABASE_URL: ${lacks}`);
  }
}

async function runMissing(sql: Sql, parts: readonly MigrationPart[]): Promise<void> {
  await sql.run("SET LOCAL statement_timeout = 0");
  await sql.run("SET LOCAL lock_timeout = 0");
  await sql.run("SELECT pg_advisory_xact_lock($1)", [LOCK]);
  await sql.run(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       part text NOT NULL, version int NOT NULL, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (part, version))`,
  );
  await refuseOld(sql);
  for (const { part, version, step } of missing(parts, await versions(sql))) {
    await sql.run(step);
    await sql.run("INSERT INTO schema_migrations (part, version) VALUES ($1, $2)", [part, version]);
  }
}

/**
 * A database that a store is still being moved to lacks rows, and what keeps them together: nobody else may use it.
 *
 * @throws StoreUnusable when a move was begun and not finished
 */
export async function refuseHalfMoved(db: Sql): Promise<void> {
  const half = await db.one<{ half: boolean }>("SELECT to_regclass('store_move') IS NOT NULL AS half");
  if (half?.half === true)
    throw new StoreUnusable(
      "A store is being moved to this database, and that is not finished. Run `kodiai migrate` again: it goes on where it was stopped.",
    );
}

/** The newest step of each part that was run. */
async function versions(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const known = await sql.one<{ known: boolean }>("SELECT to_regclass('schema_migrations') IS NOT NULL AS known");
  if (known?.known !== true) return new Map();
  const rows = await sql.all<{ part: string; version: number }>(
    "SELECT part, max(version) AS version FROM schema_migrations GROUP BY part",
  );
  return new Map(rows.map(({ part, version }) => [part, version]));
}

function missing(parts: readonly MigrationPart[], known: ReadonlyMap<string, number>) {
  return parts.flatMap(({ part, steps }) => {
    const version = known.get(part) ?? 0;
    if (version > steps.length)
      throw new StoreUnusable(
        `The database has schema ${version} of ${part}, newer than the ${steps.length} that this Kodiai knows. Upgrade Kodiai, or use another DATABASE_URL.`,
      );
    return steps.slice(version).map((step, at) => ({ part, version: version + at + 1, step }));
  });
}

/** Of PostgreSQL, as `server_version_num` counts. Older ones were never tried, and 14 ends in the year of this. */
const OLDEST = 150_000;

/** @throws StoreUnusable when the server is older than any that this was tried on */
export async function refuseOld(sql: Sql): Promise<void> {
  const row = await sql.one<{ number: number; name: string }>(
    "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name",
  );
  if (row !== null && row.number < OLDEST)
    throw new StoreUnusable(
      `DATABASE_URL: the server is PostgreSQL ${row.name}; Kodiai needs ${OLDEST / 10_000} or newer. Upgrade it, or name another one.`,
    );
}

const MAY_NOT = "42501";
const NO_FILE = "58P01";
const UNSUPPORTED = "0A000";
const NO_SUCH_TYPE = "42704";

/** What a step needs that the database or its user lacks, and what mends it; null for another kind of failure. */
function lacking(error: Error): string | null {
  const code = "code" in error ? error.code : null;
  const isExtension = /extension/i.test(error.message);
  if (isExtension && (code === NO_FILE || code === UNSUPPORTED))
    return "the PostgreSQL server has no pgvector. Install it there (0.7 or newer), or use an image that has it.";
  if (isExtension && code === MAY_NOT)
    return "the database user may not CREATE EXTENSION vector. Let an administrator run it once in this database.";
  if (code === MAY_NOT)
    return "the database user may not make tables in this database. Let an administrator give it the database (ALTER DATABASE … OWNER TO …), or GRANT CREATE ON SCHEMA public.";
  if (code === NO_SUCH_TYPE && /"halfvec"/.test(error.message))
    return "the database has a pgvector before 0.7. Install a newer one at the server, then run ALTER EXTENSION vector UPDATE in this database.";
  return null;
}
