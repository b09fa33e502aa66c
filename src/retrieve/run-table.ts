// Runs of letters that were split into words before. The texts of one search hold some 40,000 runs, most of them met already,
// by this search or the one before: splitting one and cutting its words to their stems takes far longer than finding it.

export interface RunTable {
  /**
   * What is in the run bytes[start … end] of ASCII: the number of its word, NO_WORD, or less than that for several, which
   * `several` tells until the next run is looked for.
   *
   * @param hash by `nextHash` over its bytes
   */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number;
  several(found: number): readonly number[];
  /** Of any text, the numbers of its words. */
  ofText(text: string): readonly number[];
  wordOf(number: number): string;
  /** Words have numbers from 0 on, in the order in which they were met: so many by now. */
  words(): number;
  /** Bytes of the runs that are kept. */
  bytes(): number;
}

export const NO_WORD = -1;
const PASSED = -2;

/** FNV-1a, a byte at a time. */
export const FIRST_HASH: number = 0x811c9dc5 | 0;
export const nextHash = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);

/** Places looked at for a run before it counts as not kept: text that was made to collide must not take long. */
const MOST_PLACES = 8;
const FIRST_SLOTS = 1 << 14;
/**
 * Of a slot: two numbers by which the run is known, how many bytes it has (0 where the slot is free), and what was found. A short run
 * is known by its bytes themselves, which saves looking elsewhere; a longer one by its hash, and by where its bytes begin.
 */
const [HEAD, TAIL, LENGTH, FOUND] = [0, 1, 2, 3];
const WIDTH = 4;
const SHORT = 8;

/** A longer run is split anew each time. */
const LONGEST_KEPT = 100;

/**
 * Without a run in it. It only grows.
 *
 * @param split a text to its words; the words of a text must be those of its runs, one after another
 */
export function runTable(split: (text: string) => readonly string[]): RunTable {
  const { words, numberOf } = numbering();
  const lists: (readonly number[])[] = [];
  // What found no place: text made to collide, and what is not ASCII.
  const others = new Map<string, readonly number[]>();
  let slots = new Int32Array(FIRST_SLOTS * WIDTH);
  let pool = new Uint8Array(1 << 16);
  let [taken, end, kept] = [0, 0, 0];

  const ofText = (text: string) => {
    const known = others.get(text);
    if (known !== undefined) return known;
    const read = split(text).map(numberOf);
    if (text.length <= LONGEST_KEPT) others.set(text, read);
    return read;
  };
  const foundIn = (read: readonly number[]) => {
    if (read.length < 2) return read[0] ?? NO_WORD;
    lists.push(read);
    return PASSED - lists.length;
  };
  // Of runs that are not kept: told of one at a time, so that they take no room.
  let passed: readonly number[] = [];
  const passing = (run: string) => {
    passed = ofText(run);
    return passed.length < 2 ? (passed[0] ?? NO_WORD) : PASSED;
  };
  /** Where in the pool its bytes begin. */
  const stored = (bytes: Uint8Array, start: number, to: number) => {
    const begin = end;
    end += to - start;
    if (end > pool.length) pool = twice(pool);
    pool.set(bytes.subarray(start, to), begin);
    return begin;
  };
  const keep = (bytes: Uint8Array, start: number, to: number, hash: number) => {
    const run = asciiOf(bytes, start, to);
    if (run.length > LONGEST_KEPT) return passing(run);
    if (taken * 2 * WIDTH > slots.length) slots = larger(slots);
    const slot = freeSlot(slots, hash);
    if (slot < 0) return passing(run);
    const tail = run.length > SHORT ? stored(bytes, start, to) : tailOf(bytes, start, to);
    const found = foundIn(split(run).map(numberOf));
    slots.set([headOf(bytes, start, to, hash), tail, run.length, found], slot);
    taken += 1;
    kept += run.length;
    return found;
  };
  return {
    find(bytes, start, to, hash) {
      const slot = slotHolding(slots, pool, bytes, start, to, hash);
      if (slot >= 0) return slots[slot + FOUND] ?? NO_WORD;
      return keep(bytes, start, to, hash);
    },
    several: (found) => (found === PASSED ? passed : (lists[PASSED - 1 - found] ?? [])),
    ofText,
    wordOf: (number) => words[number] ?? "",
    words: () => words.length,
    bytes: () => kept + others.size * 100,
  };
}

