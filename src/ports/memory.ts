// What the rooms may ask of memory, split by power: Recall reads, Memory writes; embedders and rerankers serve both sides,
// Tree and CodeChunker give what is indexed. Methods may throw as ports.ts says.

import type { LoggedRetrieval } from "../domain/figures/logged-retrieval.ts";
import type { ReplayResult } from "../domain/figures/replay-result.ts";
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
import type { ConfidenceEdges, KeywordHit, MemoryCounts, MemoryFilter, Scope, VectorHit } from "../domain/retrieval.ts";

/** What embedding cost, beside the vectors. */
export interface Embedded {
  /** In the order of the texts: `Float32Array[dimension]` of unit length, or null where it failed. */
  readonly vectors: readonly (Float32Array | null)[];
  readonly tokens: number;
  readonly usd: number;
  /** How many texts were answered from the cache. */
  readonly cached: number;
  /** Why some vectors are null, in one line that holds no key and no text; null or absent when none failed. */
  readonly failed?: string | null;
}

/** Texts to vectors. Never throws: what fails is null, and the caller degrades. */
export interface Embedder {
  /** Read it after `embed`: an embedder that learns its dimension from the first answer says 0 until then. */
  readonly space: EmbeddingSpace;
  /** The cosine distance under which a memory of this space counts as relevant, calibrated on development data. */
  readonly threshold: number;
  /**
   * The cosine distance under which two findings claim the same, calibrated so that others hardly ever come that near;
   * absent where nobody measured it: then only code tells findings apart.
   */
  readonly sameClaim?: number;
  /** From which distance on likeness is high, medium, low; absent where nobody measured it. */
  readonly confidence?: ConfidenceEdges;
  /** How much its ranks count against words in fusion: 1 for a neural embedder, less for a lexical one. */
  readonly weight: number;
  embed(texts: readonly string[], kind: "query" | "document"): Promise<Embedded>;
}

/** What may be put in a better order. Only `text` is sure to be read; the rest is for rerankers that are told about it. */
export interface RerankCandidate {
  readonly id: string;
  readonly text: string;
  readonly path?: string | null;
  /** A chunk's kind or a corpus: `function`, `review_comment`. */
  readonly type?: string | null;
  readonly language?: string | null;
}

/** An order, and what it cost. */
export interface Reranked {
  /** min(topK, candidates) ids, best first: whom the reranker did not name follows in the order given. */
  readonly order: readonly string[];
  /** Higher is better, by id, as far as the reranker gave any; comparable only within one reranker. */
  readonly scores: ReadonlyMap<string, number>;
  readonly tokens: number;
  readonly usd: number;
  /** Wall time. */
  readonly ms: number;
  /** Why the order is the one given, in one line that holds no key and no text; null when all went well. */
  readonly failed: string | null;
}

/** Puts candidates in the order in which they help with a query. Never throws: on failure the order stays as given. */
export interface Reranker {
  /** For logs: the model's name. */
  readonly name: string;
  /** With no more than topK candidates nothing is asked and the order stays. */
  rerank(query: string, candidates: readonly RerankCandidate[], topK: number): Promise<Reranked>;
}

/**
 * Told of what made an answer poorer than it should be, where there is an answer all the same.
 *
 * @param part a stable word: `keyword-search`, `stale-vectors`, `damaged-vectors`
 * @param reason one line that names no file of the server
 */
export type TellDegraded = (part: string, reason: string) => void;

/**
 * Reads memory. The scope is applied inside the search. A question that takes too long fails like any other failure; its
 * message names no file of the server.
 */
export interface Recall {
  /** Why there is no memory at all, in one line; absent while there is one. Then every question fails. */
  readonly off?: string;
  /**
   * For each vector the nearest memories, nearest first, at most k. All vectors of a review go in one call.
   *
   * @throws RangeError for a vector that is not finite, is all zero or has the wrong dimension
   */
  nearest(
    scope: Scope,
    vectors: readonly Float32Array[],
    space: EmbeddingSpace,
    k: number,
    filter: MemoryFilter,
    tell?: TellDegraded,
  ): Promise<readonly (readonly VectorHit[])[]>;
  /** For each text the best memories by BM25 over text, path and identifiers, best first, at most k. */
  matching(
    scope: Scope,
    texts: readonly string[],
    k: number,
    filter: MemoryFilter,
    tell?: TellDegraded,
  ): Promise<readonly (readonly KeywordHit[])[]>;
  /** The records of these ids that the scope admits, in the order of the ids. */
  records(scope: Scope, ids: readonly string[]): Promise<readonly MemoryRecord[]>;
  counts(scope: Scope): Promise<MemoryCounts>;
  /** Changes whenever memory in this repository changes: part of cache keys. */
  version(repo: RepoKey): Promise<number>;
}

