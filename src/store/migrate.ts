// Migrates a database's schema with numbered, forward-only steps.
import { StoreUnusable } from "../domain/errors.ts";
import type { Dialect } from "./dialect.ts";
import type { Database, Sql } from "./sql.ts";
import { insert } from "./statement.ts";

/** One part of the schema. Append only: a released step is never edited. */
export interface SchemaPart {
  /** `memory` or `queue`; steps are numbered per part. */
  readonly part: string;
  /** Each has several statements, and runs once, in order. */
  readonly steps: readonly ((dialect: Dialect) => string)[];
}

/** Advisory lock for schema changes on PostgreSQL: an arbitrary number. */
const LOCK = 7_165_204_331;

/**
 * Runs the missing steps, all or none. Of several processes one migrates and the others wait.
 *
 * @param place how messages name the database: a file, or DATABASE_URL
 * @throws StoreUnusable when the schema is newer than this Kodiai
 */
export async function migrate(db: Database, parts: readonly SchemaPart[], place: string): Promise<void> {
  // Without missing steps it takes no lock, because another process may be running a long step.
  if (missing(parts, await versions(db), place).length === 0) return;
  try {
    await db.transaction((tx) => runMissing(tx, parts, place));
  } catch (error) {
    const message = error instanceof Error && "code" in error ? `${String(error.code)} ${error.message}` : "";
    const fix = LACKING.find(([sign]) => sign.test(message))?.[1];
    throw fix === undefined ? error : new StoreUnusable(`${place}: ${fix}`);
  }
}

async function runMissing(tx: Sql, parts: readonly SchemaPart[], place: string): Promise<void> {
  if (tx.dialect.name === "postgres") {
    await tx.run("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    // The first steps read and write whole tables.
    await tx.run("SET LOCAL statement_timeout = 0");
    await tx.run("SET LOCAL lock_timeout = 0");
    await refuseOld(tx, place);
  }
  await tx.run(
    tx.dialect.schema(
      "CREATE TABLE IF NOT EXISTS schema_steps (part TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (part, version));",
    ),
  );
  for (const { part, version, step } of missing(parts, await versions(tx), place)) {
    for (const statement of statementsOf(step(tx.dialect))) await tx.run(statement);
    await insert(tx, "schema_steps", { part, version });
  }
}

/** As `server_version_num`. Older versions are untested. */
const OLDEST = 150_000;

async function refuseOld(tx: Sql, place: string): Promise<void> {
  const server = await tx.one<{ number: number; name: string }>(
    "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name",
  );
  if (server !== null && server.number < OLDEST)
    throw new StoreUnusable(
      `${place}: the server is PostgreSQL ${server.name}; Kodiai needs ${OLDEST / 10_000} or newer. Upgrade it, or name another one.`,
    );
}

/** The missing prerequisite of a step by SQLSTATE and message, with its fix. */
const LACKING: readonly (readonly [sign: RegExp, fix: string])[] = [
  [
    /^(?:58P01|0A000) .*extension/is,
    "the PostgreSQL server has no pgvector. Install it there (0.7 or newer), or use an image that has it.",
  ],
  [
    /^(?:42P07|SQLITE_ERROR) .*(?:clock|deliveries)\b.* already exists$/,
    "it holds tables of another program. Name another one, or move it away.",
  ],
  [
    /^42501 .*extension/is,
    "the database user may not CREATE EXTENSION vector. Let an administrator run it once in this database.",
  ],
  [
    /^42501 /,
    "the database user may not make tables in this database. Let an administrator give it the database (ALTER DATABASE … OWNER TO …), or GRANT CREATE ON SCHEMA public.",
  ],
  [
    /^42704 .*"(?:half)?vec/s,
    "the database has a pgvector before 0.7. Install a newer one at the server, then run ALTER EXTENSION vector UPDATE in this database.",
  ],
];

/** Splits at semicolons at line ends; schemas contain no others. */
function statementsOf(text: string): string[] {
  return text
    .split(/;\s*$/m)
    .map((statement) => statement.replace(/^[ \t]*--.*$/gm, "").trim())
    .filter((statement) => statement !== "");
}

/** The newest completed step of each part; empty for a database without any. */
export async function versions(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const exists =
    sql.dialect.name === "postgres"
      ? "SELECT 1 AS known WHERE to_regclass('schema_steps') IS NOT NULL"
      : "SELECT 1 AS known FROM sqlite_master WHERE name = 'schema_steps'";
  if ((await sql.one(exists)) === null) return new Map();
  const rows = await sql.all<{ part: string; version: number }>(
    "SELECT part, max(version) AS version FROM schema_steps GROUP BY part",
  );
  return new Map(rows.map(({ part, version }) => [part, version]));
}

function missing(parts: readonly SchemaPart[], known: ReadonlyMap<string, number>, place: string) {
  return parts.flatMap(({ part, steps }) => {
    const version = known.get(part) ?? 0;
    if (version > steps.length)
      throw new StoreUnusable(
        `${place} has schema ${version} of ${part}, newer than the ${steps.length} that this Kodiai knows. Upgrade Kodiai, or use another one.`,
      );
    return steps.slice(version).map((step, at) => ({ part, version: version + at + 1, step }));
  });
}
