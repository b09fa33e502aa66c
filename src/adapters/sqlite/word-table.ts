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
  let slots = emptySlots(1024);
  let size = 0;
  const at = (one: number, other: number): number => {
    const mask = slots.numbers.length - 1;
    let slot = one & mask;
    while (slots.numbers[slot] !== -1 && (slots.ones[slot] !== one || slots.others[slot] !== other)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  };
  const put = (one: number, other: number, number: number): void => {
    const slot = at(one, other);
    slots.ones[slot] = one;
    slots.others[slot] = other;
    slots.numbers[slot] = number;
  };
  const double = (): void => {
    const old = slots;
    slots = emptySlots(old.numbers.length * 2);
    old.numbers.forEach((number, slot) => {
      if (number !== -1) put(old.ones[slot] ?? 0, old.others[slot] ?? 0, number);
    });
  };
  return {
    add(bytes, start, end) {
      const [one, other] = hashes(bytes, start, end, seed);
      const known = slots.numbers[at(one, other)] ?? -1;
      if (known !== -1) return known;
      if (size * 2 >= slots.numbers.length) double();
      put(one, other, size);
      size += 1;
      return size - 1;
    },
    find(word) {
      const bytes = new TextEncoder().encode(word);
      const [one, other] = hashes(bytes, 0, bytes.length, seed);
      return slots.numbers[at(one, other)] ?? -1;
    },
    size: () => size,
    bytes: () => slots.numbers.length * 12,
  };
}

interface Slots {
  readonly ones: Int32Array;
  readonly others: Int32Array;
  /** −1 where free. */
  readonly numbers: Int32Array;
}

/** @param count a power of two */
function emptySlots(count: number): Slots {
  return { ones: new Int32Array(count), others: new Int32Array(count), numbers: new Int32Array(count).fill(-1) };
}

/** The pair is written over by the next call: millions of small arrays would be the greater part of the work. */
const pair: [number, number] = [0, 0];

/** Two hashes in one pass, each byte mixed in as murmur3 mixes words. */
function hashes(bytes: Uint8Array, start: number, end: number, seed: number): readonly [number, number] {
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
  pair[0] = one ^ (one >>> 15);
  pair[1] = other;
  return pair;
}
