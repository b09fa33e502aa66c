// Takes the words of rows in the order of the rows, and makes coded postings of them.
import { CODE, type CodedPostings, isWorthTable, MOST_ROWS } from "./coded-postings.ts";
import { TILE } from "./column-kernel.ts";
import { type Grown, grown } from "./grown.ts";

export interface PostingCoder {
  /**
   * A word of a row, as often as it stands there; words are numbered in the order in which they come first.
   *
   * @param row not below that of the call before
   * @param count a multiple of the unit; of one word in one row at most 65,535 count
   * @throws RangeError for a row below the last
   */
  add(row: number, word: number, count: number): void;
  /** How much was added; nothing may be added afterwards. */
  sizes(): PostingSizes;
  /**
   * What was added; nothing may be added afterwards.
   *
   * @param room where codes and tables are to lie, all zero and as large as `sizes` says
   */
  done(room?: Pick<CodedPostings, "codes" | "tiles">): CodedPostings;
}

export interface PostingSizes {
  readonly codes: number;
  /** Entries of all tables. */
  readonly tiles: number;
  /** In how many rows each word stands. */
  readonly found: Uint32Array;
}

/** What is collected until all is there: each posting as its word and its units, row after row. */
interface Collected {
  readonly unit: number;
  readonly pieces: Uint32Array<ArrayBuffer>[];
  /** Postings in the last of the pieces. */
  inLast: number;
  /** Rows that have words, and how many each. */
  readonly rows: Grown;
  readonly sizes: Grown;
  /** In how many rows each word stands. */
  readonly found: Grown;
  /** Of each word: one more than the row that had it last, and its place in that row. */
  readonly lastRow: Grown;
  readonly place: Grown;
  readonly large: { readonly rows: Grown; readonly words: Grown; readonly counts: Grown };
}

/** Words and counts of the row that is being added. */
interface OpenRow {
  row: number;
  readonly words: number[];
  readonly counts: number[];
}

/** Postings of a piece: doubled up to what the system takes back as one (32 MB), and never copied. */
const PIECE = { first: 4_096, most: 2 ** 23 };
const MOST_COUNT = 65_535;

/** @param size rows that there may be @param unit what each count is a multiple of */
export function postingCoder(size: number, unit: number): PostingCoder {
  if (size > MOST_ROWS) throw new RangeError(`${size} rows are more than ${MOST_ROWS}`);
  const all: Collected = {
    ...{ unit, pieces: [new Uint32Array(PIECE.first)], inLast: 0 },
    ...{ rows: grown(), sizes: grown(), found: grown(), lastRow: grown(), place: grown() },
    large: { rows: grown(), words: grown(), counts: grown() },
  };
  const open: OpenRow = { row: 0, words: [], counts: [] };
  let known: WordPlaces | null = null;
  const places = () => {
    closeRow(all, open);
    known ??= placesOf(all.found.taken(), Math.ceil(size / TILE));
    return known;
  };
  return {
    add(row, word, count) {
      if (row !== open.row) {
        if (row < open.row) throw new RangeError(`row ${row} after row ${open.row}`);
        closeRow(all, open);
        open.row = row;
      }
      addWord(all, open, word, count);
    },
    sizes() {
      const { starts, entries, found } = places();
      return { codes: starts.at(-1) ?? 0, tiles: entries, found };
    },
    done(room) {
      const of = places();
      const own = () => ({ codes: new Uint16Array(of.starts.at(-1) ?? 0), tiles: new Uint32Array(of.entries) });
      return placed(all, of, room ?? own());
    },
  };
}

function addWord({ found, lastRow, place }: Collected, { row, words, counts }: OpenRow, word: number, count: number) {
  while (found.size() <= word) {
    found.push(0);
    lastRow.push(0);
    place.push(0);
  }
  if (lastRow.get(word) === row + 1) {
    const at = place.get(word);
    counts[at] = Math.min(MOST_COUNT, (counts[at] ?? 0) + count);
    return;
  }
  lastRow.set(word, row + 1);
  place.set(word, words.length);
  found.set(word, found.get(word) + 1);
  words.push(word);
  counts.push(Math.min(MOST_COUNT, count));
}

function closeRow(all: Collected, { row, words, counts }: OpenRow): void {
  if (words.length === 0) return;
  all.rows.push(row);
  all.sizes.push(words.length);
  for (let at = 0; at < words.length; at += 1) {
    const [word = 0, count = 0] = [words[at], counts[at]];
    const units = count / all.unit;
    const fits = units >= 1 && units <= CODE.mostUnits && Number.isInteger(units);
    if (!fits) {
      all.large.rows.push(row);
      all.large.words.push(word);
      all.large.counts.push(count);
    }
    pieceWithRoom(all)[all.inLast] = word * (CODE.mostUnits + 1) + (fits ? units : 0);
    all.inLast += 1;
  }
  words.length = 0;
  counts.length = 0;
}

