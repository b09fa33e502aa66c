// Rows on their way from one database to another, as bytes: each field in the form in which PostgreSQL takes it and gives it back, so that
// what was sent and what is kept can be compared by their digests alone.
import type { MovedKind, MovedRow, MovedTable } from "./moved-tables.ts";

export interface MovedPage {
  readonly rows: number;
  /** Row after row the fields in the order of the columns: how many bytes (four bytes, −1 for null), then these. */
  readonly bytes: Uint8Array;
  /** Where each field begins, and last where the last one ends. */
  readonly starts: Uint32Array;
}

const NULL = -1;
const TEXT = new TextEncoder();
/** UTF-8 takes three bytes at most for what JavaScript counts as one. */
const MOST_PER_UNIT = 3;
/** The first byte of every jsonb that is sent. */
const JSONB_VERSION = 1;

/** The rows of a table as bytes. Texts must be well-formed and without U+0000. */
export function movedPage({ columns }: MovedTable, rows: readonly MovedRow[]): MovedPage {
  const kinds = Object.values(columns);
  const paper = newPaper();
  const starts = new Uint32Array(rows.length * kinds.length + 1);
  let field = 0;
  for (const row of rows)
    for (const [at, kind] of kinds.entries()) {
      starts[field++] = paper.at();
      write(paper, kind, row[at] ?? null);
    }
  starts[field] = paper.at();
  return { rows: rows.length, bytes: paper.written(), starts };
}

/** Where a page's bytes are put one after the other; it grows. */
interface Paper {
  at(): number;
  /** Room for so many bytes, with the place at which they may be written; `take` says how many of them were. */
  room(bytes: number): { readonly bytes: Uint8Array; readonly view: DataView; readonly at: number };
  take(bytes: number): void;
  written(): Uint8Array;
}

function newPaper(): Paper {
  let bytes = new Uint8Array(65_536);
  let view = new DataView(bytes.buffer);
  let at = 0;
  return {
    at: () => at,
    room(more) {
      if (at + more > bytes.length) {
        const larger = new Uint8Array(Math.max(bytes.length * 2, at + more));
        larger.set(bytes);
        bytes = larger;
        view = new DataView(larger.buffer);
      }
      return { bytes, view, at };
    },
    take(more) {
      at += more;
    },
    written: () => bytes.subarray(0, at),
  };
}

function write(paper: Paper, kind: MovedKind, value: MovedRow[number]): void {
  if (value === null) {
    const { view, at } = paper.room(4);
    view.setInt32(at, NULL);
    paper.take(4);
  } else if (typeof value === "string") writeText(paper, value, null);
  else if (typeof value === "boolean") writeBytes(paper, Uint8Array.of(value ? 1 : 0));
  else if (typeof value === "number") writeNumber(paper, kind, value);
  else if (value instanceof Uint8Array) writeBytes(paper, value, headOf(kind, value));
  // With a space after each comma, as it is given back.
  else writeText(paper, `[${value.map((text) => JSON.stringify(text)).join(", ")}]`, JSONB_VERSION);
}

function writeText(paper: Paper, text: string, first: number | null): void {
  const before = first === null ? 4 : 5;
  const { bytes, view, at } = paper.room(before + text.length * MOST_PER_UNIT);
  const { written } = TEXT.encodeInto(text, bytes.subarray(at + before));
  view.setInt32(at, written + before - 4);
  if (first !== null) view.setUint8(at + 4, first);
  paper.take(before + written);
}

function writeNumber(paper: Paper, kind: MovedKind, value: number): void {
  const { view, at } = paper.room(12);
  view.setInt32(at, 8);
  if (kind === "real") view.setFloat64(at + 4, value);
  else {
    // As two halves: a bigint for each number takes longer than all else.
    view.setInt32(at + 4, Math.floor(value / 2 ** 32));
    view.setUint32(at + 8, value % 2 ** 32);
  }
  paper.take(12);
}

function writeBytes(paper: Paper, value: Uint8Array, head: readonly number[] = []): void {
  const { bytes, view, at } = paper.room(4 + head.length + value.length);
  view.setInt32(at, head.length + value.length);
  bytes.set(head, at + 4);
  bytes.set(value, at + 4 + head.length);
  paper.take(4 + head.length + value.length);
}

/** Of a vector how many components (two bytes) and two that are not used; of signs how many (four bytes). */
function headOf(kind: MovedKind, { length }: Uint8Array): readonly number[] {
  if (kind === "vector") return [length >> 9, (length >> 1) & 255, 0, 0];
  const signs = length * 8;
  return kind === "signs" ? [signs >>> 24, (signs >> 16) & 255, (signs >> 8) & 255, signs & 255] : [];
}
