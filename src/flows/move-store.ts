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
  const counted = await atOnce(MOVED_TABLES, async (table) => {
    const { moved, tally } = await moveTable(table, source, target);
    tell("moved", table.name, moved);
    return tally;
  });
  const whole = await atOnce(MOVED_TABLES, async (table, at) => {
    // What was read in several runs is read once more.
    const [before, after] = [counted[at] ?? (await tallyOf(table, source)), await tallyOf(table, target)];
    if (before.rows !== after.rows || before.checksum !== after.checksum)
      throw new StoreUnusable(
        `${table.name} is not the same on both sides: ${before.rows} rows (${before.checksum.slice(0, 12)}) became ${after.rows} (${after.checksum.slice(0, 12)}). Begin again with an empty database.`,
      );
    tell("verified", table.name, before.rows);
    return { table: table.name, ...before };
  });
  if (source.mark() !== mark)
    throw new StoreUnusable(
      "The store was written to meanwhile. Stop the server, and begin again with an empty database.",
    );
  await target.finish(source.clock());
  return whole;
}

/** While one table is written by the database, another one is read here. */
const AT_ONCE = 3;
/** These take longest, words most of all, whose index entries the database makes: they begin, so that none is left over at the end. */
const FIRST: readonly string[] = ["words", "vectors", "contents", "records"];

/** Answers in the order of the tables; the first failure ends all, once those at work have come to their end. */
async function atOnce<T>(
  tables: readonly MovedTable[],
  work: (table: MovedTable, at: number) => Promise<T>,
): Promise<readonly T[]> {
  const answers: T[] = [];
  const place = ({ name }: MovedTable) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const waiting = [...tables.entries()].sort(([, one], [, other]) => place(one) - place(other));
  const walk = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, table] = next;
      answers[at] = await work(table, at).catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
    }
  };
  const walks = await Promise.allSettled(Array.from({ length: AT_ONCE }, walk));
  for (const one of walks) if (one.status === "rejected") throw one.reason;
  return answers;
}

type Tally = Omit<MovedWhole, "table">;

/**
 * @returns rows that were moved now: fewer than there are where an earlier run had begun; then there is no tally, else it is of what was
 *   read
 */
async function moveTable(
  table: MovedTable,
  source: MoveSource,
  target: MoveTarget,
): Promise<{ readonly moved: number; readonly tally: Tally | null }> {
  let at = await target.progress(table);
  const isWhole = at.after === null && !at.done;
  const count = tallying();
  while (!at.done) {
    const rows = await source.page(table, at.after, PAGE);
    at = { after: keyOf(table, rows.at(-1)) ?? at.after, done: rows.length < PAGE };
    count.add(rows);
    await target.put(table, rows, at);
  }
  const tally = count.done();
  return { moved: tally.rows, tally: isWhole ? tally : null };
}

async function tallyOf(table: MovedTable, side: MoveSide): Promise<Tally> {
  const count = tallying();
  let after: MovedRow | null = null;
  for (;;) {
    const page: readonly MovedRow[] = await side.page(table, after, PAGE);
    count.add(page);
    after = keyOf(table, page.at(-1));
    if (page.length < PAGE) return count.done();
  }
}

/** Bytes are hashed as they are, after the row that names how many they are. */
function tallying() {
  const hash = createHash("sha256");
  let rows = 0;
  return {
    add(page: readonly MovedRow[]): void {
      for (const row of page) {
        hash.update(`${JSON.stringify(row.map((value) => (value instanceof Uint8Array ? [value.length] : value)))}\n`);
        for (const value of row) if (value instanceof Uint8Array) hash.update(value);
      }
      rows += page.length;
    },
    done: (): Tally => ({ rows, checksum: hash.digest("hex") }),
  };
}

function keyOf({ key, columns }: MovedTable, row: MovedRow | undefined): MovedRow | null {
  if (row === undefined) return null;
  const names = Object.keys(columns);
  return key.map((name) => row[names.indexOf(name)] ?? null);
}
