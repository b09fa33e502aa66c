// What the checker compares with: what is on GitHub at the end, and the contents of the store under
// test.
import type { PullName } from "./history.ts";

/** A pull request as a visitor sees it when all is quiet. */
export interface PullTruth {
  readonly pull: PullName;
  readonly state: "open" | "closed" | "removed";
  readonly head: string;
  /** Whether anything that happened on it asks for a review. */
  readonly isAsked: boolean;
  /** Whether a comment asked Kodiai something. */
  readonly isSpokenTo: boolean;
  /** Reviews of ours that are submitted, by the head that they were posted on. */
  readonly reviews: readonly { readonly id: number; readonly head: string }[];
  /** Sticky summaries of ours, each with the heads (7 digits or more) that it says it is about. */
  readonly summaries: readonly {
    readonly id: number;
    readonly heads: readonly string[];
  }[];
  /** Whether it has our 👍: what a review says that has nothing to say. */
  readonly isSilent: boolean;
  /** Comments of ours on lines and files, each with its finding and head. */
  readonly comments: readonly { readonly id: number; readonly finding: string; readonly head: string }[];
  /** Answers of ours, each by what it answers. */
  readonly answers: readonly { readonly id: number; readonly to: string }[];
  /** Check runs that never ended. */
  readonly openChecks: number;
  /** A permission that reviews need was taken from its installation, and not given back. */
  readonly isRefused: boolean;
  /**
   * What people did about findings of ours: the finding, and how the key of what is learnt from it
   * begins.
   */
  readonly feedback: readonly { readonly finding: string; readonly key: string }[];
}

/** What the checker must know of a store, whichever it is: SQLite, Postgres. */
export interface StoreView {
  /** GUIDs of all deliveries that it keeps. */
  inbox(): Promise<ReadonlySet<string>>;
  /** Jobs of pull requests that are neither done nor given up. */
  open(): Promise<readonly OpenJob[]>;
  /** Every end that a review of a pull request came to. */
  ends(): Promise<readonly ReviewEnd[]>;
  /** What was learnt from people about findings. */
  learnt(): Promise<Learnt>;
  /** Every text that it keeps, where that is not a file of the data folder. */
  texts?(): Promise<readonly { readonly where: string; readonly text: string }[]>;
  /** Jobs that are to forget a repository, and have not. */
  forgetting(): Promise<number>;
  close(): Promise<void>;
}

export interface OpenJob {
  /** Stays the same for as long as the job lives. */
  readonly id: string;
  readonly pull: PullName;
  readonly isRunning: boolean;
  readonly attempt: number;
  /** Grows each time that it is taken up. */
  readonly token: number;
  /** Of the server that runs it, where there may be several. */
  readonly pid?: number | null;
}

export interface Learnt {
  /** `PULL FINDING` of each finding that is remembered. */
  readonly findings: ReadonlySet<string>;
  /** `PULL FINDING KEY` of each piece of evidence. */
  readonly evidence: ReadonlySet<string>;
}

export interface ReviewEnd {
  readonly pull: PullName;
  readonly head: string;
  readonly end: "posted" | "skipped" | "superseded" | "cancelled" | "parked" | "stopped";
  readonly reason: string;
}

/**
 * The state of reviews when all was quiet for the first time, before any server was started again.
 */
export interface Quiet {
  readonly ends: readonly ReviewEnd[];
  /** Installations that the servers report as refused. */
  readonly reported: number;
}

/** Everything at the end of a run. */
export interface GroundTruth {
  readonly pulls: readonly PullTruth[];
  readonly inbox: ReadonlySet<string>;
  readonly open: readonly OpenJob[];
  readonly ends: readonly ReviewEnd[];
  /** Absent if it was not checked. */
  readonly quiet?: Quiet;
  /** Absent if it was not checked. */
  readonly learnt?: Learnt;
  /** `HOST:PORT` that the server may reach. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Canary → whose it is: `secret`, or the repository (OWNER/NAME) that alone may see it. */
  readonly canaries: ReadonlyMap<string, string>;
  /** Of one process. */
  readonly workers: number;
  /**
   * How often a process lost its jobs to others while it lived: frozen, or cut off from the store.
   * Absent: never.
   */
  readonly takeovers?: number;
  /**
   * OWNER/NAME of repositories that the App does not reach any more: nothing of them may be kept.
   * Absent: none.
   */
  readonly removed?: ReadonlySet<string>;
  /** What GitHub's description does not allow, and the app asked nevertheless. */
  readonly violations: readonly string[];
}
