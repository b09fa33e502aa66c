// The search's port to a store. One search makes all its queries in one snapshot, so that all parts
// of an answer have the same version.
import type { Corpus, EmbeddingSpace, Outcome, RepoKey } from "../domain/memory.ts";
import type { MemoryFilter, Scope } from "../domain/retrieval.ts";

export interface Admitted {
  /** The store's id; never reused. */
  readonly id: number;
  /** Changes with every write to the repository. */
  readonly version: number;
  /** True for the scope's own repository, false for one of the pool. */
  readonly isOwn: boolean;
  /** Rows that are not stale. */
  readonly rows: number;
}

/** The fields of a row for scopes and filters, and its terms (search/terms.ts). */
export interface SearchRow {
  /** The store's id, ascending by the time of the first write; never reused. */
  readonly id: number;
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
  /** The version of its last write. */
  readonly changed: number;
  readonly terms: Uint8Array;
}

/** Cursor in the order of (changed, id): the last row read. */
export type ChangedAfter = Pick<SearchRow, "changed" | "id">;

export interface RowCode {
  readonly id: number;
  readonly code: Int8Array;
}

/** A row with its cosine distance to each of the queries, 0–2, up to rounding. */
interface RowDistances {
  readonly id: number;
  readonly mem: string;
  /** The store's id of its repository. */
  readonly repo: number;
  readonly distances: readonly number[];
}

/** Rows that are not stale. Methods throw as in Recall. */
export interface Rows {
  /** @throws RangeError for a malformed scope */
  admitted(scope: Scope): Promise<readonly Admitted[]>;
  /** Ids of the rows of a repository, ascending. */
  living(repository: number): Promise<readonly number[]>;
  /** At most `most` rows with an id above `oldest`, by (changed, id), after the cursor. */
  changed(repository: number, after: ChangedAfter, oldest: number, most: number): Promise<readonly SearchRow[]>;
  /** The id after which the newest `most` rows of a repository begin. */
  newest(repository: number, most: number): Promise<number>;
  /** The store's id of an embedding space; null while it has no vector. */
  space(space: EmbeddingSpace): Promise<number | null>;
  /** At most `most` vectors of a space, by id, after `after`. */
  codes(repository: number, space: number, after: number, most: number): Promise<readonly RowCode[]>;
  codesOf(repository: number, space: number, ids: readonly number[]): Promise<readonly RowCode[]>;
  /** How many rows of the repositories have vectors of other spaces, and of which. */
  staleEmbeddings(
    repositories: readonly Admitted[],
    space: number | null,
  ): Promise<{ readonly rows: number; readonly models: readonly string[] }>;
  /** How many vectors of the space are damaged: another number of components, or all zero. */
  damaged(repositories: readonly Admitted[], space: number, dimension: number): Promise<number>;
  /** The distances of all rows in scope, computed by the database; without damaged vectors. */
  distances(
    scope: Scope,
    filter: MemoryFilter,
    space: number,
    codes: readonly Int8Array[],
  ): Promise<readonly RowDistances[]>;
  version(repo: RepoKey): Promise<number>;
}

export interface RowSource {
  snapshot<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
}
