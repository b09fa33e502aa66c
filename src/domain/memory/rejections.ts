// What people said against a finding: who, why, where and when. It decides whether findings like it are said again elsewhere.
import type { Category } from "../finding.ts";

/** One person's decline of one finding. */
export interface Rejection {
  /** A login. */
  readonly by: string;
  /** May write to the repository, as GitHub told when they said it. */
  readonly isWriter: boolean;
  /** In their words, redacted; null when they gave none. */
  readonly reason: string | null;
  /** Of the comment in which they said so. */
  readonly url: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** True for a press on a button, or a review dismissed as a whole: the weakest there is. Absent: false. */
  readonly isReaction?: boolean;
  /** The pull request that it was said on; absent or null where that is not known. */
  readonly pull?: number | null;
}

/** Several declines of the same thing, taken together. */
export interface Rejections {
  /** How many people. */
  readonly people: number;
  /** How many declines; one person declining two findings counts as two. */
  readonly count: number;
  /** On how many pull requests. */
  readonly pulls: number;
  /** True where nobody said a word: reactions alone. */
  readonly isReactions: boolean;
  /** The newest reason, of a person who may write where there is one; null when nobody gave any. */
  readonly reason: string | null;
  /** Whether whoever gave that reason may write. */
  readonly byMaintainer: boolean;
  /** Whose reason it is; without a reason, who declined last, in words if anybody did. */
  readonly by: string;
  /** Where that was said. */
  readonly url: string | null;
  /** Epoch milliseconds of it. */
  readonly at: number;
}

/** A finding in memory that somebody declined. */
export interface RejectedMemory {
  readonly memoryId: string;
  /** The pull request that it was said on. */
  readonly pull: number | null;
  readonly path: string | null;
  readonly category: Category | null;
  /** Null where a model or memory said it. */
  readonly rule: string | null;
  /** Of the finding. */
  readonly url: string | null;
  /** Oldest first, never empty. */
  readonly each: readonly Rejection[];
}

/**
 * Enough to hold findings like it back: either one reason of somebody who may write, or so many declines by so many people.
 * Where nobody said a word, on as many pull requests: a crowd before one comment says little.
 */
const OFTEN = { rejections: 3, people: 2, pulls: 1 };
const OFTEN_BY_REACTIONS = { ...OFTEN, pulls: 2 };

/** Takes declines together; null for none. */
export function rejectionsOf(each: readonly Rejection[]): Rejections | null {
  // Words weigh more than reactions: of two without a reason they are the ones that are told.
  const weight = ({ isReaction }: Rejection) => Number(isReaction === true);
  const newest = each.toSorted((a, b) => weight(a) - weight(b) || b.at - a.at || compare(a.by, b.by));
  const reasoned = newest.filter(({ reason }) => reason !== null);
  const telling = reasoned.find(({ isWriter }) => isWriter) ?? reasoned[0] ?? newest[0];
  if (telling === undefined) return null;
  const { reason, by, url, at } = telling;
  return {
    people: new Set(each.map((one) => one.by)).size,
    count: each.length,
    pulls: new Set(each.map((one) => one.pull ?? null)).size,
    isReactions: each.every(({ isReaction }) => isReaction === true),
    reason,
    byMaintainer: reason !== null && telling.isWriter,
    by,
    url,
    at,
  };
}

/** Whether these declines are enough to hold a finding back that is neither critical nor about security. */
export function areEnough({ people, count, pulls, isReactions, byMaintainer }: Rejections): boolean {
  return byMaintainer || rejectedOften({ rejections: count, people, pulls }, isReactions ? OFTEN_BY_REACTIONS : OFTEN);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

// When rejections without a reason count as one: many of them, by several people, and where it matters on several pull requests.

interface RejectionCounts {
  readonly rejections: number;
  /** Distinct, by numeric id. */
  readonly people: number;
  /** Distinct pull requests. */
  readonly pulls: number;
}

/** True when each count reaches its least. */
export function rejectedOften(found: RejectionCounts, least: RejectionCounts): boolean {
  return found.rejections >= least.rejections && found.people >= least.people && found.pulls >= least.pulls;
}
