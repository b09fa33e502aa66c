// One way to search the memories of the benchmark. For another row in the table add a file with a
// `Maker` and list it in all-ways.ts.

/**
 * The searched repository's rows, in order; row numbers count from 0. They lie on disk: a million
 * do not fit beside what is measured.
 */
export interface Stored {
  readonly rows: number;
  readonly dimension: number;
  readonly languages: readonly string[];
  /** Unit vectors of so many rows from `first` on, one after another; a buffer of its own. */
  vectors(first: number, count: number): Float32Array;
  /** Texts of so many rows from `first` on. */
  texts(first: number, count: number): readonly string[];
}

export interface Engine {
  /**
   * Numbers of the k nearest rows, nearest first; only of one language where one is given. Absent:
   * it has no vectors.
   */
  readonly nearest?: (
    vector: Float32Array,
    k: number,
    language: string | null,
  ) => readonly number[] | Promise<readonly number[]>;
  /**
   * The same for all queries of a review in one call, without a filter. Absent: they are asked one
   * after another.
   */
  readonly nearestAll?: (vectors: readonly Float32Array[], k: number) => readonly (readonly number[])[];
  /** False where a filter by language cannot be asked of it. */
  readonly filters: boolean;
  /** Numbers of the k best rows by words. Absent: it has no words. */
  readonly matching?: (text: string, k: number) => readonly number[] | Promise<readonly number[]>;
  /** Bytes on disk; null when it keeps everything in memory. */
  readonly diskBytes: number | null;
  close(): void | Promise<void>;
}

/** Where a way builds. */
export interface Place {
  /** Its own: empty, or with what it built there for the same rows. */
  readonly folder: string;
  /** The same for the same rows, another for others: what a database's schema is called. */
  readonly name: string;
  /** Of the rows: what was built for others is not taken. */
  readonly fingerprint: string;
  /** What it builds there is taken again by the next run. */
  readonly stays: boolean;
}

export interface Maker {
  readonly name: string;
  /** It is not tried with more rows; null for any number. */
  readonly mostRows: number | null;
  /** Builds in an empty place. */
  make(stored: Stored, place: Place): Promise<Engine>;
  /**
   * Opens what `make` built there before, or null when it is not there any more. Absent: it lives
   * in memory and is built each time.
   */
  readonly open?: (stored: Stored, place: Place) => Promise<Engine | null>;
}

/** Batches of rows: [first, count]. */
export function* batchesOf(rows: number, size: number): Generator<readonly [first: number, count: number]> {
  for (let first = 0; first < rows; first += size) yield [first, Math.min(size, rows - first)];
}

/**
 * One signed byte a component, scaled so that the largest fills the range: cosine does not depend
 * on a vector's length.
 *
 * @param vectors of the dimension, one after another; none all zero
 */
export function int8Codes(vectors: Float32Array, dimension: number): Int8Array {
  const codes = new Int8Array(vectors.length);
  for (let from = 0; from < vectors.length; from += dimension) {
    let largest = 0;
    for (let at = from; at < from + dimension; at += 1) largest = Math.max(largest, Math.abs(vectors[at] ?? 0));
    for (let at = from; at < from + dimension; at += 1) codes[at] = Math.round(((vectors[at] ?? 0) / largest) * 127);
  }
  return codes;
}
