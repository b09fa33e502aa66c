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
/** Of a slot: hash, where its bytes begin plus one (0 where it is free), how many they are, and what was found. */
const [HASH, BEGIN, LENGTH, FOUND] = [0, 1, 2, 3];
const WIDTH = 4;

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
  let [taken, end] = [0, 0];

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
  const keep = (bytes: Uint8Array, start: number, to: number, hash: number) => {
    const run = asciiOf(bytes, start, to);
    if (run.length > LONGEST_KEPT) return passing(run);
    if (taken * 2 * WIDTH > slots.length) slots = larger(slots);
    const slot = freeSlot(slots, hash);
    if (slot < 0) return passing(run);
    if (end + run.length > pool.length) pool = twice(pool);
    pool.set(bytes.subarray(start, to), end);
    const found = foundIn(split(run).map(numberOf));
    slots.set([hash, end + 1, run.length, found], slot);
    taken += 1;
    end += run.length;
    return found;
  };
  return {
    find(bytes, start, to, hash) {
      const last = slots.length - 1;
      let slot = slotOf(hash, last);
      for (let place = 0; place < MOST_PLACES; place += 1) {
        const begin = (slots[slot + BEGIN] ?? 0) - 1;
        if (begin < 0) break;
        const isAlike = slots[slot + HASH] === hash && slots[slot + LENGTH] === to - start;
        if (isAlike && isSame(pool, begin, bytes, start, to)) return slots[slot + FOUND] ?? NO_WORD;
        slot = (slot + WIDTH) & last;
      }
      return keep(bytes, start, to, hash);
    },
    several: (found) => (found === PASSED ? passed : (lists[PASSED - 1 - found] ?? [])),
    ofText,
    wordOf: (number) => words[number] ?? "",
    words: () => words.length,
    bytes: () => end + others.size * 100,
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

function isSame(pool: Uint8Array, begin: number, bytes: Uint8Array, start: number, to: number): boolean {
  for (let at = start; at < to; at += 1) if (pool[begin + at - start] !== bytes[at]) return false;
  return true;
}

/** -1 where none is near enough. */
function freeSlot(slots: Int32Array, hash: number): number {
  const last = slots.length - 1;
  let slot = slotOf(hash, last);
  for (let place = 0; place < MOST_PLACES; place += 1) {
    if (slots[slot + BEGIN] === 0) return slot;
    slot = (slot + WIDTH) & last;
  }
  return -1;
}

/** Runs that find no place in the larger table are met as new ones again. */
function larger(slots: Int32Array): Int32Array<ArrayBuffer> {
  const all = new Int32Array(slots.length * 4);
  for (let at = 0; at < slots.length; at += WIDTH) {
    if (slots[at + BEGIN] === 0) continue;
    const slot = freeSlot(all, slots[at + HASH] ?? 0);
    if (slot >= 0) all.set(slots.subarray(at, at + WIDTH), slot);
  }
  return all;
}

function twice(pool: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pool.length * 2);
  all.set(pool);
  return all;
}
