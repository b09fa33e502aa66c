// What makes each row dear while a store is moved in: indexes other than those by which rows are told apart, and the look whether what a
// row names is there. Both are taken away before and made again afterwards, over all rows at once, one by one: what was made stays made.
import { MOVED_TABLES } from "../../domain/moved-tables.ts";
import type { Postgres, Sql } from "./sql.ts";

/** How each is made again: an index by its own statement, a reference by the table's. */
const MADE_BY = `
  SELECT 1 AS turn, indexrelid::regclass::text AS name, indrelid::regclass::text AS of, pg_get_indexdef(indexrelid) AS again
  FROM pg_index WHERE indrelid = ANY ($1::regclass[]) AND NOT indisunique
  UNION ALL
  SELECT 2, quote_ident(conname), conrelid::regclass::text,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  FROM pg_constraint WHERE conrelid = ANY ($1::regclass[]) AND contype = 'f'
  ORDER BY turn, name`;

interface Made {
  /** 1 an index, 2 a reference. */
  readonly turn: number;
  readonly name: string;
  /** Its table. */
  readonly of: string;
  readonly again: string;
}

/** Takes them away, in the transaction that begins a move; how they are made again is kept. Once: a move that goes on has none left. */
export async function setAside(sql: Sql): Promise<void> {
  const known = await sql.one<{ known: boolean }>("SELECT to_regclass('store_move_again') IS NOT NULL AS known");
  if (known?.known === true) return;
  await sql.run(
    `CREATE TABLE store_move_again (place int PRIMARY KEY, turn int NOT NULL, "of" text NOT NULL, again text NOT NULL)`,
  );
  const made = await sql.all<Made>(MADE_BY, [MOVED_TABLES.map(({ name }) => name)]);
  for (const [place, { turn, name, of, again }] of made.entries()) {
    await sql.run("INSERT INTO store_move_again VALUES ($1, $2, $3, $4)", [place, turn, of, again]);
    await sql.run(turn === 1 ? `DROP INDEX ${name}` : `ALTER TABLE ${of} DROP CONSTRAINT ${name}`);
  }
}

/** Makes the indexes of a table again. */
export function setBackIndexes(db: Postgres, table: string): Promise<void> {
  return again(db, `turn = 1 AND "of" = $1`, [table]);
}

/** Makes all that is left again, when all rows are there. A reference to what is not there fails. */
export function setBackReferences(db: Postgres): Promise<void> {
  return again(db, "true", []);
}

async function again(db: Postgres, which: string, values: readonly unknown[]): Promise<void> {
  const all = await db.all<{ place: number; again: string }>(
    `SELECT place, again FROM store_move_again WHERE ${which} ORDER BY place`,
    values,
  );
  for (const { place, again: statement } of all)
    await db.transaction(async (sql) => {
      // Half of what a small server has for itself: an index of words over a million memories sorts a gigabyte.
      await sql.run("SET LOCAL maintenance_work_mem = '256MB'");
      await sql.run(statement);
      await sql.run("DELETE FROM store_move_again WHERE place = $1", [place]);
    });
}