/** Writes memory. */
export interface Memory {
  /**
   * Adds or replaces by id: each row whole or not at all, many rows in several short transactions. Vectors that are not
   * finite, all zero or of another dimension are refused by name, as is an id of another repository. A row without a
   * vector keeps the one it has when none of what it says has changed.
   */
  remember(
    rows: readonly EmbeddedRecord[],
    space: EmbeddingSpace,
  ): Promise<{
    readonly added: number;
    readonly updated: number;
    readonly refused: readonly { readonly id: string; readonly reason: string }[];
  }>;
  /**
   * What is remembered of a corpus, by source id: enough to tell what changed, and no text.
   *
   * @param sourceIds only these; null for all of the corpus
   */
  known(
    repo: RepoKey,
    corpus: Corpus,
    space: EmbeddingSpace,
    sourceIds: readonly string[] | null,
  ): Promise<ReadonlyMap<string, KnownSource>>;
  /** What a model wrote beside these memories, by id; those that none was asked about are not among them. */
  fields(repo: RepoKey, ids: readonly string[]): Promise<ReadonlyMap<string, WrittenFields>>;
  /** Of what was said in reviews of a repository: how many memories have a lesson, and why others have none. */
  fieldCounts(repo: RepoKey): Promise<FieldCounts>;
  /** Removes rows, vectors and index entries. Returns how many records went. */
  forget(repo: RepoKey, ids: readonly string[]): Promise<number>;
  /** Removes all of a repository. */
  forgetRepository(repo: RepoKey): Promise<number>;
}

/** Writes down what each retrieval did; the newest 100,000 of the last 30 days are kept. */
export interface RetrievalLog {
  write(entry: LoggedRetrieval): Promise<void>;
}

/** Reads what was written down. */
export interface RetrievalStatistics {
  /** Zeros when nothing was. */
  read(window: StatisticsWindow): Promise<RetrievalFigures>;
}

/** What the last replay of each repository came to. */
export interface Replays {
  /** Null when it was never replayed. */
  of(repo: RepoKey): Promise<ReplayResult | null>;
  /** In place of the one before. Nothing is kept of a repository of which nothing is remembered. */
  save(repo: RepoKey, result: ReplayResult): Promise<void>;
}

/** A file of a commit. */
export interface TreeFile {
  /** As git knows it, unquoted, with `/`. */
  readonly path: string;
  /** The blob's hash: the same text has the same hash wherever it stands. */
  readonly hash: string;
  readonly bytes: number;
}

/** The files of one commit. Symbolic links and submodules are not among them. */
export interface Tree {
  /** 40 or 64 hex digits. */
  readonly commit: string;
  /** `incomplete` says why files are missing from the list; null when none are. */
  list(): Promise<{ readonly files: readonly TreeFile[]; readonly incomplete: string | null }>;
  /** UTF-8 texts in the order asked, one at a time; null where a file is binary. */
  texts(files: readonly TreeFile[]): AsyncIterable<{ readonly file: TreeFile; readonly text: string | null }>;
}

/** A repository as its host tells it now. */
export interface StandingRepository {
  readonly kind: "standing";
  readonly repo: Repo;
  /** The tree at the head of the default branch; null while there is no commit. */
  head(): Promise<Tree | null>;
}

/** A repository that cannot be read. */
export interface Unreachable {
  readonly kind: "unreachable";
  readonly reason: string;
  /** True when its host says that there is no such repository, or none for us; false when that may change again. */
  readonly gone: boolean;
}

/** Asks a host about a repository, by its id. */
export interface RepositoryHost {
  /** Never answers from what was known before. */
  lookUp(): Promise<StandingRepository | Unreachable>;
}

/** The repositories that memory knows. */
export interface RepositoryLabels {
  /** Sets name, owner and visibility of what is remembered. False when nothing is remembered about the repository. */
  relabel(repo: Repo): Promise<boolean>;
  /** Sets whether its owner's other repositories may have patterns of what is remembered here. A new owner takes that back. */
  give(repo: Repo, gives: boolean): Promise<void>;
  /** By host, then name. */
  all(): Promise<readonly Repo[]>;
}

/** A function, method or class of a file. */
export interface CodeChunk {
  /** With what it stands in: `Cart.total`. */
  readonly symbol: string;
  readonly chunkType: "function" | "method" | "class" | "interface" | "struct" | "enum" | "trait" | "module";
  /** 1-based, inclusive; a comment right above belongs to it. */
  readonly startLine: number;
  readonly endLine: number;
  /** At most 4,000 characters. Of a class: its outline, as its methods are chunks of their own. */
  readonly text: string;
}

/** The chunks of one file, in its order. `skipped` says what was not cut, and why. */
export interface CodeChunks {
  readonly chunks: readonly CodeChunk[];
  readonly skipped: readonly string[];
}

/** Cuts source code into what has a name. Never throws and always ends, whatever the text is. */
export interface CodeChunker {
  /** Canonical ids. */
  readonly languages: ReadonlySet<string>;
  chunks(path: string, language: string, text: string): Promise<CodeChunks>;
}
