// The contents of Kodiai's memory: one row for each comment, finding or piece of text about code,
// with its origin.
import type { Category, Severity } from "./finding.ts";
import type { Repo } from "./job.ts";
import { shortHash } from "./text/hash.ts";

/**
 * finding: posted by Kodiai. review_comment: written by people. doc: the repository's Markdown.
 * wiki: its wiki pages.
 */
export const CORPORA = ["finding", "review_comment", "doc", "wiki"] as const;
export type Corpus = (typeof CORPORA)[number];

/** Whether a memory is a finding or a comment on code, not a text of its own. */
export function isOfReview({ corpus }: { readonly corpus: Corpus }): boolean {
  return corpus === "finding" || corpus === "review_comment";
}

/** The outcome of a finding or comment. `posted` is not `accepted`: no one has responded yet. */
export const OUTCOMES = ["posted", "accepted", "declined", "fixed", "outdated", "reintroduced"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How an outcome came about: the person or commit that decided it. */
export interface Decided {
  /** Epoch milliseconds. */
  readonly at: number;
  /** A login; null when no single person decided. */
  readonly by: string | null;
  /** In their words, without secrets, at most 300 characters; untrusted. Null without a reason. */
  readonly reason: string | null;
  /** The head at which the code was found changed; null when people decided in words. */
  readonly sha: string | null;
  /** Strongest first: a reason, several people, words without a reason, a reaction; or the code. */
  readonly weight: "reason" | "repeated" | "word" | "reaction" | "code";
}

/** `HOST/REPO_ID`, such as `github.com/42`: names change, ids do not. */
export type RepoKey = string;

/** The vectors of one embedder: those of another are never compared, even of equal dimension. */
export interface EmbeddingSpace {
  readonly model: string;
  readonly dimension: number;
}

interface Provenance {
  /** Its address; null for rows without one (imported rows, local documents). */
  readonly url: string | null;
  /** A login, or null when unknown. */
  readonly author: string | null;
  readonly authorIsBot: boolean;
  /** The commit that the comment is about. For documents: the blob that contains the text. */
  readonly sha: string | null;
  readonly pull: number | null;
  /** Epoch milliseconds of the comment. */
  readonly at: number;
}

export interface MemoryRecord {
  /** `mem_` + 12 hex, from the source and never from generated text (see memoryId). */
  readonly id: string;
  readonly repo: RepoKey;
  /** The name to show: OWNER/NAME at the time of writing. */
  readonly repoName: string;
  readonly ownerId: number;
  readonly visibility: "public" | "private" | "internal";
  readonly corpus: Corpus;
  /** The source's own id: GitHub's comment id, `docs/adr/7.md#consequences`. */
  readonly sourceId: string;
  readonly text: string;
  /** Replies, oldest first. */
  readonly replies: readonly string[];
  /** 25–60 words, model-written; null without a model. */
  readonly situation: string | null;
  /** One imperative sentence, model-written; null without a model. */
  readonly lesson: string | null;
  readonly tags: readonly string[];
  readonly severity: Severity | null;
  readonly category: Category | null;
  readonly path: string | null;
  /** Canonical id at the time of writing; `unknown` when it could not be determined. */
  readonly language: string;
  readonly symbol: string | null;
  /** `section` for documents; null for review comments and findings. */
  readonly chunkType: string | null;
  /** The diff hunk that the comment is about, redacted, at most 4,000 characters. */
  readonly hunk: string | null;
  /** The lines with the problem, redacted, at most 4,000 characters; null when unknown. */
  readonly flaggedCode: string | null;
  /** The lines that replaced them in the fix; the same limits. */
  readonly fixedCode: string | null;
  readonly outcome: Outcome | null;
  /** Null: undecided, or the decision is unknown. */
  readonly decided: Decided | null;
  readonly provenance: Provenance;
  /** Of another embedder, or of a deleted source: stored, not searched. */
  readonly stale: boolean;
  /** Who wrote situation, lesson and tags, or why they are missing. Null: no model was asked. */
  readonly described: Described | null;
  /**
   * Set when read, never stored. `given`: its repository shares patterns with others of its owner.
   * `pattern`: shown in a review of such another repository, without code, names and places. Null:
   * only its own repository uses it.
   */
  readonly sharing: "given" | "pattern" | null;
}

/** The result of describing a memory. */
export interface Described {
  /** The model's name; "" when a rule decided without a model. */
  readonly by: string;
  /** Hash of the model's input, 16 hex: fields stay valid while the memory's text is the same. */
  readonly source: string;
  /**
   * How plainly the lesson follows from the comment: 1, .7, .4, or .5 where the model gave none.
   */
  readonly confidence: number;
  /**
   * Rules that the fields break: `lesson/too-long`, `rejected/declined`. With a lesson only
   * `tags/…`.
   */
  readonly problems: readonly string[];
}

/** The fields of a memory that a model writes. */
export type WrittenFields = Pick<MemoryRecord, "situation" | "lesson" | "tags"> & { readonly described: Described };

/** How many review memories have a lesson, how many have none and why, and how many are waiting. */
export interface FieldCounts {
  readonly described: number;
  /** Rule by name → memories that broke it and have no fields. */
  readonly without: ReadonlyMap<string, number>;
  readonly waiting: number;
}

/** A record with its vector, ready to be stored. Without a vector only keywords find it. */
export interface EmbeddedRecord {
  readonly record: MemoryRecord;
  /** `Float32Array[dimension]`, unit length. */
  readonly vector: Float32Array | null;
  /** Absent: the next run cannot compare the row, and writes it again. */
  readonly hashes?: RecordHashes;
}

/** Hashes that detect an unchanged source, so that it is neither embedded nor written twice. */
export interface RecordHashes {
  /** Of everything in the record except `stale`: 16 hex. */
  readonly record: string;
  /** Of the text of the vector, even when there is none: 16 hex. */
  readonly embedded: string;
}

/** What memory knows about a source, without its text. */
export interface KnownSource {
  /** The record's id. */
  readonly id: string;
  readonly path: string | null;
  /** `provenance.sha` at the time of writing. */
  readonly sha: string | null;
  /** As stored; `embedded` is null when the row has no vector of the requested space. */
  readonly hashes: { readonly record: string; readonly embedded: string | null } | null;
}

/** The form of a record's id. */
export const MEMORY_ID = /^mem_[0-9a-f]{12}$/;

/** The key of a repository's memory. */
export function repoKey(repo: Pick<Repo, "host" | "id">): RepoKey {
  return `${repo.host}/${repo.id}`;
}

/** The stable id of a source: extracting the same source again gives the same id. */
export function memoryId(repo: RepoKey, corpus: Corpus, sourceId: string): string {
  return `mem_${shortHash(JSON.stringify([repo, corpus, sourceId]))}`;
}

/** A finding's source id in memory: posted again on its pull request it is the same memory. */
export function findingSource(pull: number, findingId: string): string {
  return `#${pull}/${findingId}`;
}

/** The memory id of a finding on a pull request. */
export function findingMemoryId(repo: RepoKey, pull: number, findingId: string): string {
  return memoryId(repo, "finding", findingSource(pull, findingId));
}