function pieceWithRoom(all: Collected): Uint32Array {
  const last = all.pieces.at(-1) ?? new Uint32Array();
  if (all.inLast < last.length) return last;
  const next = new Uint32Array(Math.min(PIECE.most, last.length * 2));
  all.pieces.push(next);
  all.inLast = 0;
  return next;
}

/** Every posting to its word, in the order of the rows. */
function placed(
  { unit, pieces, rows, sizes, large }: Collected,
  { starts, tables, tileCount }: WordPlaces,
  { codes, tiles }: Pick<CodedPostings, "codes" | "tiles">,
): CodedPostings {
  beginTables(tiles, starts, tables);
  const to: Places = { codes, tables, tiles, next: starts.slice() };
  let [turn, left] = [0, sizes.get(0)];
  for (const piece of pieces) {
    let at = 0;
    while (at < piece.length && turn < rows.size()) {
      const end = Math.min(piece.length, at + left);
      placeRow(piece, at, end, rows.get(turn), to);
      left -= end - at;
      at = end;
      if (left > 0) continue;
      turn += 1;
      left = turn < rows.size() ? sizes.get(turn) : 0;
    }
    // Given back at once: nothing is allocated here that would make the collector look.
    piece.buffer.transfer(0);
  }
  fillTiles(tiles, tileCount);
  return { starts, codes, tables, tiles, unit, large: byWord(large) };
}

/** From the order of their rows. */
function byWord(large: Collected["large"]): CodedPostings["large"] {
  const [rows, words, counts] = [large.rows.taken(), large.words.taken(), large.counts.taken()];
  const order = Uint32Array.from(rows.keys()).sort(
    (one, other) => (words[one] ?? 0) - (words[other] ?? 0) || one - other,
  );
  return {
    rows: order.map((at) => rows[at] ?? 0),
    words: order.map((at) => words[at] ?? 0),
    counts: Uint16Array.from(order, (at) => counts[at] ?? 0),
  };
}

interface WordPlaces extends Pick<CodedPostings, "starts" | "tables"> {
  readonly tileCount: number;
  /** Of all tables. */
  readonly entries: number;
  readonly found: Uint32Array;
}

interface Places extends Pick<CodedPostings, "codes" | "tables" | "tiles"> {
  /** Where the next code of each word goes. */
  readonly next: Uint32Array;
}

/** Postings of one row. */
function placeRow(
  piece: Uint32Array,
  from: number,
  end: number,
  row: number,
  { codes, tables, tiles, next }: Places,
): void {
  const tile = Math.floor(row / TILE);
  const place = (row % TILE) << CODE.rowShift;
  for (let at = from; at < end; at += 1) {
    const posting = piece[at] ?? 0;
    const word = posting >>> CODE.rowShift;
    const table = tables[word] ?? 0;
    let to = next[word] ?? 0;
    if (table === 0) {
      codes[to] = tile;
      to += 1;
    } else tiles[table + tile] = to + 1;
    codes[to] = place | (posting & CODE.mostUnits);
    next[word] = to + 1;
  }
}

/** Where each word's codes begin, and its table if it has one. */
function placesOf(found: Uint32Array, tileCount: number): WordPlaces {
  const starts = new Uint32Array(found.length + 1);
  const tables = new Uint32Array(found.length);
  let entries = 0;
  for (let word = 0; word < found.length; word += 1) {
    const rows = found[word] ?? 0;
    const hasTable = isWorthTable(rows, tileCount);
    if (hasTable) {
      tables[word] = entries + 1;
      entries += tileCount + 1;
    }
    starts[word + 1] = (starts[word] ?? 0) + (hasTable ? rows : rows * 2);
  }
  return { starts, tables, tileCount, entries, found };
}

/** The first entry of each table. */
function beginTables(tiles: Uint32Array, starts: Uint32Array, tables: Uint32Array): void {
  for (let word = 0; word < tables.length; word += 1) {
    const table = tables[word] ?? 0;
    if (table > 0) tiles[table - 1] = starts[word] ?? 0;
  }
}

/** A tile in which a word does not stand ends where the tile before it ends. */
function fillTiles(tiles: Uint32Array, tileCount: number): void {
  for (let table = 0; table < tiles.length; table += tileCount + 1) {
    for (let tile = 1; tile <= tileCount; tile += 1) {
      if (tiles[table + tile] === 0) tiles[table + tile] = tiles[table + tile - 1] ?? 0;
    }
  }
}
