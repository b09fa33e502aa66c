// A PostgreSQL database for a test file, made in a moment from a template that has the schema, and
// dropped afterwards.
//
// The server is the one that KODIAI_TEST_DATABASE_URL names, else the one that
// `npm run postgres -- --detach` started.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { CACHE } from "../scripts/postgres-providers.ts";
import { POSTGRES } from "../src/store/dialect.ts";
import { MEMORY_PART } from "../src/store/memory/schema.ts";
import { migrate, type SchemaPart } from "../src/store/migrate.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { QUEUE_PART } from "../src/store/queue/schema.ts";

export interface TestDatabase {
  /** Of a database that only this file uses. */
  readonly url: string;
  /** Ends every connection to it. */
  drop(): Promise<void>;
}

let made = 0;
let hasWarned = false;

/** As the server migrates its database. */
const PARTS: readonly SchemaPart[] = [MEMORY_PART, QUEUE_PART];

/**
 * A new database with the schema, or null where there is no server: that is said on the console,
 * once a file.
 *
 * @param parts the schema; an empty list for an empty database
 */
export async function testDatabase(parts: readonly SchemaPart[] = PARTS): Promise<TestDatabase | null> {
  const server = serverUrl();
  if (server === null)
    return skipped("neither KODIAI_TEST_DATABASE_URL nor a server of `npm run postgres -- --detach`");
  made += 1;
  const name = `kodiai_test_${process.pid}_${made}`;
  try {
    await asAdministrator(server, async (client) => {
      const template = await templateOf(client, server, parts);
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    });
  } catch (error) {
    if (process.env.KODIAI_TEST_DATABASE_URL) throw error;
    return skipped(`the server does not answer (${String(error)})`);
  }
  return {
    url: within(server, name),
    drop: () =>
      asAdministrator(server, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

function skipped(why: string): null {
  if (!hasWarned) console.warn(`SKIPPED: tests on PostgreSQL do not run: ${why}. See CONTRIBUTING.md.`);
  hasWarned = true;
  return null;
}

/** A server for tests; null where nobody started one. */
export function serverUrl(): string | null {
  const given = process.env.KODIAI_TEST_DATABASE_URL;
  if (given) return given;
  const note = join(CACHE, "postgres-running.json");
  return existsSync(note) ? (JSON.parse(readFileSync(note, "utf8")) as { url: string }).url : null;
}

/** The same server, another database. */
export function within(url: string, database: string): string {
  const at = new URL(url);
  at.pathname = `/${database}`;
  return at.href;
}

async function asAdministrator(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Made once for each schema; test files that run at the same time wait for whoever makes it. */
async function templateOf(client: pg.Client, url: string, parts: readonly SchemaPart[]): Promise<string> {
  const name = `kodiai_template_${schemaHash(parts)}`;
  await client.query("SELECT pg_advisory_lock(8246)");
  try {
    const known = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (known.rowCount === 0) {
      const unfinished = `${name}_${process.pid}`;
      await client.query(`CREATE DATABASE ${unfinished}`);
      const db = openPostgres(within(url, unfinished));
      await migrate(db, parts, "the test database").finally(() => db.close());
      await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
    }
  } finally {
    await client.query("SELECT pg_advisory_unlock(8246)");
  }
  return name;
}

/** Another one for each schema. */
export function schemaHash(parts: readonly SchemaPart[], ...more: readonly string[]): string {
  const texts = parts.map(({ part, steps }) => ({ part, steps: steps.map((step) => step(POSTGRES)) }));
  return createHash("sha256")
    .update(JSON.stringify([texts, ...more]))
    .digest("hex")
    .slice(0, 12);
}

/** A new database without a schema, or null where there is no server. */
export function emptyDatabase(): Promise<TestDatabase | null> {
  return testDatabase([]);
}
