// A Uint32Array that doubles when full: ordinary arrays of ten million numbers take several times the memory.

export interface Grown {
  push(value: number): void;
  get(at: number): number;
  set(at: number, value: number): void;
  size(): number;
  /** What was pushed, in an array of just that size. */
  taken(): Uint32Array;
}

export function grown(): Grown {
  let values = new Uint32Array(64);
  let size = 0;
  return {
    push(value) {
      if (size === values.length) {
        const larger = new Uint32Array(size * 2);
        larger.set(values);
        values = larger;
      }
      values[size] = value;
      size += 1;
    },
    get: (at) => values[at] ?? 0,
    set(at, value) {
      values[at] = value;
    },
    size: () => size,
    taken: () => values.slice(0, size),
  };
}
