// Lease fencing: a job's writes happen in a transaction that checks that the job is still held.
import { LeaseLost } from "../../domain/errors.ts";
import type { Held } from "../../ports.ts";
import type { Database, Sql } from "../sql.ts";

const IS_HELD = "SELECT 1 AS held FROM jobs WHERE id = $1 AND token = $2 AND state = 'running'";

/** True while no other process may run the job. */
export async function isHeld(sql: Sql, { id, token }: Held): Promise<boolean> {
  return (await sql.one(IS_HELD, [id, token])) !== null;
}

/**
 * Runs `work` in a transaction if the job is held; it locks the job's row, so that no other process
 * takes it before the commit.
 *
 * @param held null for writes without a job, as in a sweep
 * @throws LeaseLost when the job is no longer held; `Transient` when the database does not answer
 */
export function fenced<T>(db: Database, held: Held | null, work: (tx: Sql) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    if (held !== null && (await tx.one(`${IS_HELD}${tx.dialect.forUpdate}`, [held.id, held.token])) === null)
      throw new LeaseLost();
    return work(tx);
  });
}

/** Resets the crash counter after progress: a later crash has another cause. */
export async function progressed(tx: Sql, held: Held | null): Promise<void> {
  const reset = "UPDATE jobs SET deaths = 0 WHERE id = $1 AND token = $2 AND deaths > 0";
  if (held !== null) await tx.run(reset, [held.id, held.token]);
}
