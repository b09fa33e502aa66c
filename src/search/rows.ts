// What the search asks of a store. All questions of one search are asked in one snapshot, so that no part of an answer belongs to
// another version.
import type { Corpus, EmbeddingSpace, Outcome, RepoKey } from "../domain/memory.ts";
import type { MemoryFilter, Scope } from "../domain/retrieval.ts";

/** A repository that a scope admits. */
export interface Admitted {
  /** The store's own number for it; never used twice. */
  readonly id: number;
  /** Changes with every write to the repository. */
  readonly version: number;
  /** The scope's own, not one of the pool. */
  readonly isOwn: boolean;
  /** Rows that are not stale. */
  readonly rows: number;
}

/** Everything that a scope or filter asks about a row, and its terms (search/terms.ts). */
export interface SearchRow {
  /** The store's own number for it, ascending with the time of its first write; never used twice. */
  readonly id: number;
  /** The record's id. */
  readonly mem: string;
  readonly pull: number | null;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly corpus: Corpus;
  readonly language: string;
  readonly chunkType: string | null;
  readonly category: string | null;
  readonly severity: string | null;
  readonly outcome: Outcome | null;
  readonly path: string | null;
  /** The version that wrote it last. */
  readonly changed: number;
  readonly terms: Uint8Array;
}

/** A place in the order of (changed, id): that of a row that was read last. */
export type ChangedAfter = Pick<SearchRow, "changed" | "id">;

/** A vector by its row. */
export interface RowCode {
  readonly id: number;
  readonly code: Int8Array;
}

/** A vector that is near, by its record. */
export interface NearCode {
  readonly mem: string;
  readonly code: Int8Array;
}

/** Rows that are not stale; stale ones are never seen. Methods throw as Recall says. */
export interface Rows {
  /** @throws RangeError for a scope that is not well-formed */
  admitted(scope: Scope): Promise<readonly Admitted[]>;
  /** Ids of the rows of a repository, ascending. */
  living(repository: number): Promise<readonly number[]>;
  /** Rows with an id above `oldest`, in the order of (changed, id), behind `after`; at most `most`. */
  changed(repository: number, after: ChangedAfter, oldest: number, most: number): Promise<readonly SearchRow[]>;
  /** The id behind which lie the newest `most` rows of a repository. */
  newest(repository: number, most: number): Promise<number>;
  /** The store's number of an embedding space; null while it has no vector. */
  space(space: EmbeddingSpace): Promise<number | null>;
  /** Vectors of a space, by id, behind `after`, at most `most`. */
  codes(repository: number, space: number, after: number, most: number): Promise<readonly RowCode[]>;
  /** Vectors of these rows. */
  codesOf(repository: number, space: number, ids: readonly number[]): Promise<readonly RowCode[]>;
  /** How many rows of the repositories have vectors of other spaces, and of which. */
  staleEmbeddings(
    repositories: readonly Admitted[],
    space: number | null,
  ): Promise<{ readonly rows: number; readonly models: readonly string[] }>;
  /** How many vectors of the space in these repositories are damaged: another number of components, or all zero. */
  damaged(repositories: readonly Admitted[], space: number, dimension: number): Promise<number>;
  /** The k nearest in scope, without damaged ones, in order but for rounding: computed by the database. */
  nearest(scope: Scope, filter: MemoryFilter, space: number, code: Int8Array, k: number): Promise<readonly NearCode[]>;
  version(repo: RepoKey): Promise<number>;
  /** Repositories that were written to last. */
  recent(most: number): Promise<readonly Admitted[]>;
}

/** Gives rows, one snapshot at a time. */
export interface RowSource {
  snapshot<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
}
