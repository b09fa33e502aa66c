// What Kodiai remembers: one row for each thing that was said or written about code, with where it came from.
import { createHash } from "node:crypto";
import type { Category, Severity } from "./finding.ts";
import type { Repo } from "./job.ts";

/** finding: what Kodiai posted. review_comment: what people wrote. doc: the repository's Markdown. wiki: the pages of its wiki. code: its functions and classes. */
export const CORPORA = ["finding", "review_comment", "doc", "wiki", "code"] as const;
export type Corpus = (typeof CORPORA)[number];

/** What became of a finding or comment. `posted` is not `accepted`: nobody has said anything yet. */
export const OUTCOMES = ["posted", "accepted", "declined", "fixed", "outdated", "reintroduced"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How an outcome came about: whose word, or which commit, decided it. */
export interface Decided {
  /** Epoch milliseconds. */
  readonly at: number;
  /** A login; null where nobody in particular decided. */
  readonly by: string | null;
  /** In their words, without secrets, at most 300 characters; untrusted. Null when none was given. */
  readonly reason: string | null;
  /** The head at which the code was found changed; null when people decided by words. */
  readonly sha: string | null;
  /** What decided: a reason given in words ≫ several people ≫ words without a reason ≫ a reaction; or what became of the code. */
  readonly weight: "reason" | "repeated" | "word" | "reaction" | "code";
}

/** `HOST/REPO_ID`, such as `github.com/42`: names change, ids do not. */
export type RepoKey = string;

/** The vectors of one embedder; vectors of different spaces are never compared, whatever their dimension. */
export interface EmbeddingSpace {
  readonly model: string;
  readonly dimension: number;
}

export interface Provenance {
  /** Where it was said; null for what has no address (imported rows, local documents). */
  readonly url: string | null;
  /** A login, or null when unknown. */
  readonly author: string | null;
  readonly authorIsBot: boolean;
  /** The commit that was spoken about. Of doc and code rows: the blob that the text was cut from. */
  readonly sha: string | null;
  readonly pull: number | null;
  /** Epoch milliseconds at which it was said. */
  readonly at: number;
}

export interface MemoryRecord {
  /** `mem_` + 12 hex, from the source and never from generated text (see memoryId). */
  readonly id: string;
  readonly repo: RepoKey;
  /** Which names to show: OWNER/NAME at the time of writing. */
  readonly repoName: string;
  readonly ownerId: number;
  readonly visibility: "public" | "private" | "internal";
  readonly corpus: Corpus;
  /** The source's own name for it: GitHub's comment id, `docs/adr/7.md#consequences`, `src/a.ts#parse`. */
  readonly sourceId: string;
  readonly text: string;
  /** What was answered, oldest first. */
  readonly replies: readonly string[];
  /** 25–60 words, model-written; null without a model. */
  readonly situation: string | null;
  /** One imperative sentence, model-written; null without a model. */
  readonly lesson: string | null;
  readonly tags: readonly string[];
  readonly severity: Severity | null;
  readonly category: Category | null;
  readonly path: string | null;
  /** Canonical id at the time of writing; `unknown` when it could not be told. */
  readonly language: string;
  readonly symbol: string | null;
  /** For doc and code: `section`, `function`, `class`, `method`, …; null for what was said in reviews. */
  readonly chunkType: string | null;
  /** The diff hunk that was spoken about, redacted, at most 4,000 characters. */
  readonly hunk: string | null;
  /** The lines that were found wrong, redacted, at most 4,000 characters; absent or null where nobody knows them. */
  readonly flaggedCode?: string | null;
  /** What stood there when it was fixed; the same. */
  readonly fixedCode?: string | null;
  readonly outcome: Outcome | null;
  /** Absent or null: nobody decided, or it is not known how. */
  readonly decided?: Decided | null;
  readonly provenance: Provenance;
  /** True when the vectors come from another embedder or the source is gone: kept, not searched. */
  readonly stale: boolean;
  /** Who wrote situation, lesson and tags, or why nobody did. Absent: none was asked. */
  readonly described?: Described;
  /**
   * `given`, as read from memory: its repository gives patterns to others of its owner. `pattern`: it stands in such another
   * repository's review, without code, names and places. Absent else; never written.
   */
  readonly sharing?: "given" | "pattern";
}

/** What came of having a memory described. */
export interface Described {
  /** The model's name; "" where a rule decided and no model was asked. */
  readonly by: string;
  /** Of what the model was shown: 16 hex. Fields stay with a memory for as long as it says the same. */
  readonly source: string;
  /** How plainly the lesson follows from what was said: 1, .7, .4, or .5 where the model did not tell. */
  readonly confidence: number;
  /** Which rules the fields break, by name: `lesson/too-long`, `rejected/declined`. With a lesson, only `tags/…`. */
  readonly problems: readonly string[];
}

/** The fields of a memory that a model writes. */
export type WrittenFields = Pick<MemoryRecord, "situation" | "lesson" | "tags"> & { readonly described: Described };

/** How many memories of what was said in reviews have a lesson, how many have none and why, and how many wait. */
export interface FieldCounts {
  readonly described: number;
  /** Rule by name → memories that broke it and stand without fields. */
  readonly without: ReadonlyMap<string, number>;
  readonly waiting: number;
}

/** A record with its vector, ready to be written. Null keeps it findable by words only. */
export interface EmbeddedRecord {
  readonly record: MemoryRecord;
  /** `Float32Array[dimension]`, unit length. */
  readonly vector: Float32Array | null;
  /** Absent: the next run cannot tell whether the row is still right, and writes it again. */
  readonly hashes?: RecordHashes;
}

/** By these a source that did not change is known again, so that it is neither embedded nor written twice. */
export interface RecordHashes {
  /** Of everything in the record but `stale`: 16 hex. */
  readonly record: string;
  /** Of the text that the vector was, or would be, made from: 16 hex. */
  readonly embedded: string;
}

/** What memory tells about a source that it knows: no text. */
export interface KnownSource {
  /** The record's id. */
  readonly id: string;
  readonly path: string | null;
  /** `provenance.sha` as it was written. */
  readonly sha: string | null;
  /** As they were written; `embedded` is null while no vector of the asked space stands beside the row. */
  readonly hashes: { readonly record: string; readonly embedded: string | null } | null;
}

/** Under which key a repository's memory stands. */
export function repoKey(repo: Pick<Repo, "host" | "id">): RepoKey {
  return `${repo.host}/${repo.id}`;
}

/** The stable id of a source: extraction and re-extraction of the same source give the same id. */
export function memoryId(repo: RepoKey, corpus: Corpus, sourceId: string): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([repo, corpus, sourceId]))
    .digest("hex");
  return `mem_${digest.slice(0, 12)}`;
}

/** A finding's own name in memory: posted again on its pull request it is the same memory, on another one it is another. */
export function findingSource(pull: number, findingId: string): string {
  return `#${pull}/${findingId}`;
}

/** The id of the memory that a finding on a pull request becomes. */
export function findingMemoryId(repo: RepoKey, pull: number, findingId: string): string {
  return memoryId(repo, "finding", findingSource(pull, findingId));
}
