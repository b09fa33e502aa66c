// A whole store from one database to another: table by table, a page at a time, so that it can be stopped and goes on. What is kept there
// is compared with what was read here, row for row.
import { createHash, hash } from "node:crypto";
import { type MovedPage, movedPage } from "../domain/moved-page.ts";
import { MOVED_TABLES, type MovedRow, type MovedTable } from "../domain/moved-tables.ts";
import { StoreUnusable } from "../domain/store-unusable.ts";
import type { MovedRange, MoveSource, MoveTarget } from "../ports/move.ts";

/** Rows of a page: with vectors of 1024 numbers about 2 MB. */
const PAGE = 1_000;
/** Rows that are compared at a time: of each only a digest comes. */
const COMPARED = 5_000;
/** Rows between two words about a long table. */
const TOLD = 100_000;

/** A table that is there on both sides, row for row. */
export interface MovedWhole {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of the SHA-256 of its rows, in the order of their keys. */
  readonly checksum: string;
}

/** `moving` comes now and then, with the rows of one part until then. */
export type TellMoved = (what: "moving" | "moved" | "indexed" | "verified", table: string, rows: number) => void;

/**
 * Moves everything and proves it. Nothing is taken from the source.
 *
 * @throws StoreUnusable when the target holds a store, the source was written to meanwhile, or a table differs afterwards
 */
export async function moveStore(
  source: MoveSource,
  target: MoveTarget,
  tell: TellMoved,
): Promise<readonly MovedWhole[]> {
  const mark = source.mark();
  await target.begin(mark);
  const both = { source, target, tell };
  const whole = new Map<string, MovedWhole>();
  await atOnce(await partsOf(source), async (part, isLast) => {
    part.moved = await movePart(part, both);
    if (isLast()) whole.set(part.table.name, await settle(part.table, part.all, both));
  });
  if (source.mark() !== mark)
    throw new StoreUnusable(
      "The store was written to meanwhile. Stop the server, and begin again with an empty database.",
    );
  await target.finish(source.clock());
  return MOVED_TABLES.flatMap(({ name }) => whole.get(name) ?? []);
}

interface Both {
  readonly source: MoveSource;
  readonly target: MoveTarget;
  readonly tell: TellMoved;
}

/** A table, or half of one. */
interface Part {
  readonly table: MovedTable;
  readonly name: string;
  readonly range: MovedRange;
  /** Itself and the other parts of its table, in the order of their rows. */
  readonly all: Part[];
  moved: Moved | null;
}

interface Moved {
  /** Written now: fewer than there are where an earlier run had begun. */
  readonly rows: number;
  /** Of what was read; null where an earlier run read a part of it. */
  readonly tally: Tally | null;
}

/** Another one is read here while the database writes: as many as keep two processors of its busy. */
const AT_ONCE = 3;
/** Of words the database makes index entries, which takes longer than all the rest: in two halves, and first. */
const HALVED = "words";
const FIRST: readonly string[] = [HALVED, "vectors", "contents", "records"];

async function partsOf(source: MoveSource): Promise<readonly Part[]> {
  const place = ({ name }: MovedTable) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const parts: Part[] = [];
  for (const table of MOVED_TABLES.toSorted((one, other) => place(one) - place(other))) {
    const middle = table.name === HALVED ? await source.middle(table) : null;
    const all: Part[] = [];
    const add = (name: string, range: MovedRange) => all.push({ table, name, range, all, moved: null });
    add(table.name, { after: null, upTo: middle });
    if (middle !== null) add(`${table.name}, second half`, { after: middle, upTo: null });
    parts.push(...all);
  }
  return parts;
}

/** The first failure ends all, once those at work have come to their end. `isLast` is asked when a part is done: of its table? */
async function atOnce(parts: readonly Part[], work: (part: Part, isLast: () => boolean) => Promise<void>) {
  const waiting = [...parts];
  const walk = async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const { all } = part;
      await work(part, () => all.every(({ moved }) => moved !== null)).catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
    }
  };
  const walks = await Promise.allSettled(Array.from({ length: AT_ONCE }, walk));
  for (const one of walks) if (one.status === "rejected") throw one.reason;
}

