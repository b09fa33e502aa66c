// Ports for how people reacted to our findings: one reads it from GitHub, the evidence store keeps
// it beside the memories. Every method may throw `Transient`.
import type { AccessLevel } from "../domain/command.ts";
import type { FeedbackJob, Repo } from "../domain/job.ts";
import type { Evidence, Person, PullFeedback } from "../domain/memory/evidence.ts";
import type { Rejection } from "../domain/memory/rejections.ts";
import type { Decided, MemoryRecord, Outcome, RepoKey } from "../domain/memory.ts";

/** Reads one pull request. Cannot write. */
export interface Feedback {
  /** Null when we cannot see the pull request. */
  read(repo: Repo, number: number): Promise<PullFeedback | null>;
  /** By numeric id. `none` when GitHub denies the request; Transient when it cannot answer now. */
  access(repo: Repo, person: Pick<Person, "id" | "login">): Promise<AccessLevel>;
  /** Old path → new one, or null if removed. Null if `from` is no ancestor, or too much changed. */
  moved(repo: Repo, from: string, to: string): Promise<ReadonlyMap<string, string | null> | null>;
}

/** The fields of a finding's memory that feedback needs. */
export interface RememberedFinding extends Pick<MemoryRecord, "id" | "severity" | "category" | "path"> {
  readonly findingId: string;
  /** The commented head. */
  readonly sha: string | null;
  readonly hasFix: boolean;
}

/** Flagged code of a finding and its fix: without secrets, at most 4,000 characters each. */
export interface KnownFix extends Required<Pick<MemoryRecord, "flaggedCode" | "fixedCode">> {
  readonly memoryId: string;
}

export interface Decision {
  readonly memoryId: string;
  readonly outcome: Outcome;
  /** Null reverts an earlier decision. */
  readonly decided: Decided | null;
  /** Replaces the known ones. */
  readonly rejections: readonly Rejection[];
}

/** Evidence beside memories, removed with them, and the resulting outcomes. */
export interface EvidenceStore {
  findings(repo: RepoKey, pull: number): Promise<readonly RememberedFinding[]>;
  /** The evidence on all findings of a pull request, ordered by time and key. */
  evidence(repo: RepoKey, pull: number): Promise<readonly Evidence[]>;
  /** The pull requests with evidence, ascending. */
  pulls(repo: RepoKey): Promise<readonly number[]>;
  /** Adds evidence and returns how much is new. A known key keeps its content, not withdrawn. */
  add(repo: RepoKey, evidence: readonly Evidence[]): Promise<number>;
  withdraw(repo: RepoKey, withdrawn: readonly Pick<Evidence, "memoryId" | "key">[], at: number): Promise<void>;
  /** The pull request of a finding; null when it has no memory. */
  pullOf(repo: RepoKey, memoryId: string): Promise<number | null>;
  /** Sets outcomes and rejections, not words and vectors. Returns how many outcomes changed. */
  decide(repo: RepoKey, decisions: readonly Decision[]): Promise<number>;
  /** Stores flagged and fixed code beside findings; it survives when a finding is written again. */
  keepFixes(repo: RepoKey, fixes: readonly KnownFix[]): Promise<void>;
}

/** Schedule of pull requests to check for feedback, from the posted reviews. */
export interface FeedbackStore {
  /** Open pull requests reviewed in 30 days, not checked for `afterMs`; longest waiting first. */
  due(now: number, afterMs: number, most: number): Promise<readonly FeedbackJob[]>;
  recordCheck(job: Pick<FeedbackJob, "repo" | "number">, now: number, isClosed: boolean): Promise<void>;
}
