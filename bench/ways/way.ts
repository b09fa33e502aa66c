// One way to search what the benchmark remembers. A row more in the table: a file with a `Maker` beside this one, and its line in
// all-ways.ts.

/** The searched repository's rows, in order; row numbers count from 0. */
export interface Stored {
  readonly rows: number;
  readonly dimension: number;
  /** Unit vectors, one after another. */
  readonly vectors: Float32Array;
  readonly texts: readonly string[];
  readonly languages: readonly string[];
}

export interface Way {
  /** Numbers of the k nearest rows, nearest first; only of one language where one is given. Absent: it has no vectors. */
  readonly nearest?: (
    vector: Float32Array,
    k: number,
    language: string | null,
  ) => readonly number[] | Promise<readonly number[]>;
  /** False where a filter by language cannot be asked of it. */
  readonly filters: boolean;
  /** Numbers of the k best rows by words. Absent: it has no words. */
  readonly matching?: (text: string, k: number) => readonly number[] | Promise<readonly number[]>;
  /** Bytes on disk; null when it keeps everything in memory. */
  readonly diskBytes: number | null;
  close(): void | Promise<void>;
}

export interface Maker {
  readonly name: string;
  /** The package in bench/package.json that it needs, or null. */
  readonly needs: string | null;
  /** It is not tried with more rows: `why` says what was seen. */
  readonly mostRows: { readonly rows: number; readonly why: string } | null;
  /** @param folder empty, its own */
  make(stored: Stored, folder: string): Promise<Way>;
}
