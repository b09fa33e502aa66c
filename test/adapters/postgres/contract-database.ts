// A database for the contract of one test file: of the real server, else inside this process, else none.
import { openPostgres } from "../../../src/adapters/postgres/database.ts";
import { PARTS } from "../../../src/adapters/postgres/migrations.ts";
import type { Postgres } from "../../../src/adapters/postgres/sql.ts";
import { pgliteDatabase } from "../../pglite.ts";
import { testDatabase } from "../../postgres.ts";

/** Null, and said on the console, where no Postgres of any kind can be had. */
export async function contractDatabase(connections = 10): Promise<Postgres | null> {
  if (process.env.KODIAI_TEST_POSTGRES === "pglite") return inProcess();
  const given = await testDatabase();
  if (given === null) return inProcess();
  const db = await openPostgres(given.url, PARTS, { connections });
  return {
    ...db,
    async close() {
      await db.close();
      await given.drop();
    },
  };
}

async function inProcess(): Promise<Postgres | null> {
  console.warn("Postgres runs inside the test process (PGlite): its contracts are tested, its locks are not");
  try {
    return await pgliteDatabase(PARTS);
  } catch (error) {
    console.warn(`SKIPPED: contracts on PostgreSQL do not run: ${String(error)}`);
    return null;
  }
}

/** Nothing is remembered any more. */
export async function emptied(db: Postgres): Promise<void> {
  await db.run("TRUNCATE repositories, spaces, embeddings, retrievals RESTART IDENTITY CASCADE");
}
