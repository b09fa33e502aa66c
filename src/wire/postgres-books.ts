// The books of a PostgreSQL, beside its queue.

import { postgresAnswerBook } from "../adapters/postgres/answer-book.ts";
import { postgresCheckBook } from "../adapters/postgres/check-book.ts";
import { postgresDecisions } from "../adapters/postgres/decisions.ts";
import { expire } from "../adapters/postgres/expire.ts";
import { postgresFeedbackBook } from "../adapters/postgres/feedback-book.ts";
import { postgresHistoryBook } from "../adapters/postgres/history-book.ts";
import { postgresInstallationPace } from "../adapters/postgres/installation-pace.ts";
import { postgresIntroductions } from "../adapters/postgres/introductions.ts";
import { postgresLedger } from "../adapters/postgres/ledger.ts";
import { postgresMissedBook } from "../adapters/postgres/missed-book.ts";
import { momentsOf, postgresEndedSessions } from "../adapters/postgres/moments.ts";
import { postgresPushWaits } from "../adapters/postgres/push-waits.ts";
import { postgresReplyBook } from "../adapters/postgres/reply-book.ts";
import { postgresSpending } from "../adapters/postgres/spending.ts";
import type { Postgres } from "../adapters/postgres/sql.ts";
import { postgresTraces } from "../adapters/postgres/traces.ts";
import { postgresOrphanWrites, postgresWriteBook } from "../adapters/postgres/write-book.ts";
import { signsOf } from "../adapters/signs.ts";
import type { Books } from "./books.ts";

/** Connections to one database. */
export interface BookConnections {
  /** For what is answered in no time. */
  readonly quick: Postgres;
  /** For what may take a while: forgetting, and removing what is old. */
  readonly patient: Postgres;
}

/** @param process see processMark */
export function postgresBooks({ quick: db, patient }: BookConnections, process: string | null): Books {
  return {
    held: (lease) => ({
      ledger: postgresLedger(db, lease),
      answers: postgresAnswerBook(db, lease),
      checks: postgresCheckBook(db, lease),
      writes: postgresWriteBook(db, { held: lease, key: lease?.job.key ?? "" }),
    }),
    orphanWrites: postgresOrphanWrites(db),
    pace: postgresInstallationPace(db, process),
    ledger: postgresLedger(db),
    decisions: postgresDecisions(db),
    answers: postgresAnswerBook(db),
    traces: postgresTraces(patient),
    checks: postgresCheckBook(db),
    waits: postgresPushWaits(db),
    looks: postgresFeedbackBook(db),
    missed: postgresMissedBook(db),
    signs: signsOf({
      all: (sql) => patient.all(sql),
      queueNow: async () => (await patient.one<{ now: number }>("SELECT queue_now() AS now"))?.now ?? 0,
    }),
    expire: (now) => expire(patient, now),
    restoredAt: () => momentsOf(db).at("restored"),
    book: postgresSpending(db),
    replies: postgresReplyBook(db),
    history: postgresHistoryBook(db),
    endedSessions: postgresEndedSessions(db),
    introductions: postgresIntroductions(db),
  };
}
