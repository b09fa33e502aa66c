// Takes deliveries: as many as there are in one transaction, and never waiting for a lock, since the event loop would wait too.
import type { Inbox } from "../../ports/inbox.ts";
import { type Database, writeAtOnce } from "./database.ts";
import { takeDelivery } from "./queue.ts";

/** The inbox of an open queue database (see QUEUE_MIGRATIONS). */
export function sqliteInbox(db: Database.Database): Inbox {
  return {
    take: (batch) =>
      writeAtOnce(db, () => batch.map(({ delivery, outcome, beside }) => takeDelivery(db, delivery, outcome, beside))),
    probe: (now) =>
      writeAtOnce(db, () => {
        db.prepare("INSERT INTO probes (id, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at").run(now);
      }),
  };
}