async function movePart({ table, name, range }: Part, { source, target, tell }: Both): Promise<Moved> {
  let at = await target.progress(name);
  const isWhole = at.after === null && !at.done;
  const count = tallying(table);
  while (!at.done) {
    const rows = await source.page(table, { ...range, after: at.after ?? range.after }, PAGE);
    at = { after: keyOf(table, rows.at(-1)) ?? at.after, done: rows.length < PAGE };
    const page = movedPage(table, rows);
    count.add(page);
    await target.put(table, page, name, at);
    if (count.rows() % TOLD === 0 && rows.length > 0) tell("moving", name, count.rows());
  }
  return { rows: count.rows(), tally: isWhole ? count.done() : null };
}

/** Once all of a table is there: it gets its indexes, and is compared. */
async function settle(table: MovedTable, parts: readonly Part[], { source, target, tell }: Both): Promise<MovedWhole> {
  tell(
    "moved",
    table.name,
    parts.reduce((sum, { moved }) => sum + (moved?.rows ?? 0), 0),
  );
  await target.index(table);
  tell("indexed", table.name, 0);
  const tallies: Tally[] = [];
  for (const { range, moved } of parts) {
    // What was read in several runs is read once more.
    const before = moved?.tally ?? (await readAgain(table, range, source));
    const after = await keptIn(table, range, target);
    if (before.rows !== after.rows || before.checksum !== after.checksum)
      throw new StoreUnusable(
        `${table.name} is not the same on both sides: ${before.rows} rows (${before.checksum.slice(0, 12)}) became ${after.rows} (${after.checksum.slice(0, 12)}). Begin again with an empty database.`,
      );
    tallies.push(before);
  }
  const rows = tallies.reduce((sum, tally) => sum + tally.rows, 0);
  tell("verified", table.name, rows);
  return { table: table.name, rows, checksum: joined(tallies) };
}

interface Tally {
  readonly rows: number;
  readonly checksum: string;
}

function joined(tallies: readonly Tally[]): string {
  const [first, ...more] = tallies.map(({ checksum }) => checksum);
  return first !== undefined && more.length === 0 ? first : hash("sha256", tallies.map((one) => one.checksum).join());
}

async function readAgain(table: MovedTable, range: MovedRange, source: MoveSource): Promise<Tally> {
  const count = tallying(table);
  let after = range.after;
  for (;;) {
    const rows = await source.page(table, { ...range, after }, PAGE);
    count.add(movedPage(table, rows));
    after = keyOf(table, rows.at(-1));
    if (rows.length < PAGE) return count.done();
  }
}

async function keptIn(table: MovedTable, range: MovedRange, target: MoveTarget): Promise<Tally> {
  const all = createHash("sha256");
  let rows = 0;
  let after = range.after;
  for (;;) {
    const page = await target.digests(table, { ...range, after }, COMPARED);
    all.update(page.digests);
    rows += page.rows;
    after = page.last;
    if (page.rows < COMPARED) return { rows, checksum: all.digest("hex") };
  }
}

function tallying({ columns }: MovedTable) {
  const all = createHash("sha256");
  const fields = Object.keys(columns).length;
  let count = 0;
  return {
    add({ rows, bytes, starts }: MovedPage): void {
      for (let row = 0; row < rows; row += 1)
        all.update(hash("sha256", bytes.subarray(starts[row * fields], starts[(row + 1) * fields]), "buffer"));
      count += rows;
    },
    rows: () => count,
    done: (): Tally => ({ rows: count, checksum: all.digest("hex") }),
  };
}

function keyOf({ key, columns }: MovedTable, row: MovedRow | undefined): MovedRow | null {
  if (row === undefined) return null;
  const names = Object.keys(columns);
  return key.map((name) => row[names.indexOf(name)] ?? null);
}
