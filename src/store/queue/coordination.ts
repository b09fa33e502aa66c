// Locks by key, for several clients of one PostgreSQL. SQLite needs none: a transaction locks all.
import type { LaneName } from "../../ports.ts";
import type { Sql } from "../sql.ts";
import { oneValue } from "../statement.ts";

/** Namespace of our advisory locks: an arbitrary number. */
const LOCK_SPACE = 8_417;

/**
 * Locks keys until the transaction ends: no other client adds, ends or requeues their jobs. First
 * in a transaction, in a fixed order, to prevent deadlocks. A lease locks the job's row instead.
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

/** Until the transaction ends no other client takes a job: each sees who was served last. */
export function lockLane(tx: Sql, lane: LaneName): Promise<void> {
  return lockKeys(tx, [`lane ${lane}`]);
}

/** Locks one key without waiting; false when another client holds it. */
export async function tryLockKey(tx: Sql, key: string): Promise<boolean> {
  if (tx.dialect.name === "sqlite") return true;
  return (await oneValue(tx, `SELECT pg_try_advisory_xact_lock(hashtextextended($1, ${LOCK_SPACE}))`, [key])) === true;
}
