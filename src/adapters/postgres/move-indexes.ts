// What makes each row dear while a store is moved in: indexes other than those by which rows are told apart, and the look whether what a
// row names is there. Both are taken away before and made again afterwards, over all rows at once.
import { MOVED_TABLES } from "../../domain/moved-tables.ts";
import type { Sql } from "./sql.ts";

/** How each is made again: an index by its own statement, a reference by the table's. */
const MADE_BY = `
  SELECT 1 AS turn, indexrelid::regclass::text AS name, NULL AS of, pg_get_indexdef(indexrelid) AS again
  FROM pg_index WHERE indrelid = ANY ($1::regclass[]) AND NOT indisunique
  UNION ALL
  SELECT 2, quote_ident(conname), conrelid::regclass::text,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  FROM pg_constraint WHERE conrelid = ANY ($1::regclass[]) AND contype = 'f'
  ORDER BY turn, name`;

interface Made {
  readonly turn: number;
  readonly name: string;
  /** The table of a reference. */
  readonly of: string | null;
  readonly again: string;
}

/** Takes them away, in the transaction that begins a move; how they are made again is kept. Once: a move that goes on has none left. */
export async function setAside(sql: Sql): Promise<void> {
  await sql.run("CREATE TABLE IF NOT EXISTS store_move_again (place int PRIMARY KEY, again text NOT NULL)");
  if ((await sql.one("SELECT 1 FROM store_move_again LIMIT 1")) !== null) return;
  const made = await sql.all<Made>(MADE_BY, [MOVED_TABLES.map(({ name }) => name)]);
  for (const [place, { name, of, again }] of made.entries()) {
    await sql.run("INSERT INTO store_move_again VALUES ($1, $2)", [place, again]);
    await sql.run(of === null ? `DROP INDEX ${name}` : `ALTER TABLE ${of} DROP CONSTRAINT ${name}`);
  }
}

/** Makes them again, in the transaction that ends it. A reference to what is not there fails. */
export async function setBack(sql: Sql): Promise<void> {
  // Half of what a small server has for itself: an index of words over a million memories sorts a gigabyte.
  await sql.run("SET LOCAL maintenance_work_mem = '256MB'");
  for (const { again } of await sql.all<{ again: string }>("SELECT again FROM store_move_again ORDER BY place"))
    await sql.run(again);
  await sql.run("DROP TABLE store_move_again");
}
