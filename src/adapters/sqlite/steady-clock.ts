// A clock that nobody sets: the time at which this machine's file was first used since it started, and what has passed since. All
// processes of the machine read the same; a wall clock that jumps an hour changes nothing.
import { bootId } from "../process-mark.ts";
import { type Database, write } from "./database.ts";

/** Epoch milliseconds, whole. Where the system does not tell its boots apart, each process begins at the wall clock's time. */
export function steadyClock(db: Database.Database): () => number {
  const epoch = epochOf(db, bootId());
  return () => epoch + upMs();
}

function epochOf(db: Database.Database, boot: string | null): number {
  const now = Date.now() - upMs();
  if (boot === null) return now;
  const kept = () => db.prepare("SELECT epoch FROM boots WHERE id = ?").pluck().get(boot) as number | undefined;
  return (
    kept() ??
    write(db, () => {
      db.prepare("DELETE FROM boots WHERE id <> ?").run(boot);
      db.prepare("INSERT INTO boots (id, epoch) VALUES (?, ?) ON CONFLICT DO NOTHING").run(boot, now);
      return kept() ?? now;
    })
  );
}

/** Since the machine started: the same for all of its processes on Linux. */
function upMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
