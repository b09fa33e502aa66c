// A whole store from one database to another: table by table, a page at a time, so that it can be stopped and goes on; then both are
// read once more and compared.
import { createHash } from "node:crypto";
import { MOVED_TABLES, type MovedRow, type MovedTable } from "../domain/moved-tables.ts";
import { StoreUnusable } from "../domain/store-unusable.ts";
import type { MoveSide, MoveSource, MoveTarget } from "../ports/move.ts";

/** Rows of a page: with vectors of 1024 numbers about 10 MB. */
const PAGE = 1_000;

/** A table that is there on both sides, row for row. */
export interface MovedWhole {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of its rows in the order of their keys. */
  readonly checksum: string;
}

/**
 * Moves everything and proves it. Nothing is taken from the source.
 *
 * @param tell told of each table as it is done: `moved` or `verified`
 * @throws StoreUnusable when the target holds a store, the source was written to meanwhile, or a table differs afterwards
 */
export async function moveStore(
  source: MoveSource,
  target: MoveTarget,
  tell: (what: "moved" | "verified", table: string, rows: number) => void,
): Promise<readonly MovedWhole[]> {
  const mark = source.mark();
  await target.begin(mark);
  for (const table of MOVED_TABLES) tell("moved", table.name, await moveTable(table, source, target));
  const whole: MovedWhole[] = [];
  for (const table of MOVED_TABLES) {
    const [before, after] = [await tally(table, source), await tally(table, target)];
    if (before.rows !== after.rows || before.checksum !== after.checksum)
      throw new StoreUnusable(
        `${table.name} is not the same on both sides: ${before.rows} rows (${before.checksum.slice(0, 12)}) became ${after.rows} (${after.checksum.slice(0, 12)}). Begin again with an empty database.`,
      );
    whole.push({ table: table.name, ...before });
    tell("verified", table.name, before.rows);
  }
  if (source.mark() !== mark)
    throw new StoreUnusable(
      "The store was written to meanwhile. Stop the server, and begin again with an empty database.",
    );
  await target.finish(source.clock());
  return whole;
}

/** @returns rows that were moved now: fewer than there are where an earlier run had begun */
async function moveTable(table: MovedTable, source: MoveSource, target: MoveTarget): Promise<number> {
  let moved = 0;
  let at = await target.progress(table);
  while (!at.done) {
    const rows = await source.page(table, at.after, PAGE);
    at = { after: keyOf(table, rows.at(-1)) ?? at.after, done: rows.length < PAGE };
    await target.put(table, rows, at);
    moved += rows.length;
  }
  return moved;
}

async function tally(table: MovedTable, side: MoveSide): Promise<Omit<MovedWhole, "table">> {
  const hash = createHash("sha256");
  let rows = 0;
  let after: MovedRow | null = null;
  for (;;) {
    const page: readonly MovedRow[] = await side.page(table, after, PAGE);
    for (const row of page) hash.update(`${JSON.stringify(row)}\n`);
    rows += page.length;
    after = keyOf(table, page.at(-1));
    if (page.length < PAGE) return { rows, checksum: hash.digest("hex") };
  }
}

function keyOf({ key, columns }: MovedTable, row: MovedRow | undefined): MovedRow | null {
  if (row === undefined) return null;
  const names = Object.keys(columns);
  return key.map((name) => row[names.indexOf(name)] ?? null);
}
