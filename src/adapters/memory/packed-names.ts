// Names of rows as bytes, one after the other: a million strings take four times the memory, and the collector goes through them.

export interface Names {
  /** Undefined where there is no such row. */
  at(row: number): string | undefined;
  readonly bytes: number;
}

export interface NamesFilling {
  add(name: string): void;
  /** The names in the order in which they were added; none may be added afterwards. */
  done(): Names;
}

/** What most names take. */
const USUAL = 16;

/** @param most names that there will be */
export function namesFilling(most: number): NamesFilling {
  const ends = new Uint32Array(most);
  let bytes = Buffer.alloc(most * USUAL);
  let [count, size] = [0, 0];
  return {
    add(name) {
      const length = Buffer.byteLength(name);
      if (size + length > bytes.length) bytes = Buffer.concat([bytes], Math.ceil((size + length) * GROWTH));
      bytes.write(name, size);
      size += length;
      ends[count] = size;
      count += 1;
    },
    done() {
      const packed = Buffer.from(new Uint8Array(bytes.subarray(0, size)).buffer);
      return {
        at: (row) =>
          row >= 0 && row < count ? packed.toString("utf8", row === 0 ? 0 : ends[row - 1], ends[row]) : undefined,
        bytes: packed.length + ends.byteLength,
      };
    },
  };
}

const GROWTH = 1.25;
