// Rejections of a finding: who, why, where and when. They decide whether similar findings are
// reported elsewhere.

import type { Flagged } from "../code/code-fingerprint.ts";
import type { Category, Finding } from "../finding.ts";
import { compareTexts } from "../text/compare-texts.ts";

/** One person's decline of one finding, who had write access. */
export interface Rejection {
  /** A login. */
  readonly by: string;
  /** In their words, redacted; null without a reason. */
  readonly reason: string | null;
  /** Of the comment with the decline. */
  readonly url: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** True for a reaction, or a review dismissed as a whole: the weakest evidence. */
  readonly isReaction: boolean;
  /** The pull request of the decline; null when unknown. */
  readonly pull: number | null;
}

/** Several declines of the same thing, summarised. */
export interface Rejections {
  /** How many people. */
  readonly people: number;
  /** How many declines; one person declining two findings counts as two. */
  readonly count: number;
  /** On how many pull requests. */
  readonly pulls: number;
  /** True when no one commented: reactions only. */
  readonly isReactions: boolean;
  /** The newest reason; null without any. */
  readonly reason: string | null;
  /**
   * The author of the reason; without a reason, the last person who declined, preferably in words.
   */
  readonly by: string;
  /** The address of that decline. */
  readonly url: string | null;
  /** Epoch milliseconds of that decline. */
  readonly at: number;
}

/** A finding in memory that a person declined. */
export interface RejectedMemory {
  readonly memoryId: string;
  /** The pull request of the finding. */
  readonly pull: number | null;
  readonly path: string | null;
  readonly category: Category | null;
  /** Null for a model's or memory's finding. */
  readonly rule: string | null;
  /** Of the finding. */
  readonly url: string | null;
  /** Oldest first, never empty. */
  readonly each: readonly Rejection[];
}

/**
 * Enough to hold similar findings back: one reason, or this many declines by this many people.
 * Reactions alone must come from this many pull requests: a crowd at one comment proves little.
 */
const OFTEN = { rejections: 3, people: 2, pulls: 1 };
const OFTEN_BY_REACTIONS = { ...OFTEN, pulls: 2 };

/** Summarises declines; null for none. */
export function rejectionsOf(each: readonly Rejection[]): Rejections | null {
  // Words weigh more than reactions, so among declines without a reason they are shown.
  const weight = ({ isReaction }: Rejection) => Number(isReaction);
  const newest = each.toSorted((a, b) => weight(a) - weight(b) || b.at - a.at || compareTexts(a.by, b.by));
  const telling = newest.find(({ reason }) => reason !== null) ?? newest[0];
  if (telling === undefined) return null;
  const { reason, by, url, at } = telling;
  return {
    people: new Set(each.map((rejection) => rejection.by)).size,
    count: each.length,
    pulls: new Set(each.map((rejection) => rejection.pull)).size,
    isReactions: each.every(({ isReaction }) => isReaction),
    reason,
    by,
    url,
    at,
  };
}

/**
 * Whether these declines suffice to hold back a finding that is neither critical nor about
 * security.
 */
export function areEnough({ people, count, pulls, isReactions, reason }: Rejections): boolean {
  return (
    reason !== null || rejectedOften({ rejections: count, people, pulls }, isReactions ? OFTEN_BY_REACTIONS : OFTEN)
  );
}

/** Of rejections: the people, by numeric id, and the pull requests are distinct. */
interface RejectionCounts {
  readonly rejections: number;
  readonly people: number;
  readonly pulls: number;
}

/** Whether rejections without a reason count as one: each count reaches its minimum. */
export function rejectedOften(found: RejectionCounts, least: RejectionCounts): boolean {
  return found.rejections >= least.rejections && found.people >= least.people && found.pulls >= least.pulls;
}

/** Lines of the head with flagged code. */
export interface FlaggedPlace {
  readonly path: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly line: number;
  /**
   * Token for token; otherwise only its beginning matches, because two findings may quote different
   * lengths.
   */
  readonly isWhole: boolean;
}

/** Flagged code that occurs in this change. */
export interface FlaggedInChange extends Flagged {
  /**
   * Never empty; whole matches before beginnings, and within each those on added lines only first.
   */
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
  /**
   * Memories with the same claim for each finding, most similar first. Never rejects; empty without
   * vectors.
   */
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
