// What the rooms and corridors may ask of the world about how people took our findings: GitHub reads it, the shelf of evidence
// keeps it beside the memories. Every method may throw `Transient`.
import type { AccessLevel } from "../domain/command.ts";
import type { FeedbackJob, Repo } from "../domain/job.ts";
import type { Evidence } from "../domain/memory/evidence.ts";
import type { Person, PullFeedback } from "../domain/memory/pull-feedback.ts";
import type { Rejection } from "../domain/memory/rejections.ts";
import type { Decided, MemoryRecord, Outcome, RepoKey } from "../domain/memory.ts";

/** Reads one pull request. Cannot write. */
export interface Feedback {
  /** Null when the pull request is not there for us. */
  read(repo: Repo, number: number): Promise<PullFeedback | null>;
  /** By numeric id. `none` for what GitHub denies; Transient when it cannot answer now. */
  access(repo: Repo, person: Pick<Person, "id" | "login">): Promise<AccessLevel>;
  /**
   * Where the files of one commit went until another: old path → new path, or null for a file that was removed. Null when the
   * first is no ancestor of the second, or too much changed to tell.
   */
  moved(repo: Repo, from: string, to: string): Promise<ReadonlyMap<string, string | null> | null>;
}

/** The memory of a finding, as far as feedback asks. */
export interface RememberedFinding extends Pick<MemoryRecord, "id" | "severity" | "category" | "path"> {
  readonly findingId: string;
  /** The head that was spoken about. */
  readonly sha: string | null;
  /** Whether flagged and fixed code are known already. */
  readonly hasFix: boolean;
}

/** Flagged code of a finding and what it became: without secrets, at most 4,000 characters each. */
export interface KnownFix extends Required<Pick<MemoryRecord, "flaggedCode" | "fixedCode">> {
  readonly memoryId: string;
}

/** What follows for one memory. */
export interface Decision {
  readonly memoryId: string;
  readonly outcome: Outcome;
  /** Null takes an earlier decision back. */
  readonly decided: Decided | null;
  /** Who speaks against it, beside commands: takes the place of what was known. */
  readonly against: readonly Rejection[];
}

/** Evidence beside the memories, and the outcomes that follow. A piece is forgotten with its memory. */
export interface EvidenceShelf {
  /** What is remembered of our findings on a pull request. */
  findings(repo: RepoKey, pull: number): Promise<readonly RememberedFinding[]>;
  /** The evidence on all findings of a pull request, by time and key. */
  evidence(repo: RepoKey, pull: number): Promise<readonly Evidence[]>;
  /** The pull requests on which there is evidence, ascending. */
  pulls(repo: RepoKey): Promise<readonly number[]>;
  /** Adds what was not seen before; a key that is known stays as it was first seen, but stands again. Returns how many were new. */
  add(repo: RepoKey, evidence: readonly Evidence[]): Promise<number>;
  /** Marks evidence as gone. */
  withdraw(repo: RepoKey, gone: readonly Pick<Evidence, "memoryId" | "key">[], at: number): Promise<void>;
  /** The pull request of a finding; null when nothing is remembered of it. */
  pullOf(repo: RepoKey, memoryId: string): Promise<number | null>;
  /** Sets outcomes, and who speaks against; words and vectors are not touched. Returns how many outcomes changed. */
  decide(repo: RepoKey, decisions: readonly Decision[]): Promise<number>;
  /** Keeps flagged and fixed code beside findings; it outlives a finding that is written again. */
  keepFixes(repo: RepoKey, fixes: readonly KnownFix[]): Promise<void>;
}

/** Which pull requests are to be looked at, from the reviews that were posted. */
export interface FeedbackBook {
  /**
   * Jobs for pull requests with a review that was posted in the last 30 days, last looked at more than `afterMs` ago, and not
   * seen closed since; longest waiting first.
   */
  due(now: number, afterMs: number, most: number): Promise<readonly FeedbackJob[]>;
  looked(job: Pick<FeedbackJob, "repo" | "number">, now: number, isClosed: boolean): Promise<void>;
}
