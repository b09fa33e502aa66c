// Review comments from before Kodiai was installed, and the progress of their import.
import type { Outcome } from "../memory.ts";

/** A comment on a pull request: on a line, in the conversation, or as the text of a review. */
export interface PastComment {
  /** GitHub's id; unique within a place only. */
  readonly id: number;
  readonly place: "line" | "conversation" | "review";
  readonly pull: number;
  /** The first comment of the thread that this answers; null when it is the first. */
  readonly replyTo: number | null;
  readonly body: string;
  readonly path: string | null;
  readonly hunk: string | null;
  readonly author: PastAuthor;
  /** Whether the line has changed since the comment; null without a line. */
  readonly isOutdated: boolean | null;
  /** The commit that the comment is about. */
  readonly sha: string | null;
  readonly url: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface PastAuthor {
  /** 0 for a deleted account. */
  readonly id: number;
  readonly login: string;
  readonly isBot: boolean;
  /**
   * GitHub's author_association, a hint and not a permission: `MEMBER`, `FIRST_TIME_CONTRIBUTOR`, …
   */
  readonly association: string;
}

/** The first comment of a conversation with its replies, oldest first. */
export interface PastThread {
  readonly root: PastComment;
  readonly replies: readonly PastComment[];
  /**
   * Its line changed in a change that counts: a merged one, or one whose author has write access.
   */
  readonly isChanged: boolean;
  /** A person with write access resolved it. */
  readonly isResolved: boolean;
}

/** GitHub's data about threads and their pull requests. What GitHub does not report is absent. */
export interface PastFates {
  /** By pull request. `author` is null when the account was deleted. */
  readonly pulls: ReadonlyMap<number, { readonly isMerged: boolean; readonly author: PastAuthor | null }>;
  /** Who resolved a thread, by the id of its first comment. */
  readonly resolvedBy: ReadonlyMap<number, PastAuthor>;
}

/** A closed pull request. */
export interface PastPull {
  readonly number: number;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

/** The progress of an import. It holds numbers and our own words only, no text by others. */
export interface HistoryProgress {
  /** The next page of closed pull requests, from 1. */
  readonly page: number;
  /** Pull requests that were read. */
  readonly read: number;
  /**
   * Epoch milliseconds: only pull requests that changed since are read. Null reads from the
   * beginning.
   */
  readonly since: number | null;
  /** See HistoryRequest. */
  readonly limit: number | null;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Null until it is done. */
  readonly finishedAt: number | null;
  readonly tally: HistoryTally;
}

/** Counts over all runs of an import. Pairs of one of our words and a count. */
export interface HistoryTally {
  readonly comments: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  /** The cost of embedding. */
  readonly usd: number;
  /** Remembered comments, by canonical language id. */
  readonly byLanguage: readonly (readonly [string, number])[];
  readonly byOutcome: readonly (readonly [Outcome | "none", number])[];
  /** By reason. */
  readonly leftOut: readonly (readonly [string, number])[];
  /** What could not be determined, by reason. */
  readonly degraded: readonly (readonly [string, number])[];
}

export const EMPTY_TALLY: HistoryTally = {
  comments: 0,
  added: 0,
  updated: 0,
  unchanged: 0,
  refused: 0,
  usd: 0,
  byLanguage: [],
  byOutcome: [],
  leftOut: [],
  degraded: [],
};

/** Adds one to the count of each word. */
export function countUp<Word extends string>(
  counts: readonly (readonly [Word, number])[],
  words: readonly Word[],
): readonly (readonly [Word, number])[] {
  const sum = new Map(counts);
  for (const word of words) sum.set(word, (sum.get(word) ?? 0) + 1);
  return [...sum];
}
