// Ports for findings of other pull requests: which were declined, and which code they flagged. All
// methods may throw `Transient`, and Error when there is no memory.
import type { Flagged } from "../domain/code/code-fingerprint.ts";
import type { RejectedMemory } from "../domain/memory/rejections.ts";
import type { RepoKey } from "../domain/memory.ts";
import type { Commenter } from "../domain/review.ts";

export interface PastRejections {
  /** Every declined memory of the repository, newest decline first, at most 5,000. */
  rejected(repo: RepoKey): Promise<readonly RejectedMemory[]>;
}

export interface PastCode {
  /** Findings of other pull requests by beginnings of their code; newest first, at most 2,000. */
  flagged(repo: RepoKey, keys: readonly number[], exceptPull: number): Promise<readonly Flagged[]>;
  /** The people who commented most on these files in other pull requests, at most five. */
  commenters(repo: RepoKey, paths: readonly string[], exceptPull: number): Promise<readonly Commenter[]>;
}

export interface FlaggedNow {
  /** Reported in this review, by memory id. */
  readonly reported: readonly {
    readonly memoryId: string;
    readonly rule: string | null;
    readonly shape: Flagged["shape"];
  }[];
  /** Memory ids of findings that still apply: they are no longer marked as fixed. */
  readonly open: readonly string[];
  /** Memory ids of findings whose code was removed. */
  readonly fixed: readonly string[];
}

export interface FlaggedCode {
  /** Idempotent: what was fixed before keeps its date (`at`: ms). Skips unknown memories. */
  keep(repo: RepoKey, now: FlaggedNow, at: number): Promise<void>;
}
