// Ports of memory, split by power: Recall reads, Memory writes; embedders and rerankers serve both,
// Tree supplies what is indexed. Methods throw as described in ports.ts.

import type { LoggedRetrieval } from "../domain/figures/logged-retrieval.ts";
import type { RetrievalFigures, StatisticsWindow } from "../domain/figures/retrieval-figures.ts";
import type { Repo } from "../domain/job.ts";
import type {
  Corpus,
  EmbeddedRecord,
  EmbeddingSpace,
  FieldCounts,
  KnownSource,
  MemoryRecord,
  RepoKey,
  WrittenFields,
} from "../domain/memory.ts";
import type {
  ConfidenceEdges,
  KeywordHit,
  MemoryCounts,
  MemoryFilter,
  RerankCandidate,
  Reranked,
  Scope,
  VectorHit,
} from "../domain/retrieval.ts";

export interface Embedded {
  /** In the order of the texts: `Float32Array[dimension]` of unit length, null where it failed. */
  readonly vectors: readonly (Float32Array | null)[];
  readonly tokens: number;
  readonly usd: number;
  /** Texts answered from the cache. */
  readonly cached: number;
  /** Why some vectors are null, in one line without keys or texts; null when none failed. */
  readonly failed: string | null;
}

/** Turns texts into vectors. Never throws: a failed text yields null, and the caller degrades. */
export interface Embedder {
  /** Read it after `embed`: the dimension may be learnt from the first answer, and be 0 before. */
  readonly space: EmbeddingSpace;
  /** Cosine distance below which a memory of this space is relevant; from development data. */
  readonly threshold: number;
  /** The operator's largest relevant distance, if a repository sets none; null: the calibration. */
  readonly operatorThreshold: number | null;
  /** Cosine distance below which two findings make the same claim; null when not measured. */
  readonly sameClaim: number | null;
  /** Distances that bound high, medium and low similarity; null when not measured. */
  readonly confidence: ConfidenceEdges | null;
  /** Weight of its ranks in fusion, relative to words: 1 for a neural embedder, else less. */
  readonly weight: number;
  embed(texts: readonly string[], kind: "query" | "document"): Promise<Embedded>;
}

/** Orders candidates by relevance to a query. Never throws. */
export interface Reranker {
  readonly name: string;
  /** With at most topK candidates it sends no request. */
  rerank(query: string, candidates: readonly RerankCandidate[], topK: number): Promise<Reranked>;
}

/** Receives what degraded an answer: a stable word (`stale-vectors`), and a line without files. */
export type ReportDegraded = (part: string, reason: string) => void;

/** Reads memory, the scope applied inside the search. May fail or take too long; names no file. */
export interface Recall {
  /** Why there is no memory at all, so that every query fails; null while there is memory. */
  readonly off: string | null;
  /**
   * For each vector at most k nearest memories, nearest first. One call for a review's vectors.
   *
   * @throws RangeError for a vector that is not finite, is all zero or has the wrong dimension
   */
  nearest(
    scope: Scope,
    vectors: readonly Float32Array[],
    space: EmbeddingSpace,
    k: number,
    filter: MemoryFilter,
    report?: ReportDegraded,
  ): Promise<readonly (readonly VectorHit[])[]>;
  /** For each text, at most k best memories by BM25 over text, path and identifiers, best first. */
  matching(
    scope: Scope,
    texts: readonly string[],
    k: number,
    filter: MemoryFilter,
    report?: ReportDegraded,
  ): Promise<readonly (readonly KeywordHit[])[]>;
  /** The records of these ids that the scope admits, in the order of the ids. */
  records(scope: Scope, ids: readonly string[]): Promise<readonly MemoryRecord[]>;
  counts(scope: Scope): Promise<MemoryCounts>;
  /** Changes whenever memory in this repository changes: part of cache keys. */
  version(repo: RepoKey): Promise<number>;
}

export interface Memory {
  /**
   * Adds or replaces by id: each row atomically, many rows in several short transactions. It
   * refuses, by id, vectors that are not finite, all zero or of another dimension, and ids of
   * another repository. A row without a vector keeps its stored one if its text is unchanged.
   */
  remember(
    rows: readonly EmbeddedRecord[],
    space: EmbeddingSpace,
  ): Promise<{
    readonly added: number;
    readonly updated: number;
    readonly refused: readonly { readonly id: string; readonly reason: string }[];
  }>;
  /** A corpus's stored sources (all, or of these ids) by id, without text: to detect changes. */
  known(
    repo: RepoKey,
    corpus: Corpus,
    space: EmbeddingSpace,
    sourceIds: readonly string[] | null,
  ): Promise<ReadonlyMap<string, KnownSource>>;
  /** What a model wrote for these memories, by id; without those that no model was asked about. */
  fields(repo: RepoKey, ids: readonly string[]): Promise<ReadonlyMap<string, WrittenFields>>;
  /** How many review memories of a repository have a lesson, and why the others have none. */
  fieldCounts(repo: RepoKey): Promise<FieldCounts>;
  /** Removes rows, vectors and index entries. Returns how many records were removed. */
  forget(repo: RepoKey, ids: readonly string[]): Promise<number>;
  forgetRepository(repo: RepoKey): Promise<number>;
}

/** Logs retrievals; keeps the newest 100,000 of the last 30 days. */
export interface RetrievalLog {
  write(entry: LoggedRetrieval): Promise<void>;
}

export interface RetrievalStatistics {
  read(window: StatisticsWindow): Promise<RetrievalFigures>;
}

export interface TreeFile {
  /** As in git, unquoted, with `/`. */
  readonly path: string;
  /** The blob's hash: equal text has an equal hash at any path. */
  readonly hash: string;
  readonly bytes: number;
}

/** The files of one commit, without symbolic links and submodules. */
export interface Tree {
  /** 40 or 64 hex digits. */
  readonly commit: string;
  /** `incomplete` is why files are missing from the list; null when none are. */
  list(): Promise<{ readonly files: readonly TreeFile[]; readonly incomplete: string | null }>;
  /** UTF-8 texts in the requested order, one at a time; null for a binary file. */
  texts(files: readonly TreeFile[]): AsyncIterable<{ readonly file: TreeFile; readonly text: string | null }>;
}

export interface ReachableRepository {
  readonly kind: "reachable";
  readonly repo: Repo;
  /** The tree at the head of the default branch; null while there is no commit. */
  head(): Promise<Tree | null>;
}

export interface Unreachable {
  readonly kind: "unreachable";
  readonly reason: string;
  /** True when its host says that it does not exist for us; false when that may be temporary. */
  readonly isMissing: boolean;
}

/** Looks up a repository on its host, by id. */
export interface RepositoryHost {
  /** Never answers from a cache. */
  lookUp(): Promise<ReachableRepository | Unreachable>;
}

export interface RepositoryLabels {
  /** Sets name, owner and visibility of a repository's memories. False when it has none. */
  relabel(repo: Repo): Promise<boolean>;
  /** Whether the owner's other repositories may use its patterns. A new owner resets this. */
  give(repo: Repo, gives: boolean): Promise<void>;
  /** By host, then name. */
  all(): Promise<readonly Repo[]>;
}
