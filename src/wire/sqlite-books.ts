// The books of the embedded store, over its queue.db.
import { signsOf } from "../adapters/signs.ts";
import { sqliteAnswerBook } from "../adapters/sqlite/answer-book.ts";
import { sqliteCheckBook } from "../adapters/sqlite/check-book.ts";
import type { Database } from "../adapters/sqlite/database.ts";
import { sqliteDecisions } from "../adapters/sqlite/decisions.ts";
import { expire } from "../adapters/sqlite/expire.ts";
import { sqliteFeedbackBook } from "../adapters/sqlite/feedback-book.ts";
import { sqliteHistoryBook } from "../adapters/sqlite/history-book.ts";
import { sqliteInstallationPace } from "../adapters/sqlite/installation-pace.ts";
import { sqliteIntroductions } from "../adapters/sqlite/introductions.ts";
import { sqliteLedger } from "../adapters/sqlite/ledger.ts";
import { sqliteMissedBook } from "../adapters/sqlite/missed-book.ts";
import { momentsOf, sqliteEndedSessions } from "../adapters/sqlite/moments.ts";
import { sqlitePushWaits } from "../adapters/sqlite/push-waits.ts";
import { sqliteReplyBook } from "../adapters/sqlite/reply-book.ts";
import { sqliteSpending } from "../adapters/sqlite/spending.ts";
import { bury } from "../adapters/sqlite/tombstones.ts";
import { sqliteTraces } from "../adapters/sqlite/traces.ts";
import { sqliteOrphanWrites, sqliteWriteBook } from "../adapters/sqlite/write-book.ts";
import type { Traces } from "../ports.ts";
import type { Books } from "./books.ts";

export interface SqliteBooksSettings {
  /** Where tombstones and old copies lie. */
  readonly dataDir: string;
  /** See steadyClock. */
  readonly clock: () => number;
  /** See processMark. */
  readonly process: string | null;
}

export function sqliteBooks(db: Database.Database, { dataDir, clock, process }: SqliteBooksSettings): Books {
  return {
    held: (lease) => ({
      ledger: sqliteLedger(db, lease),
      answers: sqliteAnswerBook(db, lease),
      checks: sqliteCheckBook(db, lease),
      writes: sqliteWriteBook(db, { held: lease, key: lease?.job.key ?? "", now: clock }),
    }),
    orphanWrites: sqliteOrphanWrites(db, clock),
    pace: sqliteInstallationPace(db, clock, process),
    ledger: sqliteLedger(db),
    decisions: sqliteDecisions(db),
    answers: sqliteAnswerBook(db),
    traces: withTombstones(sqliteTraces(db), dataDir),
    checks: sqliteCheckBook(db),
    waits: sqlitePushWaits(db),
    looks: sqliteFeedbackBook(db),
    missed: sqliteMissedBook(db),
    signs: signsOf({ all: async <Row>(sql: string) => db.prepare(sql).all() as Row[], queueNow: clock }),
    expire: (now) => expire(db, dataDir, now),
    restoredAt: async () => momentsOf(db).at("restored"),
    book: sqliteSpending(db),
    replies: sqliteReplyBook(db),
    history: sqliteHistoryBook(db),
    endedSessions: sqliteEndedSessions(db),
    introductions: sqliteIntroductions(db),
  };
}

/** Whatever is forgotten is written down first: an older backup must not bring it back. */
function withTombstones(traces: Traces, dataDir: string): Traces {
  return {
    ...traces,
    async forgetRepository(repo) {
      bury(dataDir, { forgot: "repository", key: `${repo.host}/${repo.id}`, at: Date.now() });
      return traces.forgetRepository(repo);
    },
  };
}
