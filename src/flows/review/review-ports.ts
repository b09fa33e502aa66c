// What a review asks of the world, and what the pipeline returns.
import type { KnownRules } from "../../config/parse-config.ts";
import type { Repo } from "../../domain/job.ts";
import type { PostedReview } from "../../domain/review.ts";
import { NO_REPORT } from "../../domain/tool-result.ts";
import type { CheckStore, Checks, PushWaits } from "../../ports/checks.ts";
import type { Decisions, Permissions } from "../../ports/conversation.ts";
import type { Introductions } from "../../ports/history.ts";
import type { Embedder, Memory, Recall, Reranker, RetrievalLog } from "../../ports/memory.ts";
import type { ModelAccess } from "../../ports/model.ts";
import type { FlaggedCode, PastCode, PastRejections } from "../../ports/rejections.ts";
import type { Snapshots } from "../../ports/snapshot.ts";
import type { Symbols } from "../../ports/symbols.ts";
import type { ToolResults } from "../../ports/tools.ts";
import type { Inspector, Ledger, PullRequests, Reviews } from "../../ports.ts";
import type { newGateCache } from "../../retrieve/retrieve.ts";

/** What writing a review needs of the world: nothing that could post. */
export interface WritingPorts {
  readonly pulls: PullRequests;
  readonly inspector: Inspector;
  readonly tools: ToolResults;
  /** Reads the repository at the head; null where there is none behind the change. */
  readonly snapshots: Snapshots | null;
  /** Finds names in code; null: the model is shown the diff alone. */
  readonly symbols: Symbols | null;
  /** Null searches memory by words only. */
  readonly embedder: Embedder | null;
  readonly recall: Recall;
  /** Null leaves what memory finds in the order of its own ranking. */
  readonly reranker: Reranker | null;
  /** Decisions whether to search memory, kept from one review to the next; null keeps none. */
  readonly gateCache: ReturnType<typeof newGateCache> | null;
  /** Null: rules and memory only. */
  readonly access: ModelAccess | null;
  /** Records each retrieval; never rejects, so that no review fails for it. Null: none. */
  readonly retrievals: RetrievalLog | null;
  /** Whether the review says what memory there is. */
  readonly introductions: Introductions;
  readonly decisions: Pick<Decisions, "of">;
  /** Who may write to the repository; null where the person who asks pays. */
  readonly permissions: Permissions | null;
  /** What was declined and spoken about on other pull requests; null where that is not kept. */
  readonly past: (PastRejections & PastCode) | null;
  /** How many findings get a comment of their own; null: `review.maxComments`. */
  readonly commentLimit: number | null;
  readonly known: KnownRules;
  /** The text with every secret masked. Null where nothing will be remembered. */
  readonly redact: ((text: string) => Promise<string>) | null;
  readonly ledger: Pick<Ledger, "earlier">;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Aborted when the review is no longer wanted: with Stopped after a `stop`. */
  readonly signal: AbortSignal;
}

/** A change without a history: nothing was decided or written about it, nothing is kept of it. */
export const PLAIN_CHANGE: Omit<
  WritingPorts,
  "pulls" | "inspector" | "known" | "embedder" | "recall" | "access" | "now"
> = {
  tools: { of: async () => NO_REPORT },
  snapshots: null,
  symbols: null,
  reranker: null,
  gateCache: null,
  retrievals: null,
  introductions: { isFirst: async () => false, of: async () => null },
  decisions: { of: async () => ({ declined: [], pausedBy: null }) },
  permissions: null,
  past: null,
  commentLimit: null,
  redact: null,
  ledger: { earlier: async () => [] },
  signal: new AbortController().signal,
};

export interface ReviewPorts extends WritingPorts {
  readonly ledger: Ledger;
  readonly reviews: Reviews;
  readonly checks: Checks;
  readonly checkStore: CheckStore;
  readonly waits: PushWaits;
  readonly embedder: Embedder;
  readonly memory: Memory;
  /** Stores what is declined and the code of findings; null where that is not kept. */
  readonly keeping: FlaggedCode | null;
  readonly redact: (text: string) => Promise<string>;
  /** Our own account: `kodiai[bot]`. */
  readonly botLogin: string;
  /** Whether our latest review on GitHub is of this head, after a restore. Null: state is right. */
  readonly isOnGitHub: ((repo: Repo, number: number, headSha: string) => Promise<boolean>) | null;
  /** The last attempt: what cannot be remembered now is not remembered. */
  readonly isLastTry: boolean;
}

/** A review on GitHub, and why memory does not have it; null when it does. */
export type SentReview = PostedReview & { readonly notRemembered: string | null };

/** Runs one stage: the caller decides what to time, log or print of the value that it returns. */
export type Stage = <T>(name: string, run: () => T | Promise<T>) => Promise<T>;
