// The fence: what a job writes is written only while the job is held, in the same transaction.
import { LeaseLost } from "../../domain/lease-lost.ts";
import type { Held } from "../../ports.ts";
import type { Postgres, Sql } from "./sql.ts";

const IS_HELD = "SELECT true AS held FROM jobs WHERE id = $1 AND token = $2 AND state = 'running'";

/** True while nobody else may do the job. */
export async function isHeld(sql: Sql, { id, token }: Held): Promise<boolean> {
  return (await sql.one(IS_HELD, [id, token])) !== null;
}

/**
 * Runs `work` in a transaction, fenced: `held` is null where no job stands behind it. The job's row is locked until the
 * commit: nobody takes the job between the look and the write.
 *
 * @throws LeaseLost when the job is not held any more; `Transient` when the database cannot be asked
 */
export function fenced<T>(db: Postgres, held: Held | null, work: (sql: Sql) => Promise<T>): Promise<T> {
  return db.transaction(async (sql) => {
    if (held !== null && (await sql.one(`${IS_HELD} FOR UPDATE`, [held.id, held.token])) === null)
      throw new LeaseLost();
    return work(sql);
  });
}

/** The job has come on: whatever ends its process now is not what ended it before. */
export async function cameOn(sql: Sql, held: Held | null): Promise<void> {
  if (held !== null)
    await sql.run("UPDATE jobs SET deaths = 0, alone = 0 WHERE id = $1 AND token = $2 AND deaths > 0", [
      ...[held.id, held.token],
    ]);
}
