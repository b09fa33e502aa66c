// What the repository remembers of code and claims like those of one change: the value between memory and the review.

import type { Flagged } from "../code/flagged-code.ts";
import type { Finding } from "../finding.ts";
import type { RejectedMemory } from "./rejections.ts";

/** Lines of the head where flagged code stands. */
export interface FlaggedPlace {
  readonly path: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly line: number;
  /** Token for token; else its beginning, as of two readers one quotes more of what follows than the other. */
  readonly isWhole: boolean;
}

/** Flagged code that stands in this change. */
export interface FlaggedHere extends Flagged {
  /** Never empty; whole code before beginnings, and of each what stands on added lines alone first. */
  readonly places: readonly FlaggedPlace[];
  /** True when the change adds it whole: it stands more often in what the change leaves than in what it takes away. */
  readonly isAdded: boolean;
  /** True when the code is telling enough to be known without its file. */
  readonly isTelling: boolean;
}

/** A declined memory that claims what a finding claims. */
export interface AlikeClaim {
  readonly memoryId: string;
  /** Raw cosine similarity, 0–1. */
  readonly similarity: number;
}

export interface Recollection {
  /** Newest first. */
  readonly flagged: readonly FlaggedHere[];
  readonly rejected: readonly RejectedMemory[];
  /** Of `flagged`, the pull requests that are open now. */
  readonly openPulls: ReadonlySet<number>;
  /** For each finding, in order, what claims the same; the most alike first. Never rejects: without vectors nobody does. */
  readonly alikeClaims: (findings: readonly Finding[]) => Promise<readonly (readonly AlikeClaim[])[]>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Where nothing is remembered. */
export const NO_RECOLLECTION: Recollection = {
  flagged: [],
  rejected: [],
  openPulls: new Set(),
  alikeClaims: async (findings) => findings.map(() => []),
  now: 0,
};
