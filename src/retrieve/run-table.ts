// Runs of letters that were split into words before. The texts of one search hold some 40,000 runs, most of them met already,
// by this search or the one before: splitting one and cutting its words to their stems takes far longer than finding it.

export interface RunTable {
  /**
   * Looks for the run bytes[start … end] of ASCII; what is told of it under the number that is given back holds until the
   * next one is looked for.
   *
   * @param hash by `nextHash` over its bytes
   */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number;
  /** What is in the run: the number of its word, NO_WORD, or less than that for `several`. */
  wordIn(run: number): number;
  several(word: number): readonly number[];
  /** The number of the run itself, in lower case, as a word. */
  asItStands(run: number): number;
  /** Of any text, the numbers of its words. */
  ofText(text: string): readonly number[];
  /** The number of a word, be it of a text or not. */
  numberOf(word: string): number;
  wordOf(number: number): string;
  /** Words have numbers from 0 on, in the order in which they were met: so many by now. */
  words(): number;
  /** Bytes of the runs that are kept. */
  bytes(): number;
}

export const NO_WORD = -1;
const SEVERAL = -2;

/** FNV-1a, a byte at a time. */
export const FIRST_HASH: number = 0x811c9dc5 | 0;
export const nextHash = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);

/** Places looked at for a run before it counts as not kept: text that was made to collide must not take long. */
const MOST_PLACES = 8;
const FIRST_SLOTS = 1 << 14;
/**
 * Of a slot: two numbers by which the run is known, and two that are told of it. A short run is known by its bytes themselves, which
 * saves looking elsewhere; a longer one by its hash, and by where its bytes begin, less than 0: no four bytes of ASCII are. Both
 * are 0 where the slot is free.
 */
const [HEAD, TAIL, WORD, STANDING] = [0, 1, 2, 3];
const WIDTH = 4;
const SHORT = 8;

/** A longer run is split anew each time. */
const LONGEST_KEPT = 100;
/** In place of the slot of a run that is not kept. */
const PASSING = -1;

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
  // Of runs that are not kept: told of one at a time, so that they take no room.
  let passed: { readonly run: string; readonly words: readonly number[] } = { run: "", words: [] };
  const pass = (run: string) => {
    passed = { run, words: ofText(run) };
    return PASSING;
  };
  /** Where in the pool its bytes begin, and a zero behind them. */
  const stored = (bytes: Uint8Array, start: number, to: number) => {
    const begin = end;
    end += to - start + 1;
    if (end > pool.length) pool = twice(pool);
    pool.set(bytes.subarray(start, to), begin);
    return begin;
  };
  const keep = (bytes: Uint8Array, start: number, to: number, hash: number) => {
    const run = asciiOf(bytes, start, to);
    if (run.length > LONGEST_KEPT) return pass(run);
    if (taken * 2 * WIDTH > slots.length) slots = larger(slots);
    const slot = freeSlot(slots, hash);
    if (slot < 0) return pass(run);
    const word = foundIn(split(run).map(numberOf), (read) => SEVERAL - lists.push(read));
    const lower = run.toLowerCase();
    slots[slot + HEAD] = headOf(bytes, start, to, hash);
    slots[slot + TAIL] = run.length > SHORT ? ~stored(bytes, start, to) : tailOf(bytes, start, to);
    slots[slot + WORD] = word;
    slots[slot + STANDING] = words[word] === lower ? word : numberOf(lower);
    taken += 1;
    kept += run.length;
    return slot;
  };
  return {
    find(bytes, start, to, hash) {
      const slot = slotHolding(slots, pool, bytes, start, to, hash);
      return slot >= 0 ? slot : keep(bytes, start, to, hash);
    },
    wordIn: (run) => (run === PASSING ? foundIn(passed.words, () => SEVERAL) : (slots[run + WORD] ?? NO_WORD)),
    several: (word) => (word === SEVERAL ? passed.words : (lists[SEVERAL - 1 - word] ?? [])),
    asItStands: (run) => (run === PASSING ? numberOf(passed.run.toLowerCase()) : (slots[run + STANDING] ?? NO_WORD)),
    ofText,
    numberOf,
    wordOf: (number) => words[number] ?? "",
    words: () => words.length,
    bytes: () => kept + others.size * 100,
  };
}

/** The only one of a run's words, or NO_WORD, or what several are told by. */
function foundIn(words: readonly number[], several: (words: readonly number[]) => number): number {
  return words.length < 2 ? (words[0] ?? NO_WORD) : several(words);
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

/** At most four bytes as one number. */
function packed(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let at = to - 1; at >= from; at -= 1) number = (number << 8) | (bytes[at] ?? 0);
  return number;
}

/** The hash of the run in a slot. */
function hashIn(slots: Int32Array, slot: number): number {
  const [head, tail] = [slots[slot + HEAD] ?? 0, slots[slot + TAIL] ?? 0];
  if (tail < 0) return head;
  let hash = FIRST_HASH;
  for (const four of [head, tail]) for (let left = four; left !== 0; left >>>= 8) hash = nextHash(hash, left & 255);
  return hash;
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
  const last = slots.length - 1;
  const head = headOf(bytes, start, to, hash);
  let slot = slotOf(hash, last);
  for (let place = 0; place < MOST_PLACES && !isFree(slots, slot); place += 1) {
    if (slots[slot + HEAD] === head && isTail(slots[slot + TAIL] ?? 0, pool, bytes, start, to)) return slot;
    slot = (slot + WIDTH) & last;
  }
  return -1;
}

function headOf(bytes: Uint8Array, start: number, to: number, hash: number): number {
  return to - start > SHORT ? hash : packed(bytes, start, Math.min(to, start + 4));
}

function tailOf(bytes: Uint8Array, start: number, to: number): number {
  return packed(bytes, start + 4, to);
}

/** Of a slot whose head is that of the run. */
function isTail(tail: number, pool: Uint8Array, bytes: Uint8Array, start: number, to: number): boolean {
  if (to - start <= SHORT) return tail === tailOf(bytes, start, to);
  return tail < 0 && isAlike(pool, ~tail, bytes, start, to);
}

/** The zero behind what is stored tells it from what is longer. */
function isAlike(pool: Uint8Array, begin: number, bytes: Uint8Array, start: number, to: number): boolean {
  for (let at = start; at < to; at += 1) if (pool[begin + at - start] !== bytes[at]) return false;
  return pool[begin + to - start] === 0;
}

function isFree(slots: Int32Array, slot: number): boolean {
  return slots[slot + HEAD] === 0 && slots[slot + TAIL] === 0;
}

/** -1 where none is near enough. */
function freeSlot(slots: Int32Array, hash: number): number {
  const last = slots.length - 1;
  let slot = slotOf(hash, last);
  for (let place = 0; place < MOST_PLACES; place += 1) {
    if (isFree(slots, slot)) return slot;
    slot = (slot + WIDTH) & last;
  }
  return -1;
}

/** Runs that find no place in the larger table are met as new ones again. */
function larger(slots: Int32Array): Int32Array<ArrayBuffer> {
  const all = new Int32Array(slots.length * 2);
  for (let at = 0; at < slots.length; at += WIDTH) {
    if (isFree(slots, at)) continue;
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
