// What memory knows about code and claims like those of one change: the value that the review stage receives.

import type { Flagged } from "../code/code-fingerprint.ts";
import type { Finding } from "../finding.ts";
import type { RejectedMemory } from "./rejections.ts";

/** Lines of the head with flagged code. */
export interface FlaggedPlace {
  readonly path: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly line: number;
  /** Token for token; otherwise only its beginning matches, because two findings may quote different lengths. */
  readonly isWhole: boolean;
}

/** Flagged code that occurs in this change. */
export interface FlaggedInChange extends Flagged {
  /** Never empty; whole matches before beginnings, and within each those on added lines only first. */
  readonly places: readonly FlaggedPlace[];
  /** True when the change adds all of it: it occurs more often after the change than before. */
  readonly isAdded: boolean;
  /** True when the code is distinctive enough to be recognised in another file. */
  readonly isDistinctive: boolean;
}

/** A declined memory with the same claim as a finding. */
export interface AlikeClaim {
  readonly memoryId: string;
  /** Raw cosine similarity, 0–1. */
  readonly similarity: number;
}

export interface RepositoryHistory {
  /** Newest first. */
  readonly flagged: readonly FlaggedInChange[];
  readonly rejected: readonly RejectedMemory[];
  /** Pull requests of `flagged` that are open now. */
  readonly openPulls: ReadonlySet<number>;
  /** Memories with the same claim for each finding, most similar first. Never rejects; empty without vectors. */
  readonly alikeClaims: (findings: readonly Finding[]) => Promise<readonly (readonly AlikeClaim[])[]>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** For a repository without memory. */
export const NO_HISTORY: RepositoryHistory = {
  flagged: [],
  rejected: [],
  openPulls: new Set(),
  alikeClaims: async (findings) => findings.map(() => []),
  now: 0,
};
