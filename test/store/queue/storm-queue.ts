// The queue of one process of the storm, opened on PostgreSQL with the limits of the server's own.
import { processMark } from "../../../src/adapters/process-mark.ts";
import type { Inbox } from "../../../src/ports/inbox.ts";
import type { Queue } from "../../../src/ports.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { storedInbox } from "../../../src/store/queue/deliveries.ts";
import { storedQueue } from "../../../src/store/queue/queue.ts";
import type { Database } from "../../../src/store/sql.ts";

const LIMITS = { connections: 8, statementMs: 5_000, lockMs: 3_000, silentMs: 10_000, pipelines: true } as const;

export interface StormQueue {
  readonly queue: Queue;
  readonly inbox: Inbox;
  readonly db: Database;
  close(): Promise<void>;
}

/** @param silentMs how long another process may be silent; absent: as the server has it */
export function openStormQueue(url: string, silentMs?: number): StormQueue {
  const db = openPostgres(url, { ...LIMITS, name: "kodiai queue" });
  const given = { process: processMark(), ...(silentMs === undefined ? {} : { silentMs }) };
  return {
    queue: storedQueue(db, given),
    inbox: storedInbox(db),
    db,
    close: db.close,
  };
}
