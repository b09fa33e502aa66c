// What several clients of one PostgreSQL need beside their statements: locks by key, and notifications. On SQLite a transaction has
// the database to itself, and nobody listens.
import type { LaneName } from "../../ports.ts";
import type { Sql } from "../sql.ts";

/** Tells our locks from other advisory locks of the database: any number that nothing else uses. */
const LOCK_SPACE = 8_417;

/**
 * Until the transaction ends no other client puts, ends or takes back jobs of these keys. Always first in a transaction and
 * always in the same order, so that no two wait for each other. A lease does not lock keys: it locks the job's row.
 */
export async function lockKeys(tx: Sql, keys: readonly string[]): Promise<void> {
  if (tx.dialect.name === "sqlite" || keys.length === 0) return;
  await tx.all(
    `SELECT pg_advisory_xact_lock(lock) FROM (
       SELECT DISTINCT hashtextextended(key, ${LOCK_SPACE}) AS lock FROM unnest($1::text[]) AS key ORDER BY lock
     ) AS locks`,
    [keys],
  );
}

/** Until the transaction ends no other client takes a job of these lanes: each that does sees whose turn it is. */
export function lockLanes(tx: Sql, lanes: readonly LaneName[]): Promise<void> {
  return lockKeys(
    tx,
    lanes.map((lane) => `lane ${lane}`),
  );
}

/** The same for one key without waiting: false when another client has it. */
export async function tryLockKey(tx: Sql, key: string): Promise<boolean> {
  if (tx.dialect.name === "sqlite") return true;
  const row = await tx.one<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended($1, ${LOCK_SPACE})) AS locked`,
    [key],
  );
  return row?.locked === true;
}

/** On which lanes in which there is something to do are announced. */
export const JOBS_CHANNEL = "kodiai_jobs";

/** Wakes the processes that listen once the transaction is committed. */
export async function announce(tx: Sql, lanes: Iterable<LaneName>): Promise<void> {
  if (tx.dialect.name === "sqlite") return;
  const names = [...new Set(lanes)];
  if (names.length > 0)
    await tx.all(`SELECT pg_notify('${JOBS_CHANNEL}', lane) FROM unnest($1::text[]) AS lane`, [names]);
}
