// Opens the queue's part of a PostgreSQL: its connections are its own, so that no search of memory keeps a delivery waiting.
import { performance } from "node:perf_hooks";
import { openPostgres } from "../adapters/postgres/database.ts";
import { postgresInbox } from "../adapters/postgres/inbox.ts";
import { PARTS } from "../adapters/postgres/migrations.ts";
import { postgresQueue } from "../adapters/postgres/queue.ts";
import type { Postgres } from "../adapters/postgres/sql.ts";
import { openTickets } from "../adapters/postgres/tickets.ts";
import { processMark } from "../adapters/process-mark.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { Queue } from "../ports.ts";

export interface PostgresQueue {
  readonly queue: Queue;
  readonly inbox: Inbox;
  /** For what is written in one transaction with a look at the job that writes it. */
  readonly db: Postgres;
  close(): Promise<void>;
}

/**
 * GitHub gives up on a delivery after 10 s, and a process that was not heard of for 20 s has lost its jobs: whatever is asked here
 * is answered in well under that or asked again on another connection.
 */
const PATIENCE = {
  connections: 8,
  name: "kodiai queue",
  statementMs: 5_000,
  lockMs: 3_000,
  silentMs: 10_000,
  pipelines: true,
} as const;

/**
 * @param url `postgres://…`, with the schema that openPostgres brings up to date
 * @param onTrouble told what goes wrong in pg-boss's own upkeep, which goes on by itself
 * @param silentMs how long another process may be silent; absent: the documented time
 */
export async function openQueueOn(
  url: string,
  onTrouble: (error: unknown) => void,
  silentMs?: number,
): Promise<PostgresQueue> {
  const db = await openPostgres(url, PARTS, PATIENCE);
  try {
    const tickets = await openTickets(url, onTrouble);
    // A clock that nobody sets: only what passes between two looks counts.
    const skew = () => performance.now() - Date.now();
    const patience = silentMs === undefined ? {} : { silentMs };
    return {
      queue: postgresQueue(db, tickets, { process: processMark(), skew, ...patience }),
      inbox: postgresInbox(db, tickets),
      db,
      async close() {
        await tickets.close();
        await db.close();
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}
