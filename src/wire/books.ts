// What a store writes down beside its queue.
import type { CheckBook, PushWaits } from "../ports/checks.ts";
import type { FeedbackBook } from "../ports/feedback.ts";
import type { HistoryBook, Introductions } from "../ports/history.ts";
import type { EndedSessions } from "../ports/login.ts";
import type { MissedBook } from "../ports/missed.ts";
import type { ReplyBook, SpendingBook } from "../ports/model.ts";
import type { Signs } from "../ports/signs.ts";
import type { AnswerBook, Decisions, ReviewRecords } from "../ports/talk.ts";
import type { InstallationPace, OrphanWrites, WriteBook } from "../ports/writes.ts";
import type { AnyJob, Lease, Ledger, Traces } from "../ports.ts";

/** What one job writes down: only as long as it is held. */
export interface HeldStore {
  readonly ledger: Ledger & ReviewRecords;
  readonly answers: AnswerBook;
  readonly checks: CheckBook;
  readonly writes: WriteBook;
}

/** What is written down beside the queue. */
export interface Books {
  readonly ledger: Ledger & ReviewRecords;
  /** The books of one job; null is nobody's: for sweeps. */
  held(lease: Lease<AnyJob> | null): HeldStore;
  /** Writes to GitHub whose jobs ended before their outcome was known. */
  readonly orphanWrites: OrphanWrites;
  /** What each installation asks of us. */
  readonly pace: InstallationPace;
  /** What people decided about pull requests. */
  readonly decisions: Decisions;
  /** Answers that were given. */
  readonly answers: AnswerBook;
  /** Everything that stands here of a repository. */
  readonly traces: Traces;
  /** Check runs that were begun. */
  readonly checks: CheckBook;
  /** How long pushes wait. */
  readonly waits: PushWaits;
  /** When pull requests were looked at for what people did about findings. */
  readonly looks: FeedbackBook;
  /** What was received, asked for again and reviewed. */
  readonly missed: MissedBook;
  /** When a backup was last restored, in epoch milliseconds; null when none was. */
  restoredAt(): Promise<number | null>;
  /** How the work comes on. */
  readonly signs: Signs;
  /** Removes what is kept no longer; returns how much. Epoch milliseconds. */
  expire(now: number): Promise<number>;
  /** What models cost. */
  readonly book: SpendingBook;
  /** Answers of the model to reviews that are not written yet. */
  readonly replies: ReplyBook;
  /** Where imports of past reviews stand. */
  readonly history: HistoryBook;
  /** Sessions of the dashboard that were logged out of. */
  readonly endedSessions: EndedSessions;
  /** Which reviews say what memory there is. */
  readonly introductions: Introductions;
}
