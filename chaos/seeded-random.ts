// Repeatable random numbers: the same seed gives the same sequence.
import { fnv1a } from "../src/domain/text/hash.ts";

export interface SeededRandom {
  /** 0 ≤ x < 1. */
  next(): number;
  /** A whole number, 0 ≤ x < n. */
  below(n: number): number;
  /** low ≤ x < high. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T;
  /** SeededRandom of their own: throws of one part of the harness do not shift those of another. */
  fork(name: string): SeededRandom;
}

/** @param seed any text or number */
export function seededRandom(seed: string | number): SeededRandom {
  let state = fnv1a(String(seed));
  // mulberry32, by Tommy Ettinger: public domain, 32 bits of state, passes gjrand.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    next,
    below,
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    fork: (name) => seededRandom(`${seed}/${name}`),
  };
}