function numbering() {
  const words: string[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (word: string) => {
    const known = numbers.get(word);
    if (known !== undefined) return known;
    numbers.set(word, words.length);
    return words.push(word) - 1;
  };
  return { words, numberOf };
}

/** The high bits of a hash differ more than its low ones. */
function slotOf(hash: number, last: number): number {
  return ((hash ^ (hash >>> 15)) * WIDTH) & last;
}

function asciiOf(bytes: Uint8Array, start: number, to: number): string {
  let text = "";
  for (let at = start; at < to; at += 1) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}

function headOf(bytes: Uint8Array, start: number, to: number, hash: number): number {
  return to - start > SHORT ? hash : packed(bytes, start, Math.min(to, start + 4));
}

function tailOf(bytes: Uint8Array, start: number, to: number): number {
  return packed(bytes, start + 4, to);
}

/** At most four bytes as one number. */
function packed(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let at = to - 1; at >= from; at -= 1) number = (number << 8) | (bytes[at] ?? 0);
  return number;
}

/** The hash of the run in a slot. */
function hashIn(slots: Int32Array, slot: number): number {
  const length = slots[slot + LENGTH] ?? 0;
  if (length > SHORT) return slots[slot + HEAD] ?? 0;
  let hash = FIRST_HASH;
  for (let at = 0; at < length; at += 1) {
    const four = slots[slot + (at < 4 ? HEAD : TAIL)] ?? 0;
    hash = nextHash(hash, (four >>> (8 * (at % 4))) & 255);
  }
  return hash;
}

function isAlike(pool: Uint8Array, begin: number, bytes: Uint8Array, start: number, to: number): boolean {
  for (let at = start; at < to; at += 1) if (pool[begin + at - start] !== bytes[at]) return false;
  return true;
}

/** Of a slot whose head and length are those of the run. */
function isTail(tail: number, pool: Uint8Array, bytes: Uint8Array, start: number, to: number): boolean {
  return to - start > SHORT ? isAlike(pool, tail, bytes, start, to) : tail === tailOf(bytes, start, to);
}

/** -1 where no slot holds the run. */
function slotHolding(
  slots: Int32Array,
  pool: Uint8Array,
  bytes: Uint8Array,
  start: number,
  to: number,
  hash: number,
): number {
  const [last, length] = [slots.length - 1, to - start];
  const head = headOf(bytes, start, to, hash);
  let slot = slotOf(hash, last);
  for (let place = 0; place < MOST_PLACES && slots[slot + LENGTH] !== 0; place += 1) {
    const mayBe = slots[slot + HEAD] === head && slots[slot + LENGTH] === length;
    if (mayBe && isTail(slots[slot + TAIL] ?? 0, pool, bytes, start, to)) return slot;
    slot = (slot + WIDTH) & last;
  }
  return -1;
}

/** -1 where none is near enough. */
function freeSlot(slots: Int32Array, hash: number): number {
  const last = slots.length - 1;
  let slot = slotOf(hash, last);
  for (let place = 0; place < MOST_PLACES; place += 1) {
    if (slots[slot + LENGTH] === 0) return slot;
    slot = (slot + WIDTH) & last;
  }
  return -1;
}

/** Runs that find no place in the larger table are met as new ones again. */
function larger(slots: Int32Array): Int32Array<ArrayBuffer> {
  const all = new Int32Array(slots.length * 2);
  for (let at = 0; at < slots.length; at += WIDTH) {
    if (slots[at + LENGTH] === 0) continue;
    const slot = freeSlot(all, hashIn(slots, at));
    if (slot >= 0) all.set(slots.subarray(at, at + WIDTH), slot);
  }
  return all;
}

function twice(pool: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pool.length * 2);
  all.set(pool);
  return all;
}
