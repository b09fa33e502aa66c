// The fence: what a job writes is written only while the job is held, in the same transaction.
import { LeaseLost } from "../../domain/lease-lost.ts";
import type { Held } from "../../ports.ts";
import { type Database, write } from "./database.ts";

/** True while nobody else may do the job. */
export function isHeld(db: Database.Database, { id, token }: Held): boolean {
  return db.prepare("SELECT 1 FROM jobs WHERE id = ? AND token = ? AND state = 'running'").get(id, token) !== undefined;
}

/**
 * Runs `work` in a write transaction, fenced: `held` is null where no job stands behind it.
 *
 * @throws LeaseLost when the job is not held any more; `Transient` on a lock or a full disk
 */
export function fenced<T>(db: Database.Database, held: Held | null, work: () => T): T {
  return write(db, () => {
    if (held !== null && !isHeld(db, held)) throw new LeaseLost();
    return work();
  });
}

/** The job has come on: whatever ends its process now is not what ended it before. */
export function cameOn(db: Database.Database, held: Held | null): void {
  if (held !== null)
    db.prepare("UPDATE jobs SET deaths = 0, alone = 0 WHERE id = ? AND token = ?").run(held.id, held.token);
}
