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
  await db.transaction(async (sql) => {
    await sql.run("SET LOCAL statement_timeout = 0");
    await sql.run("SET LOCAL lock_timeout = 0");
    await sql.run("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await sql.run(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         part text NOT NULL, version int NOT NULL, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (part, version))`,
    );
    for (const { part, version, step } of missing(parts, await versions(sql))) {
      await run(sql, step);
      await sql.run("INSERT INTO schema_migrations (part, version) VALUES ($1, $2)", [part, version]);
    }
  });
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

const MAY_NOT = "42501";
const NO_FILE = "58P01";
const UNSUPPORTED = "0A000";

async function run(sql: Sql, step: string): Promise<void> {
  try {
    await sql.run(step);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    const isExtension = error instanceof Error && /extension/i.test(error.message);
    if (isExtension && (code === NO_FILE || code === UNSUPPORTED))
      throw new StoreUnusable(
        "The PostgreSQL server has no pgvector. Install it there (0.7 or newer), or use an image that has it.",
      );
    if (isExtension && code === MAY_NOT)
      throw new StoreUnusable(
        "The database user may not CREATE EXTENSION vector. Let an administrator run it once in this database.",
      );
    throw error;
  }
}
