// The fence: what a job writes is written only while the job is held, in the same transaction.
import { LeaseLost } from "../../domain/errors.ts";
import type { Held } from "../../ports.ts";
import type { Database, Sql } from "../sql.ts";

const IS_HELD = "SELECT 1 AS held FROM jobs WHERE id = $1 AND token = $2 AND state = 'running'";

/** True while no other process may do the job. */
export async function isHeld(sql: Sql, { id, token }: Held): Promise<boolean> {
  return (await sql.one(IS_HELD, [id, token])) !== null;
}

/**
 * Runs `work` in a transaction while the job is held. No other process takes the job between the look and the commit, because
 * its row is locked.
 *
 * @param held null where no job is behind it, as in a sweep
 * @throws LeaseLost when the job is not held any more; `Transient` when the database cannot be asked
 */
export function fenced<T>(db: Database, held: Held | null, work: (tx: Sql) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    if (held !== null && (await tx.one(`${IS_HELD}${tx.dialect.forUpdate}`, [held.id, held.token])) === null)
      throw new LeaseLost();
    return work(tx);
  });
}

/** The job made progress: what ends its process from now on is not what ended it before. */
export async function progressed(tx: Sql, held: Held | null): Promise<void> {
  if (held !== null)
    await tx.run("UPDATE jobs SET deaths = 0, alone = 0 WHERE id = $1 AND token = $2 AND deaths > 0", [
      held.id,
      held.token,
    ]);
}
