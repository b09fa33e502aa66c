// Our own store on a PostgreSQL, filled from the folder as `kodiai migrate` fills one. With a kept
// folder the database stays for the next run, and says of what rows it was made.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { CACHE } from "../scripts/postgres-providers.ts";
import { openQueueFile } from "../src/store/queue/clock.ts";
import { openMigration } from "../src/wire/cli/store.ts";

export const ON_POSTGRES = "ours on PostgreSQL";

export interface MovedStore {
  readonly url: string;
  /** That the move took. */
  readonly seconds: number;
  readonly diskMb: number;
  /** Ends with the database, where it does not stay. */
  close(): Promise<void>;
}

/**
 * @param fingerprint of the rows
 * @returns null where there is no server: `KODIAI_TEST_DATABASE_URL`, `DATABASE_URL` or
 * `npm run -s postgres -- --detach`
 */
export async function movedStore(folder: string, fingerprint: string, stays: boolean): Promise<MovedStore | null> {
  const admin = databaseUrl();
  if (admin === null) return null;
  const name = `kodiai_bench_${fingerprint.slice(0, 12)}`;
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  const url = new URL(admin);
  url.pathname = `/${name}`;
  const known = await noteOf(client, name);
  const isWhole = known?.fingerprint === fingerprint;
  if (!isWhole) {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name}`);
  }
  const seconds = isWhole ? known.seconds : await moved(folder, url.href);
  if (!isWhole) await client.query(`COMMENT ON DATABASE ${name} IS '${JSON.stringify({ fingerprint, seconds })}'`);
  const size = await client.query<{ bytes: string }>("SELECT pg_database_size($1) AS bytes", [name]);
  return {
    url: url.href,
    seconds,
    diskMb: Number(size.rows[0]?.bytes ?? 0) / 1e6,
    async close() {
      if (!stays) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await client.end();
    },
  };
}

/** Written when the database is whole. */
interface Note {
  readonly fingerprint: string;
  readonly seconds: number;
}

async function noteOf(client: pg.Client, name: string): Promise<Note | null> {
  const { rows } = await client.query<{ note: string | null }>(
    "SELECT shobj_description(oid, 'pg_database') AS note FROM pg_database WHERE datname = $1",
    [name],
  );
  const note = rows[0]?.note ?? null;
  return note === null ? null : (JSON.parse(note) as Note);
}

/** Returns how many seconds it took. */
async function moved(folder: string, url: string): Promise<number> {
  // A store is both files.
  await (await openQueueFile(join(folder, "queue.db"))).close();
  const { move, close } = await openMigration(`sqlite://${folder}`, url);
  const start = performance.now();
  try {
    await move((what, table, rows) => console.error(`${ON_POSTGRES}: ${what} ${table}: ${rows}`));
  } finally {
    await close();
  }
  return (performance.now() - start) / 1000;
}

function databaseUrl(): string | null {
  const given = process.env.KODIAI_TEST_DATABASE_URL ?? process.env.DATABASE_URL;
  if (given?.startsWith("postgres")) return given;
  try {
    return (JSON.parse(readFileSync(join(CACHE, "postgres-running.json"), "utf8")) as { readonly url: string }).url;
  } catch {
    return null;
  }
}
