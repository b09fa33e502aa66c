// An empty store for contract suites, on a clock that only the test moves: SQLite in a file, or a
// database of its own in PostgreSQL.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, type SchemaPart } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { storedQueue } from "../../src/store/queue/queue.ts";
import { QUEUE_PART } from "../../src/store/queue/schema.ts";
import type { Database } from "../../src/store/sql.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { type StillClock, type TimedQueue, timedQueue } from "../builders/timed-queue.ts";
import { testDatabase } from "../postgres.ts";

export interface StoreHarness {
  readonly db: Database;
  readonly clock: StillClock;
  /** The queue of a process of its own on the same store. */
  queue(): TimedQueue;
  /** Lets so many milliseconds pass. */
  pass(ms: number): Promise<void>;
  /** As if nothing ever happened; the clock is at 1,000 again. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

const START = 1_000;

/** SQLite in a new file. */
export async function sqliteHarness(parts: readonly SchemaPart[] = [QUEUE_PART]): Promise<StoreHarness> {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-stage-"));
  let now = START;
  const db = openSqlite(join(folder, "queue.db"), { now: () => now });
  await migrate(db, parts, "queue.db");
  const clock: StillClock = {
    now: () => now,
    set(at) {
      now = at;
    },
  };
  return stageOver(db, clock, async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });
}

/**
 * A database of its own. Its `clock_timestamp()` is replaced by one that reads a table, for all of
 * its connections.
 *
 * @returns null where there is no server
 */
export async function postgresHarness(parts: readonly SchemaPart[] = [QUEUE_PART]): Promise<StoreHarness | null> {
  const given = await testDatabase([]);
  if (given === null) return null;
  const name = new URL(given.url).pathname.slice(1);
  const preparing = openPostgres(given.url);
  await migrate(preparing, parts, "the test database");
  await preparing.script(`
    CREATE SCHEMA stage;
    CREATE TABLE stage.time (at bigint NOT NULL);
    INSERT INTO stage.time VALUES (${START});
    CREATE FUNCTION stage.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT to_timestamp(at / 1000.0) FROM stage.time';
    ALTER DATABASE ${name} SET search_path = stage, pg_catalog, public`);
  await preparing.close();
  // As the server opens it.
  const db = openPostgres(given.url);
  let now = START;
  const clock: StillClock = {
    now: () => now,
    async set(at) {
      if (at !== now) await db.run("UPDATE stage.time SET at = $1", [at]);
      now = at;
    },
  };
  return stageOver(db, clock, async () => {
    await db.close();
    await given.drop();
  });
}

async function stageOver(db: Database, clock: StillClock, close: () => Promise<void>): Promise<StoreHarness> {
  const tables = await tablesOf(db);
  return {
    db,
    clock,
    queue: () => timedQueue(storedQueue(db, { elapsed: clock.now }), clock),
    pass: async (ms) => clock.set(clock.now() + ms),
    async empty() {
      await db.transaction(async (tx) => {
        for (const table of tables) await tx.run(`DELETE FROM ${table}`);
      });
      await clock.set(START);
    },
    close,
  };
}

async function tablesOf(db: Database): Promise<readonly string[]> {
  const rows = await db.all<{ name: string }>(
    db.dialect.name === "sqlite"
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  return rows.map(({ name }) => name).filter((name) => name !== "schema_steps");
}
