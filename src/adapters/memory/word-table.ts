// Words to numbers 0, 1, 2, … without ever making a string: words are read as bytes and known by two 32-bit hashes.

export interface WordTable {
  /** The number of a word, given when it is new. */
  add(bytes: Uint8Array, start: number, end: number): number;
  /** The number of a word, or −1. */
  find(word: string): number;
  readonly size: () => number;
  readonly bytes: () => number;
}

/**
 * Two words share a number when both hashes agree, which among a million words happens about once in 37 million tables.
 *
 * @param seed any 32-bit number that those who write the words do not know: words that all fall into one place would
 *   otherwise make the table slow
 */
export function wordTable(seed: number): WordTable {
  // Of each slot: first hash, second hash, number + 1 (0 is free), unused. Side by side, so that a look-up is one trip to
  // memory.
  let slots = new Int32Array(1024 * STRIDE);
  let size = 0;
  const double = (): void => {
    const old = slots;
    slots = new Int32Array(old.length * 2);
    for (let from = 0; from < old.length; from += STRIDE) {
      if (old[from + 2] === 0) continue;
      const to = slotOf(slots, old[from] ?? 0, old[from + 1] ?? 0);
      slots.set(old.subarray(from, from + STRIDE), to);
    }
  };
  return {
    add(bytes, start, end) {
      hash(bytes, start, end, seed);
      const { one, other } = hashed;
      const slot = slotOf(slots, one, other);
      const known = slots[slot + 2] ?? 0;
      if (known !== 0) return known - 1;
      slots[slot] = one;
      slots[slot + 1] = other;
      size += 1;
      slots[slot + 2] = size;
      if (size * STRIDE * 2 > slots.length) double();
      return size - 1;
    },
    find(word) {
      if (word.length * MOST_BYTES > written.length) written = new Uint8Array(word.length * MOST_BYTES);
      hash(written, 0, ENCODER.encodeInto(word, written).written, seed);
      return (slots[slotOf(slots, hashed.one, hashed.other) + 2] ?? 0) - 1;
    },
    size: () => size,
    bytes: () => slots.byteLength,
  };
}

const STRIDE = 4;
const ENCODER = new TextEncoder();
/** Of a UTF-16 unit in UTF-8. */
const MOST_BYTES = 3;
/** Written over by each look-up. */
let written = new Uint8Array(256);

/** Where the word of these hashes stands, or would stand. */
function slotOf(slots: Int32Array, one: number, other: number): number {
  const mask = slots.length - 1;
  let slot = (one * STRIDE) & mask;
  while (slots[slot + 2] !== 0 && (slots[slot] !== one || slots[slot + 1] !== other)) slot = (slot + STRIDE) & mask;
  return slot;
}

/** Written over by each call: millions of small arrays would be the greater part of the work. */
const hashed = { one: 0, other: 0 };

/** Two hashes in one pass, each byte mixed in as murmur3 mixes words. */
function hash(bytes: Uint8Array, start: number, end: number, seed: number): void {
  let one = seed | 0;
  let other = ~seed;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    one = Math.imul(one ^ byte, 0x5bd1e995);
    one ^= one >>> 15;
    other = Math.imul(other ^ byte, 0x85ebca6b);
    other ^= other >>> 13;
  }
  one = Math.imul(one ^ (end - start), 0x27d4eb2f);
  hashed.one = one ^ (one >>> 15);
  hashed.other = other;
}
