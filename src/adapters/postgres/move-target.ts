// A Postgres that a store is moved to: rows with their own numbers, and how far each table has come in the same transaction.
import { MOVED_TABLES } from "../../domain/moved-tables.ts";
import { StoreUnusable } from "../../domain/store-unusable.ts";
import type { MovedSoFar, MoveTarget } from "../../ports/move.ts";
import { setAside, setBackIndexes, setBackReferences } from "./move-indexes.ts";
import { moveRows } from "./move-rows.ts";
import type { Postgres, Sql } from "./sql.ts";

/** Goes up when what a half-moved database holds means something else. */
const FORM = "2";

/** Sequences and what they must be above. */
const NUMBERED: readonly (readonly [sequence: string, table: string, column: string])[] = [
  ...["repositories", "spaces", "records", "jobs", "answers", "spending", "intents"].map(
    (table) => [`pg_get_serial_sequence('${table}', 'id')`, table, "id"] as const,
  ),
  ["pg_get_serial_sequence('retrievals', 'row')", "retrievals", "row"],
  ["'reviews_written'", "reviews", "written"],
  ["'check_runs_begun'", "check_runs", "begun"],
];

/** Over an open database with the schema (see openPostgres). */
export function postgresMoveTarget(db: Postgres): MoveTarget {
  const rows = moveRows(db);
  return {
    async begin(mark) {
      await endPredecessor(db);
      await db.transaction(async (sql) => {
        await begin(sql, mark);
        await setAside(sql);
      });
    },
    async progress(part) {
      const row = await db.one<MovedSoFar>("SELECT after, done FROM store_move WHERE part = $1", [part]);
      return row ?? { after: null, done: false };
    },
    put: rows.put,
    async index(table) {
      await setBackIndexes(db, table.name);
      await db.run(`ANALYZE ${table.name}`);
    },
    digests: rows.digests,
    async finish(clock) {
      await setBackReferences(db);
      await db.transaction(async (sql) => {
        // With it on disk is all that was committed before, without waiting for each page.
        await sql.run("SET LOCAL synchronous_commit = on");
        for (const [sequence, table, column] of NUMBERED)
          await sql.run(
            `SELECT setval(${sequence}, (SELECT greatest(max(${column}), 1) FROM ${table}), EXISTS (SELECT 1 FROM ${table}))`,
          );
        await sql.run("SELECT setval('memory_clock', $1)", [Math.max(1, clock)]);
        await sql.run("DROP TABLE store_move, store_move_again");
      });
    },
  };
}

/** By this the connections of one that moves a store are known. */
export const MOVER = "kodiai migrate";
const END_MS = 30_000;

/**
 * Of one that was killed the database goes on with what it was asked last: that would come between what is done from here on. One that
 * still runs ends with it: whoever came last moves the store.
 */
async function endPredecessor(sql: Sql): Promise<void> {
  await sql.all(
    `SELECT pg_terminate_backend(pid, ${END_MS}) FROM pg_stat_activity
     WHERE datname = current_database() AND usename = current_user AND application_name = $1 AND pid <> pg_backend_pid()`,
    [MOVER],
  );
}

async function begin(sql: Sql, mark: string): Promise<void> {
  await sql.run(
    "CREATE TABLE IF NOT EXISTS store_move (part text PRIMARY KEY, mark text, after jsonb, done boolean NOT NULL DEFAULT false)",
  );
  const known = await sql.one<{ mark: string }>("SELECT mark FROM store_move WHERE part = ''");
  const own = `${FORM} ${mark}`;
  if (known === null) {
    for (const { name } of MOVED_TABLES)
      if ((await sql.one(`SELECT 1 FROM ${name} LIMIT 1`)) !== null)
        throw new StoreUnusable(`The database holds a store already (${name}). Name an empty one.`);
    await sql.run("INSERT INTO store_move (part, mark) VALUES ('', $1)", [own]);
  } else if (known.mark !== own)
    throw new StoreUnusable(
      known.mark.startsWith(`${FORM} `)
        ? "The store was written to since the move began. Stop the server, and begin again with an empty database."
        : "The move was begun by another version of Kodiai. Begin again with an empty database.",
    );
}
