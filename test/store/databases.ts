// The databases on which the store is tested: SQLite in a file, and PostgreSQL: of the server for
// tests, else inside this process.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { CACHE } from "../../scripts/postgres-providers.ts";
import { openMemoryFile } from "../../src/store/memory/memory-file.ts";
import { MEMORY_PART } from "../../src/store/memory/schema.ts";
import { migrate, type SchemaPart } from "../../src/store/migrate.ts";
import { openPostgres, postgresDatabase } from "../../src/store/postgres.ts";
import { QUEUE_PART } from "../../src/store/queue/schema.ts";
import type { Database } from "../../src/store/sql.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { emptyDatabase, schemaHash } from "../postgres.ts";

/** A database with the schema, of which the test is the only user. */
export interface TestDatabase {
  readonly db: Database;
  /** A file of SQLite, or `postgres://…`; null where no other connection can be made (PGlite). */
  readonly place: string | null;
  /** Closes it and removes it. */
  close(): Promise<void>;
}

const PARTS: readonly SchemaPart[] = [MEMORY_PART, QUEUE_PART];

/** Memory and everything beside it in one file, which a real store keeps in two. */
export async function sqliteTestDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-store-"));
  const place = join(folder, "memory.db");
  const db = await openMemoryFile(place);
  await migrate(db, PARTS, place);
  return {
    db,
    place,
    async close() {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** On a clock that the test sets, in the process's memory. */
export async function sqliteInMemory(now: () => number = Date.now): Promise<Database> {
  const db = openSqlite(":memory:", { now });
  await migrate(db, PARTS, ":memory:");
  return db;
}

/** Null, with a message on the console, where no PostgreSQL of any kind can be had. */
export async function postgresTestDatabase(connections = 10): Promise<TestDatabase | null> {
  const given = process.env.KODIAI_TEST_POSTGRES === "pglite" ? null : await emptyDatabase();
  if (given === null) return inProcess();
  const db = openPostgres(given.url, { connections });
  await migrate(db, PARTS, "DATABASE_URL");
  return {
    db,
    place: given.url,
    async close() {
      await db.close();
      await given.drop();
    },
  };
}

async function inProcess(): Promise<TestDatabase | null> {
  console.warn("PostgreSQL runs inside the test process (PGlite): its contracts are tested, its locks are not");
  try {
    const db = await pgliteDatabase();
    return { db, place: null, close: () => db.close() };
  } catch (error) {
    console.warn(`SKIPPED: contracts on PostgreSQL do not run: ${String(error)}`);
    return null;
  }
}

const [INT8, BYTEA] = [20, 17];

const VERSION = readFileSync(new URL("../../node_modules/@electric-sql/pglite/package.json", import.meta.url), "utf8");
/**
 * PGlite's files with the empty schema, kept between runs: to make them takes five seconds, to read
 * them half of one.
 */
const FILES = `pglite-${schemaHash(PARTS, VERSION)}.tar`;

function knownFiles(): Blob | null {
  try {
    return new Blob([readFileSync(join(CACHE, FILES))]);
  } catch {
    return null;
  }
}

/** Those of other schemas are removed. */
async function keepFiles(files: Blob): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  // Under another name until it is complete, for test files that start meanwhile.
  const unfinished = join(CACHE, `pglite-${process.pid}.unfinished`);
  writeFileSync(unfinished, Buffer.from(await files.arrayBuffer()));
  for (const name of readdirSync(CACHE).filter((one) => /^pglite-.*\.tar$/.test(one)))
    rmSync(join(CACHE, name), { force: true });
  renameSync(unfinished, join(CACHE, FILES));
}

/** One connection and no limits of time. */
async function pgliteDatabase(): Promise<Database> {
  const files = knownFiles();
  const lite = await PGlite.create({
    ...(files === null ? {} : { loadDataDir: files }),
    extensions: { vector },
    parsers: { [INT8]: Number, [BYTEA]: (text: string) => Buffer.from(text.slice(2), "hex") },
    // JSON is text already.
    serializers: { 114: String, 3802: String },
  });
  const query = async (text: string, given: unknown[]) => {
    const { rows, affectedRows } = await lite.query(text, given);
    return { rows, rowCount: affectedRows ?? 0 };
  };
  let last: Promise<unknown> = Promise.resolve();
  const db: Database = {
    ...postgresDatabase({
      query: (text, given) => last.then(() => query(text, given)),
      // There is one connection: the next transaction waits for the end of this one.
      async begin() {
        const before = last;
        let release = () => {};
        last = new Promise<void>((resolve) => {
          release = resolve;
        });
        await before;
        return { query, release, broken: () => null };
      },
    }),
    script: async (text) => void (await lite.exec(text)),
    close: () => lite.close(),
  };
  if (files === null) {
    await migrate(db, PARTS, "PGlite");
    await keepFiles(await lite.dumpDataDir("none"));
  }
  return db;
}
