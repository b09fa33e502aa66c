// What was said in a repository's reviews before Kodiai came, and how far its import has come.
import type { Outcome } from "../memory.ts";

/** Something that stands on a pull request: on a line, in the conversation, or as the text of a review. */
export interface PastComment {
  /** GitHub's id; unique within a place only. */
  readonly id: number;
  readonly place: "line" | "conversation" | "review";
  readonly pull: number;
  /** The first comment of the thread that this answers; null for what begins one. */
  readonly replyTo: number | null;
  readonly body: string;
  readonly path: string | null;
  readonly hunk: string | null;
  readonly author: PastAuthor;
  /** The line is no longer what it was when this was said; null where there is no line. */
  readonly isOutdated: boolean | null;
  /** The commit that was spoken about. */
  readonly sha: string | null;
  readonly url: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface PastAuthor {
  /** 0 for an account that is gone. */
  readonly id: number;
  readonly login: string;
  readonly isBot: boolean;
  /** GitHub's author_association, a hint and no permission: `MEMBER`, `FIRST_TIME_CONTRIBUTOR`, … */
  readonly association: string;
}

/** What began a conversation, with what was answered, oldest first. */
export interface PastThread {
  readonly root: PastComment;
  readonly replies: readonly PastComment[];
  /** Its line changed by a change that counts: it was merged, or its author may write to the repository. */
  readonly isChanged: boolean;
  /** Somebody with write access resolved it. */
  readonly isResolved: boolean;
}

/** What GitHub tells about threads and the pull requests that they belong to. What it does not tell is absent. */
export interface PastFates {
  /** By pull request. `author` is null where the account was deleted. */
  readonly pulls: ReadonlyMap<number, { readonly isMerged: boolean; readonly author: PastAuthor | null }>;
  /** Who resolved a thread, by the id of its first comment. */
  readonly resolvedBy: ReadonlyMap<number, PastAuthor>;
}

/** A pull request that is closed. Times are epoch milliseconds. */
export interface PastPull {
  readonly number: number;
  readonly updatedAt: number;
  readonly closedAt: number;
}

/** The walk through a repository's past, in this order. */
const HISTORY_STAGES = ["lines", "torn", "conversation", "reviews", "done"] as const;
export type HistoryStage = (typeof HISTORY_STAGES)[number];

/** How much of each kind is read, the newest of it. Null reads all. */
export interface HistoryLimit {
  readonly comments: number | null;
  readonly pulls: number | null;
}

/** Where an import stands. It holds numbers and our own words only: nothing that anybody wrote. */
export interface HistoryProgress {
  readonly stage: HistoryStage;
  /** The next page, from 1, and how many of its entries are done. */
  readonly page: number;
  readonly done: number;
  /** Comments, or pull requests, of this stage that were read. */
  readonly read: number;
  /** Pull requests with a thread that fell between two runs: they are read as a whole. */
  readonly torn: readonly number[];
  /** Epoch milliseconds: what did not change since is not read. Null reads from the beginning. */
  readonly since: number | null;
  /** It takes up where an earlier import ended: what was closed since is read whole, as it was left out while it was open. */
  readonly renews: boolean;
  readonly limit: HistoryLimit;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly tally: HistoryTally;
}

/** What became of what was read, over all runs of an import. Pairs of a word of ours and a count. */
export interface HistoryTally {
  readonly comments: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  /** What embedding cost. */
  readonly usd: number;
  /** Of what is remembered, by canonical id. */
  readonly byLanguage: readonly (readonly [string, number])[];
  readonly byOutcome: readonly (readonly [Outcome | "none", number])[];
  /** By reason. */
  readonly leftOut: readonly (readonly [string, number])[];
  /** What could not be told, by reason. */
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

/** Counts one more of each word. */
export function countUp<Word extends string>(
  counts: readonly (readonly [Word, number])[],
  words: readonly Word[],
): readonly (readonly [Word, number])[] {
  const sum = new Map(counts);
  for (const word of words) sum.set(word, (sum.get(word) ?? 0) + 1);
  return [...sum];
}
