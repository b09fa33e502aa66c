// What a store keeps beside its queue and its memory.
import type { CheckBook, PushWaits } from "../ports/checks.ts";
import type { FeedbackBook } from "../ports/feedback.ts";
import type { HistoryBook, Introductions } from "../ports/history.ts";
import type { EndedSessions } from "../ports/login.ts";
import type { MissedEventStore } from "../ports/missed.ts";
import type { ReplyBook, SpendingBook } from "../ports/model.ts";
import type { Signs } from "../ports/signs.ts";
import type { AnswerBook, Decisions, ReviewRecords } from "../ports/talk.ts";
import type { InstallationPace, OrphanWrites, WriteBook } from "../ports/writes.ts";
import type { AnyJob, Lease, Ledger, Traces } from "../ports.ts";
import { expireRows } from "../store/expire.ts";
import { storedTraces } from "../store/forget-repository.ts";
import { storedMissedEvents } from "../store/queue/missed-events.ts";
import { storedEndedSessions, storedMoments } from "../store/queue/moments.ts";
import { storedChecks, storedPushWaits } from "../store/reviews/checks.ts";
import { storedAnswers, storedDecisions } from "../store/reviews/conversation.ts";
import { storedHistory, storedIntroductions, storedLooks } from "../store/reviews/follow-up.ts";
import { storedReplies, storedReviews } from "../store/reviews/reviews.ts";
import { storedSigns } from "../store/reviews/signs.ts";
import { storedSpending } from "../store/reviews/spending.ts";
import { storedInstallationPace, storedOrphanWrites, storedWrites } from "../store/reviews/writes.ts";
import type { Database } from "../store/sql.ts";

/** What one job writes: only as long as it is held. */
export interface HeldRecords {
  readonly ledger: Ledger & ReviewRecords;
  readonly answers: AnswerBook;
  readonly checks: CheckBook;
  readonly writes: WriteBook;
}

export interface Records {
  readonly ledger: Ledger & ReviewRecords;
  /** The records of one job; null is no job's: for sweeps. */
  held(lease: Lease<AnyJob> | null): HeldRecords;
  /** Writes to GitHub whose jobs ended before their outcome was known. */
  readonly orphanWrites: OrphanWrites;
  /** What each installation asks of us. */
  readonly pace: InstallationPace;
  /** What people decided about pull requests. */
  readonly decisions: Decisions;
  /** Answers that were given. */
  readonly answers: AnswerBook;
  /** Everything that is kept of a repository beside its memory. */
  readonly traces: Traces;
  /** Check runs that were begun. */
  readonly checks: CheckBook;
  /** How long pushes wait. */
  readonly waits: PushWaits;
  /** When pull requests were looked at for what people did about findings. */
  readonly looks: FeedbackBook;
  /** What was received, asked for again and reviewed. */
  readonly missed: MissedEventStore;
  /** When a backup was last restored, in epoch milliseconds; null when none was. */
  restoredAt(): Promise<number | null>;
  /** How the work proceeds. */
  readonly signs: Signs;
  /** Removes what is kept no longer; returns how much. Epoch milliseconds. */
  expire(now: number): Promise<number>;
  /** What models cost. */
  readonly book: SpendingBook;
  /** Answers of the model to reviews that are not written yet. */
  readonly replies: ReplyBook;
  /** Where imports of past reviews are. */
  readonly history: HistoryBook;
  /** Sessions of the dashboard that were logged out of. */
  readonly endedSessions: EndedSessions;
  /** Which reviews say what memory there is. */
  readonly introductions: Introductions;
}

export interface RecordsSettings {
  /** For forgetting, and removing what is old: on PostgreSQL with more time than others have. Absent: the same. */
  readonly patient?: Database;
  /** See processMark. */
  readonly process: string | null;
  /** Gives the space of deleted rows of these tables back. */
  readonly reclaim: (tables: readonly string[]) => Promise<void>;
}

export function recordsOn(db: Database, { patient = db, process, reclaim }: RecordsSettings): Records {
  return {
    held: (lease) => ({
      ledger: storedReviews(db, lease),
      answers: storedAnswers(db, lease),
      checks: storedChecks(db, lease),
      writes: storedWrites(db, { held: lease, key: lease?.job.key ?? "" }),
    }),
    orphanWrites: storedOrphanWrites(db),
    pace: storedInstallationPace(db, process),
    ledger: storedReviews(db),
    decisions: storedDecisions(db),
    answers: storedAnswers(db),
    traces: storedTraces(patient, reclaim),
    checks: storedChecks(db),
    waits: storedPushWaits(db),
    looks: storedLooks(db),
    missed: storedMissedEvents(db),
    signs: storedSigns(patient),
    expire: (now) => expireRows(patient, now),
    restoredAt: () => storedMoments(db).at("restored"),
    book: storedSpending(db),
    replies: storedReplies(db),
    history: storedHistory(db),
    endedSessions: storedEndedSessions(db),
    introductions: storedIntroductions(db),
  };
}
